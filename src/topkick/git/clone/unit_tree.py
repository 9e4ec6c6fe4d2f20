"""Prepare a unit's tree for an order: its clones, uncommitted files, set-up commands."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pygit2

from topkick.checks.model import Integration
from topkick.checks.request import MergeRequest, Ours
from topkick.engine.errors import TopkickError
from topkick.engine.io import crash_points
from topkick.engine.io.files import replace_atomically
from topkick.engine.settings import TreeSetup
from topkick.git.clone import places
from topkick.git.clone.cleanup import write_about
from topkick.git.clone.clone import make_clone
from topkick.git.clone.local_files import bring
from topkick.git.clone.places import Clone, common_place
from topkick.git.isolation import Tip
from topkick.git.landing.fetch_commits import gather, head_of
from topkick.git.landing.merge import Merged, catch_up, lend_mission, move_branch, prepare, tip_of
from topkick.git.program import Signed
from topkick.git.read.directory import existing, find_git
from topkick.git.read.repository import UNBORN, UnreadableRepository, read_tree
from topkick.git.salvage import save

RunSetup = Callable[[str], str]
"""Runs a command in the tree; returns what went wrong, or an empty text."""


class NotReady(TopkickError):
    """A unit's tree cannot be prepared."""


@dataclass(frozen=True, slots=True)
class Trees:
    """The trees that one unit works in."""

    ours: Ours

    @property
    def root(self) -> Path:
        """The project's root for this unit."""
        if self.ours.isolation is None:
            return Path(self.ours.root)
        return places.unit_root(self.ours.isolation, self.ours.unit)

    @property
    def signed(self) -> Signed:
        return Signed(self.ours.name, self.ours.email)

    def clones(self) -> tuple[Clone, ...]:
        if self.ours.isolation is None:
            return ()
        root, unit = Path(self.ours.root), self.ours.unit
        return tuple(places.clones(root, self.ours.isolation, unit, self.ours.heads))

    def heads(self) -> tuple[Tip, ...]:
        """Return the current commits of the clones."""
        found = ((clone.path, head_of(clone)) for clone in self.clones())
        return tuple(Tip(path, head) for path, head in found if head is not None)

    # --- before an order -------------------------------------------------------------------

    def make_ready(self, setup: TreeSetup, own_files: tuple[str, ...], run: RunSetup) -> None:
        """Prepare the tree if that was not done; existing files stay as they are."""
        if self.ours.isolation is not None and not self._ready.exists():
            with _told(self.root):
                self._make_ready(setup, own_files, run)

    def _make_ready(self, setup: TreeSetup, own_files: tuple[str, ...], run: RunSetup) -> None:
        assert self.ours.isolation is not None
        write_about(Path(self.ours.root), self.ours.isolation)
        identity = {"user.name": self.ours.name, "user.email": self.ours.email}
        for clone in self.clones():
            make_clone(clone, {k: v for k, v in identity.items() if v})
        place = places.unit_place(self.ours.isolation, self.ours.unit)
        bring(Path(self.ours.root), self.root, place, setup, own_files)
        for command in setup.setup:
            if why := run(command):
                raise NotReady(
                    f"`{command}` ([tree] setup in topkick.toml) failed in {self.root}, so no "
                    f"order was given there:\n{why}"
                )
        crash_points.here("tree.before-ready")
        replace_atomically(self._ready, b"")

    @property
    def _ready(self) -> Path:
        assert self.ours.isolation is not None
        return places.unit_place(self.ours.isolation, self.ours.unit) / places.READY

    def catch_up(self) -> Integration:
        """Merge the work of other units into the unit's own branches."""
        for clone in self.clones():
            with _told(clone.at):
                merged = catch_up(clone, self.signed, "Merge the work of other units")
            if merged.conflicts:
                return Integration(tip_of(clone), merged.conflicts)
        return Integration()

    # --- after an order --------------------------------------------------------------------

    def integrate(self, merge: MergeRequest) -> Integration:
        """Merge the unit's work in all repositories; the returned tip is that of its own.

        All merges are made before the first branch is moved: on a conflict in one repository, or a
        branch that others moved, nothing changes in any.
        """
        own, made = self.own(merge.directory), list[tuple[Clone, Merged]]()
        for clone, wanted in self._wanted(merge, own):
            gather(clone, wanted)
            merged = prepare(clone, wanted, self.signed, merge.told, merge.checked)
            if merged.conflicts:
                lend_mission(clone, merged.commit)
                return Integration(merged.commit, merged.conflicts)
            made.append((clone, merged))
        restored = [move_branch(clone, merged) for clone, merged in made]
        tips = tuple(Tip(c.path, m.commit) for c, m in made if c.tip or m.commit != c.base)
        mine = [merged.commit for clone, merged in made if clone == own]
        tip = next(iter((*mine, *(merged.commit for _, merged in made))), "")
        return Integration(tip, tips=tips, restored=any(restored))

    def _wanted(self, merge: MergeRequest, own: Clone | None) -> Iterator[tuple[Clone, str]]:
        """Yield the checked commits; where none is recorded, the clone's current commit."""
        checked = {tip.path: tip.commit for tip in merge.commits}
        for clone in self.clones():
            known = checked.get(clone.path) or (merge.commit if clone == own else "")
            wanted = known or head_of(clone)
            if wanted is not None and wanted != UNBORN:
                yield clone, wanted

    def own(self, directory: str) -> Clone | None:
        """Return the clone of the repository that contains a directory of the project."""
        return places.own_of(self.clones(), self.root / directory, lambda clone: clone.at)

    # --- uncommitted work ------------------------------------------------------------------

    def salvage(self, name: str, directory: str, told: str) -> str:
        """Save uncommitted work and return its ref; empty if there is none."""
        refs = [saved for saved in self._saved(name, directory, told) if saved]
        return refs[0] if refs else ""

    def _saved(self, name: str, directory: str, told: str) -> Iterator[str]:
        clones = self.clones()
        if not clones:
            lies_in = (self.root / directory).resolve()
            git = find_git(existing(lies_in))
            if git is not None:
                inside = lies_in.relative_to(git.top).as_posix()
                below = "" if inside == "." else inside
                saved = save(git.top, git.top, name, self.signed, told, below)
                yield saved.ref if saved is not None else ""
            return
        for clone in clones:
            head = head_of(clone)
            if head is not None:
                gather(clone, head)
            saved = save(clone.at, clone.main, name, self.signed, told)
            yield saved.ref if saved is not None else ""


