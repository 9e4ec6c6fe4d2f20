"""Choose where the commands of a check run: in a tree at a commit, or where the work was done."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pygit2

from topkick.checks.build_slots import Slots
from topkick.checks.model import Where
from topkick.checks.request import LookRequest
from topkick.checks.tool_marks import editable_paths
from topkick.checks.worker.commands import Commands
from topkick.checks.worker.preparation import prepare
from topkick.engine.settings import TreeSetup
from topkick.git.clone.local_files import bring
from topkick.git.clone.places import Layout, SourceRepository, layout_of, unit_place
from topkick.git.clone.unit_tree import Trees
from topkick.git.clone.verification_tree import prepared, restored, stood_up
from topkick.git.isolation import Tip
from topkick.git.landing.fetch_commits import opened_clone
from topkick.git.read.directory import existing, find_git
from topkick.git.read.repository import branch_of, head_of
from topkick.runner.process.tree import SignalPipe

BYTECODE = "PYTHONPYCACHEPREFIX"


@dataclass(frozen=True, slots=True)
class CheckPlace:
    """A place for checks. In a tree for checks, `commit` and `tree` are what is checked out, `top`
    is the checkout and `heads` are the commits of all its repositories.
    """

    commands: Commands
    where: Where
    commit: str = ""
    tree: str = ""
    top: Path | None = None
    heads: tuple[Tip, ...] = ()

    def restore(self, files: tuple[tuple[str, bytes], ...]) -> None:
        assert self.top is not None
        restored(self.top, files)
        _forget_bytecode(self.commands)


@contextmanager
def place_for(
    look: LookRequest, where: Where, group: str | None, bell: SignalPipe
) -> Iterator[CheckPlace]:
    """Use a tree for checks if that is requested and there is git, else the working tree."""
    layout = layout_for(look) if where is not Where.PLACE and look.verify_in else None
    if layout is None:
        yield CheckPlace(commands_for(look, Path(look.project), group, bell), Where.PLACE)
        return
    with place_at(look, layout, where, group, bell) as place:
        yield place


@contextmanager
def place_at(
    look: LookRequest, layout: Layout, where: Where, group: str | None, bell: SignalPipe
) -> Iterator[CheckPlace]:
    """Set up a tree for checks with these repositories."""
    cold = where is Where.COLD
    with stood_up(Path(look.verify_in), layout.sources, cold=cold) as below:
        root = below / layout.home
        root.mkdir(parents=True, exist_ok=True)
        commands = commands_for(look, root, group, bell, rebased=True)
        env = {**commands.env, **_bytecode(below)}
        commands = replace(commands, env=env, paths=tuple(_paths(root, below)))
        _forget_bytecode(commands)
        _make_ready(look, root, below, commands)
        own = layout.own
        top = below / own.path
        inside = _submodule(look, own) if look.directory else "."
        commit = own.commit if inside == "." else ""
        heads = tuple(Tip(source.path, source.commit) for source in layout.sources)
        yield CheckPlace(commands, where, commit, _tree_of(top), top / inside, heads)


def _paths(root: Path, below: Path) -> Iterator[tuple[str, str]]:
    """Yield replacements for paths of the tree for checks, which only exists for checks."""
    for place, shown in ((root, "."), (below, os.path.relpath(below, root))):
        for path in dict.fromkeys((os.fspath(place), os.fspath(place.resolve()))):
            inside = "" if shown == "." else f"{shown}/"
            yield from ((f"file://{path}/", inside), (f"{path}/", inside), (path, shown))


def _submodule(look: LookRequest, own: SourceRepository) -> str:
    """Return the submodule that the unit is in; it is checked out with its outer repository."""
    git = find_git(existing(Path(look.directory).resolve()))
    assert git is not None
    return os.path.relpath(git.top.resolve(), own.work.resolve())


def _bytecode(below: Path) -> dict[str, str]:
    """Redirect Python's bytecode: Python trusts compiled files and compares sources only by the
    second.

    Neither committed bytecode nor that of an earlier check may be used.
    """
    return {BYTECODE: os.fspath(below.with_name(f"{below.name}.bytecode"))}


def _forget_bytecode(commands: Commands) -> None:
    """Delete the bytecode of the tree; that of tools stays as long as the tree is reused."""
    of_tree = Path(commands.env[BYTECODE]) / os.fspath(commands.cwd.resolve()).lstrip("/")
    shutil.rmtree(of_tree, ignore_errors=True)


def _make_ready(look: LookRequest, root: Path, below: Path, commands: Commands) -> None:
    """Copy the user's own files as for a unit's tree, then prepare by lock files or settings."""
    assert look.ours is not None
    brought = TreeSetup(copy=look.setup.copy, link=look.setup.link)
    bring(Path(look.ours.root), root, below, brought, ())
    wanted = look.prepare if look.prepare is not None else look.setup.setup or None
    prepare(root, wanted, commands.env.get("PATH", ""), prepared(below), commands.run)


def _tree_of(top: Path) -> str:
    repo = pygit2.Repository(os.fspath(top))
    return "" if repo.head_is_unborn else str(repo.head.peel(pygit2.Tree).id)


# --- repositories --------------------------------------------------------------------------


def layout_for(look: LookRequest) -> Layout | None:
    assert look.ours is not None
    if look.ours.isolation is not None:
        return _of_clones(look)
    root = Path(look.ours.root)
    layout = layout_of(root, (root, Path(look.directory)), look.verify_in)
    if layout is None:
        return None
    own = replace(layout.own, commit=look.commit or layout.own.commit)
    return replace(layout, sources=(*layout.sources[:-1], own), own=own)


def _of_clones(look: LookRequest) -> Layout:
    assert look.ours is not None
    assert look.ours.isolation is not None
    place = unit_place(look.ours.isolation, look.ours.unit)
    trees = Trees(look.ours)
    sources, own, its_own = [], None, trees.own(look.inside)
    for clone in trees.clones():
        git = find_git(clone.main)
        assert git is not None, f"{clone.main} is no longer a git repository"
        repo = opened_clone(clone)
        source = SourceRepository(
            clone.at.relative_to(place).as_posix(),
            clone.at,
            (git.common / "objects", clone.at / ".git" / "objects"),
            git.common,
            head_of(repo),
            branch_of(repo),
        )
        if clone == its_own:
            own = source = replace(source, commit=look.commit or source.commit)
        sources.append(source)
    return Layout(tuple(sources), look.ours.isolation.home, own or sources[0])


# --- the environment -----------------------------------------------------------------------


def commands_for(
    look: LookRequest,
    root: Path,
    group: str | None,
    bell: SignalPipe,
    *,
    rebased: bool = False,
    reports_in: str = "",
) -> Commands:
    roots = _writable(look)
    env, hidden = _environment(look.env, roots, root if rebased else None)
    report = Path(reports_in or tempfile.gettempdir()) / f"topkick-{secrets.token_hex(16)}.xml"
    return Commands(
        id=look.id,
        cwd=root,
        env=env,
        timeout_s=look.timeout_s,
        secrets=look.secrets,
        group=group,
        bell=bell,
        report=report,
        hidden_path=hidden,
        slots=_slots(look),
        promised=frozenset(look.promised),
    )


def _slots(look: LookRequest) -> Slots | None:
    if not look.builds or not look.slots_in:
        return None
    label = Path(look.ours.root if look.ours is not None else look.project).name
    return Slots(
        Path(look.slots_in), look.builds, look.build_max_pressure, look.build_min_free_mb, label
    )


def _writable(look: LookRequest) -> tuple[Path, ...]:
    """Return directories that agents write to, from which no check may take its programs."""
    roots = [Path(look.project), Path(look.ours.root) if look.ours is not None else None]
    return tuple(dict.fromkeys(r.resolve() for r in roots if r is not None))


def _environment(
    env: Mapping[str, str], roots: tuple[Path, ...], tree: Path | None
) -> tuple[dict[str, str], str]:
    """Return an environment without PATH entries that agents can write to; they are mapped to the
    tree.

    Editable installations that point to where agents work are mapped too.
    """
    kept, hidden = [], []
    for entry in env.get("PATH", os.defpath).split(os.pathsep):
        inside = _inside(entry, roots)
        if inside is None:
            kept += [entry] if Path(entry).is_absolute() else []
            continue
        hidden.append(entry)
        if tree is not None and not _is_committed(tree, inside):
            kept.append(os.fspath(tree / inside))
    found = {**env, "PATH": os.pathsep.join(kept)}
    if tree is not None:
        linked = [_inside(path, roots) for path in editable_paths(found["PATH"])]
        here = [os.fspath(tree / path) for path in linked if path is not None]
        given = [env["PYTHONPATH"]] if env.get("PYTHONPATH") else []
        found |= {"PYTHONPATH": os.pathsep.join([*here, *given])} if here else {}
    return found, os.pathsep.join(hidden)


def _inside(entry: str, roots: tuple[Path, ...]) -> Path | None:
    place = Path(entry)
    if not place.is_absolute():
        return None
    for root in roots:
        for seen in (place, place.resolve()):
            if seen.is_relative_to(root):
                return seen.relative_to(root)
    return None


def _is_committed(tree: Path, inside: Path) -> bool:
    """Return whether the programs come with the commit, so that an agent may have written them."""
    found = pygit2.discover_repository(os.fspath(tree))
    if found is None:
        return True
    repo = pygit2.Repository(found)
    below = os.path.relpath(tree.resolve() / inside, Path(repo.workdir).resolve())
    prefix = f"{Path(below).as_posix()}/"
    return any(e.path.startswith(prefix) for e in repo.index) or below == "."
