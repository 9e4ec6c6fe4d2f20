"""One run of a gate: the work of all units, or of some, built and tested in a tree of its own."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pygit2

from topkick.core.evidence import CheckOutcome, CheckResult, Where
from topkick.core.gates import NOBODY, Covered, GateRun, is_red
from topkick.core.isolation import Tip
from topkick.inspection.counting.failing import failing_tests, mark, named_files
from topkick.outside.checking.checkpoint import judged
from topkick.outside.checking.manifests import detected_in
from topkick.outside.checking.places import Layout, Place, layout_of, place_at, place_for
from topkick.outside.ground import crash_points
from topkick.outside.ground.git_changes import shared_by
from topkick.outside.ground.git_directory import find_git
from topkick.outside.ground.git_reading import UNBORN
from topkick.outside.ground.looks import Build
from topkick.outside.ground.tree import Bell
from topkick.outside.trees.composing import (
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
from topkick.outside.trees.places import clones, common_place
from topkick.outside.trees.verifying import Source

MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Part:
    """One repository that a gate covers; `put` composes a commit with the work of given units."""

    source: Source
    base: str
    put: Callable[[pygit2.Repository, frozenset[str]], str]
    paths_of: Callable[[pygit2.Repository, str], Sequence[str]]
    unowned: tuple[str, ...] = ()


class Gating:
    def __init__(self, build: Build, group: str | None, bell: Bell) -> None:
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
            raise NotComposed("without commits nobody's work can be had without that of the others")
        run = GateRun(self._order.units)
        if not self._order.commands and not self._order.held:
            return run
        with place_for(self._look, Where.PLACE, self._group, self._bell) as place:
            return self._built(run, place, self._order.commands)

    def _built(self, run: GateRun, place: Place, commands: tuple[str, ...]) -> GateRun:
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

    def _parts(self) -> tuple[tuple[Part, ...], str] | None:
        if self._ours.isolation is not None:
            return tuple(self._isolated()), self._ours.isolation.home
        root = Path(self._ours.root)
        places = [root, *(root / c.directory for c in self._order.covers)]
        layout = layout_of(root, places, self._look.verify_in)
        if layout is None:
            return None
        return tuple(self._shared(source) for source in layout.sources), layout.home

    def _isolated(self) -> Iterator[Part]:
        isolation = self._ours.isolation
        assert isolation is not None
        root = Path(self._ours.root)
        bases = {tip.path: tip.commit for tip in self._order.bases}
        for repository in isolation.repositories:
            main = common_place(root, isolation) / repository.path
            git = find_git(main)
            assert git is not None, f"{main} is no git repository any more"
            repo = pygit2.Repository(os.fspath(git.common))
            base = bases.get(repository.path, repository.base)
            tip = repository.tip or base  # from the journal; the ref may have been moved
            source = Source(
                repository.path,
                main,
                (git.common / "objects",),
                git.common,
                tip,
                isolation.branch,
            )
            pieces = tuple(self._piece(repo, c, main) for c in self._order.covers)
            yield Part(source, base, _merging(base, pieces), _of_piece(base, pieces))

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

    def _shared(self, source: Source) -> Part:
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
        return Part(source, base, put, paths, nobodys[:MOST_NAMED])

    def _composed(self, part: Part, stack: ExitStack) -> Source:
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

    def _with_suspects(self, run: GateRun, parts: tuple[Part, ...], named: set[str]) -> GateRun:
        """Add the units that touched one of the named files (GT-03)."""
        units = (c.unit for c in self._order.covers) if named else ()
        suspects = tuple(u for u in units if _touches(u, parts, named))
        unowned = tuple(commit for part in parts for commit in part.unowned) if named else ()
        return replace(run, suspects=suspects, unowned=unowned)


def _touches(unit: str, parts: tuple[Part, ...], named: set[str]) -> bool:
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
