"""One run of a gate: the work of all units, or of some, built and tested in a tree of its own."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pygit2

from topkick.checks.model import CheckOutcome, CheckResult, Where
from topkick.checks.request import Build
from topkick.checks.worker.commands import Commands
from topkick.checks.worker.detected_gate import detected_in
from topkick.checks.worker.places import CheckPlace, place_at, place_for
from topkick.engine.io import crash_points
from topkick.engine.io.files import append_durably, read_plain, replace_atomically
from topkick.git.clone.places import Layout, SourceRepository, clones, common_place, layout_of
from topkick.git.isolation import Tip
from topkick.git.landing.compose import (
    NotComposed,
    Piece,
    changed_paths,
    merged,
    oldest,
    owned,
    picked,
    touched,
    workshop,
)
from topkick.git.read.changes import shared_by
from topkick.git.read.directory import find_git
from topkick.git.read.repository import UNBORN
from topkick.inspection.test_counts.failures import failing_tests, mark, named_files
from topkick.plan_format.model import ROLE_SPEC, CheckpointPlan
from topkick.runner.process.tree import SignalPipe
from topkick.sprint.gates.model import NOBODY, Covered, GateRun, is_red

# --- the judge of a checkpoint at a gate -------------------------------------------------------
# It runs on the user's session and the merged work.
# Artifacts come from the commit. Files that only the user's directory has are copied, and so is the
# session's memory, which is newer there: its bus, its wisdom and its reports. What the judge adds
# to these is copied back.

MOST_FILES = 5_000
LONGEST_BYTES = 1 << 20
BUS, WISDOM, ARTIFACTS, REPORT = ".msg", "wisdom", "artifacts", "CHECKPOINT-"


def judged(checkpoint: CheckpointPlan, commands: Commands, root: Path) -> CheckResult:
    """Run the judge; `root` is the user's project, of which the commands may use a tree of their
    own.

    Committed code must not be imported as the program (-P) nor change the checks: the role spec is
    the user's.
    """
    here, home = commands.cwd / checkpoint.session, root / checkpoint.session
    home.mkdir(parents=True, exist_ok=True)
    if here.resolve() == home.resolve():
        return _run(checkpoint, commands, root)
    if not here.resolve().is_relative_to(commands.cwd.resolve()):
        raise NotComposed(f"a link in {checkpoint.session} leads out of the project")
    bring(home, here)
    before = wisdom_of(here)
    result = _run(checkpoint, commands, root)
    take_home(here, home, before)
    return result


def _run(checkpoint: CheckpointPlan, commands: Commands, root: Path) -> CheckResult:
    spec = checkpoint.role_spec
    own_spec = spec if spec == ROLE_SPEC else os.fspath(root / spec)
    words = replace(checkpoint, role_spec=own_spec).words
    result = commands.run(shlex.join((sys.executable, "-P", "-m", "topkick", *words)))
    return replace(result, command=checkpoint.command)


def bring(home: Path, here: Path) -> None:
    here.mkdir(parents=True, exist_ok=True)
    for name in _files(home):
        target = here / name
        if _is_memory(name) or not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy2(home / name, target, follow_symlinks=False)


def _is_memory(name: str) -> bool:
    first, _, rest = name.partition("/")
    return first in {BUS, WISDOM} or (first == ARTIFACTS and rest.startswith(REPORT))


def _files(top: Path) -> Iterator[str]:
    """Yield plain files in a fixed order, at most MOST_FILES."""
    left = MOST_FILES
    for directory, below, names in os.walk(top):
        below[:] = sorted(name for name in below if name != ".git")
        for name in sorted(names)[:left]:
            path = Path(directory) / name
            if path.is_file() and not path.is_symlink():
                left -= 1
                yield path.relative_to(top).as_posix()


# --- files that the judge added to -------------------------------------------------------------


def wisdom_of(session: Path) -> Mapping[str, bytes]:
    return {path.name: _read(path) for path in sorted((session / WISDOM).glob("*.md"))}


def take_home(here: Path, home: Path, before: Mapping[str, bytes]) -> None:
    """Copy back what the judge added, wisdom first: a report says that all was done. Nothing is
    added twice.
    """
    for name, now in wisdom_of(here).items():
        added = now.removeprefix(before.get(name, b""))
        if added not in _read(home / WISDOM / name):
            (home / WISDOM).mkdir(exist_ok=True)
            append_durably(home / WISDOM / name, added)
    for path in sorted((here / ARTIFACTS).glob(f"{REPORT}*-report.md")):
        target = home / ARTIFACTS / path.name
        if not os.path.lexists(target):
            target.parent.mkdir(exist_ok=True)
            replace_atomically(target, _read(path), mode=0o644)


def _read(path: Path) -> bytes:
    try:
        return read_plain(path, LONGEST_BYTES)
    except FileNotFoundError:
        return b""


MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class GateRepository:
    """One repository that a gate covers; `put` composes a commit with the work of given units."""

    source: SourceRepository
    base: str
    put: Callable[[pygit2.Repository, frozenset[str]], str]
    paths_of: Callable[[pygit2.Repository, str], Sequence[str]]
    unowned: tuple[str, ...] = ()


class Gating:
    def __init__(self, build: Build, group: str | None, bell: SignalPipe) -> None:
        self._look = build.look
        self._order = build.order
        self._group = group
        self._bell = bell
        assert self._look.ours is not None
        self._ours = self._look.ours

    def run(self) -> GateRun:
        crash_points.here("gate.before-run")
        in_place = self._look.where is Where.PLACE
        found = None if in_place else self._parts()
        if found is None:
            return self._in_place()
        parts, home = found
        with ExitStack() as stack:
            sources = tuple(self._composed(part, stack) for part in parts)
            layout = Layout(sources, home, sources[0])
            run = GateRun(
                self._order.units,
                tips=tuple(Tip(source.path, source.commit) for source in sources),
            )
            commands = self._order.commands or detected_in(layout, self._order.directories)
            run = replace(run, detected=not self._order.commands)
            if not commands and not self._order.held:
                return run
            with place_at(self._look, layout, self._look.where, self._group, self._bell) as place:
                run = self._built(run, place, commands)
                named = self._named(run, os.fspath(place.commands.cwd))
            return self._with_suspects(run, parts, named)

    @property
    def _is_whole(self) -> bool:
        return self._order.units == tuple(c.unit for c in self._order.covers)

    def _in_place(self) -> GateRun:
        """Run in the user's tree: without git, or by setting, units cannot be tested separately."""
        if not self._is_whole:
            raise NotComposed("without commits, the units' work cannot be separated")
        run = GateRun(self._order.units)
        if not self._order.commands and not self._order.held:
            return run
        with place_for(self._look, Where.PLACE, self._group, self._bell) as place:
            return self._built(run, place, self._order.commands)

    def _built(self, run: GateRun, place: CheckPlace, commands: tuple[str, ...]) -> GateRun:
        held = dict.fromkeys(x.command for x in self._order.held)
        crash_points.here("gate.before-build")
        if self._order.checkpoint is not None:
            said = judged(self._order.checkpoint, place.commands, Path(self._ours.root))
            crash_points.here("gate.after-build")
            return replace(run, results=(said,), tree=place.tree)
        runner = replace(place.commands, all_build=True)
        results = runner.run_all(tuple(dict.fromkeys((*commands, *held))))
        crash_points.here("gate.after-build")
        root = os.fspath(place.commands.cwd)
        failing = (m for r in results if is_red(r, frozenset(held)) for m in _marks(r, root))
        return replace(run, results=results, tree=place.tree, failing=tuple(failing))

    # --- repositories ----------------------------------------------------------------------

    def _parts(self) -> tuple[tuple[GateRepository, ...], str] | None:
        if self._ours.isolation is not None:
            return tuple(self._isolated()), self._ours.isolation.home
        root = Path(self._ours.root)
        places = [root, *(root / c.directory for c in self._order.covers)]
        layout = layout_of(root, places, self._look.verify_in)
        if layout is None:
            return None
        return tuple(self._shared(source) for source in layout.sources), layout.home

    def _isolated(self) -> Iterator[GateRepository]:
        isolation = self._ours.isolation
        assert isolation is not None
        root = Path(self._ours.root)
        bases = {tip.path: tip.commit for tip in self._order.bases}
        for repository in isolation.repositories:
            main = common_place(root, isolation) / repository.path
            git = find_git(main)
            assert git is not None, f"{main} is no longer a git repository"
            repo = pygit2.Repository(os.fspath(git.common))
            base = bases.get(repository.path, repository.base)
            tip = repository.tip or base  # from the journal; the ref may have been moved
            source = SourceRepository(
                repository.path,
                main,
                (git.common / "objects",),
                git.common,
                tip,
                isolation.branch,
            )
            pieces = tuple(self._piece(repo, c, main) for c in self._order.covers)
            yield GateRepository(source, base, _merging(base, pieces), _of_piece(base, pieces))

    def _piece(self, repo: pygit2.Repository, covered: Covered, main: Path) -> Piece:
        """Return the unit's checked commit; in other repositories, the commit that was gathered."""
        assert self._ours.isolation is not None
        if covered.head and covered.head in repo:
            return Piece(covered.unit, covered.head)
        mine = clones(Path(self._ours.root), self._ours.isolation, covered.handle)
        ref = next(clone.gathered for clone in mine if clone.main == main)
        known = ref in repo.references
        return Piece(
            covered.unit, str(repo.references[ref].peel(pygit2.Commit).id) if known else ""
        )

    def _shared(self, source: SourceRepository) -> GateRepository:
        repo = pygit2.Repository(os.fspath(source.work))
        top = Path(repo.workdir).resolve()
        root = Path(self._ours.root)
        mine = [c for c in self._order.covers if _is_in(root / c.directory, top)]

        def inside(directory: str) -> str:
            found = os.path.relpath((root / directory).resolve(), top)
            return "" if found == "." else found

        base = oldest(repo, [c.base for c in mine if c.base], source.commit)
        commits = owned(repo, base, source.commit, mine, inside) if source.commit != UNBORN else ()
        nobodys = tuple(c[:12] for c, unit in commits if unit == NOBODY)
        put, paths = _picking(base, commits), _of_commits(commits)
        return GateRepository(source, base, put, paths, nobodys[:MOST_NAMED])

    def _composed(self, part: GateRepository, stack: ExitStack) -> SourceRepository:
        if self._is_whole:
            return part.source
        place = Path(self._look.verify_in)
        repo = stack.enter_context(workshop(place, part.source.objects[0]))
        commit = part.put(repo, frozenset(self._order.units))
        crash_points.here("gate.after-compose")
        ours = Path(repo.path) / "objects"
        return replace(part.source, commit=commit, objects=(*part.source.objects, ours))

    # --- suspects --------------------------------------------------------------------------

    def _named(self, run: GateRun, root: str) -> set[str]:
        """Return the files that the failing output names."""
        if not run.failing or not self._is_whole:
            return set()
        files = (f for r in run.results if not r.passed for f in named_files(r.excerpt, root))
        tests = (m.partition("\t")[2].partition("::")[0] for m in run.failing)
        return {*files, *tests}

    def _with_suspects(
        self, run: GateRun, parts: tuple[GateRepository, ...], named: set[str]
    ) -> GateRun:
        """Add the units that touched one of the named files (GT-03)."""
        units = (c.unit for c in self._order.covers) if named else ()
        suspects = tuple(u for u in units if _touches(u, parts, named))
        unowned = tuple(commit for part in parts for commit in part.unowned) if named else ()
        return replace(run, suspects=suspects, unowned=unowned)