@contextmanager
def _told(where: Path) -> Iterator[None]:
    """Turn errors of libgit2 or the disk into a message for the user."""
    try:
        yield
    except (pygit2.GitError, OSError) as error:
        raise NotReady(
            f"The tree in {where} cannot be prepared: {error}. No order was given there.\n"
            "Repair it, or move it away (its files may be an agent's work), then: topkick resume"
        ) from error


# --- changes in the user's checkout --------------------------------------------------------------
# They are reported while agents work in clones; their cause is not known.


FILES_NAMED = 8


def changed_in_main(ours: Ours, since_s: float) -> tuple[str, ...]:
    """Return some uncommitted files there that were written since the order."""
    if ours.isolation is None:
        return ()
    common = common_place(Path(ours.root), ours.isolation)
    tops = [common / repository.path for repository in ours.isolation.repositories]
    found = [name for top in tops for name in _changed(top, since_s)]
    more = [f"and {len(found) - FILES_NAMED} more"] if len(found) > FILES_NAMED else []
    return (*found[:FILES_NAMED], *more)


def _changed(top: Path, since_s: float) -> Iterator[str]:
    try:
        tree = read_tree(top, None)
    except UnreadableRepository:
        return
    for name in tree.uncommitted if tree is not None else ():
        try:
            if (top / name).lstat().st_mtime >= since_s:
                yield name
        except OSError:
            continue