def _touches(unit: str, parts: tuple[GateRepository, ...], named: set[str]) -> bool:
    for part in parts:
        repo = pygit2.Repository(os.fspath(part.source.refs_of))
        for path in part.paths_of(repo, unit):
            if any(path == name or path.endswith(f"/{name}") for name in named):
                return True
    return False


def _is_in(directory: Path, top: Path) -> bool:
    git = find_git(directory.resolve()) if directory.exists() else None
    return git is not None and git.top.resolve() == top


def _merging(
    base: str, pieces: Sequence[Piece]
) -> Callable[[pygit2.Repository, frozenset[str]], str]:
    return lambda repo, units: merged(repo, base, [p for p in pieces if p.unit in units])


def _picking(
    base: str, commits: Sequence[tuple[str, str]]
) -> Callable[[pygit2.Repository, frozenset[str]], str]:
    """Compose by cherry-picking; commits of no unit are included whenever any unit is."""

    def put(repo: pygit2.Repository, units: frozenset[str]) -> str:
        wanted = units | {NOBODY} if units else units
        return picked(repo, base, [(c, u) for c, u in commits if u in wanted])

    return put


def _of_piece(
    base: str, pieces: Sequence[Piece]
) -> Callable[[pygit2.Repository, str], Sequence[str]]:
    def paths(repo: pygit2.Repository, unit: str) -> Sequence[str]:
        piece = next((p for p in pieces if p.unit == unit and p.commit in repo), None)
        if piece is None or base == UNBORN or not piece.commit:
            return ()
        shared = shared_by(repo, base, piece.commit)
        if not shared:
            return ()
        before = repo[shared].peel(pygit2.Tree)
        return changed_paths(before, repo[piece.commit].peel(pygit2.Tree))

    return paths


def _of_commits(
    commits: Sequence[tuple[str, str]],
) -> Callable[[pygit2.Repository, str], Sequence[str]]:
    def paths(repo: pygit2.Repository, unit: str) -> Sequence[str]:
        mine = (repo[c].peel(pygit2.Commit) for c, u in commits if u == unit)
        return [path for commit in mine for path in touched(repo, commit)]

    return paths


def _marks(result: CheckResult, root: str) -> Iterator[str]:
    """Yield marks that are stable from run to run: failed tests, else how the command ended."""
    if result.outcome is CheckOutcome.TIMED_OUT:
        yield f"{result.command}\ttimed out"
        return
    names = failing_tests(result.excerpt, root)
    for name in names or (mark(result.excerpt, root),):
        yield f"{result.command}\t{name}"
