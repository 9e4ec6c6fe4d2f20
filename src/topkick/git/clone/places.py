"""Paths and names: the user's repositories, the clones of a unit, branches, and layouts."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from topkick.git.isolation import BRANCHES, Isolation, Repository, Tip
from topkick.git.read.directory import above_submodules, existing, find_git

READY = ".topkick-ready"
DRAFT = ".topkick-new-"


@dataclass(frozen=True, slots=True)
class Clone:
    """One of the user's repositories, and a unit's own clone of it.

    From the journal, `tip` is where the mission's branch was left and `heads` are the unit's own
    commits, oldest first; either may be empty. `path` is the repository's name in the mission's
    isolation.
    """

    main: Path
    at: Path
    base: str
    unit: str
    mission: str
    path: str = ""
    tip: str = ""
    heads: tuple[str, ...] = ()

    @property
    def branch(self) -> str:
        """The unit's own branch, in the clone."""
        return f"{self.mission}-{self.unit}"

    @property
    def gathered(self) -> str:
        """The ref that keeps the unit's commits in the user's repository."""
        return f"refs/topkick/units/{self.mission.removeprefix(BRANCHES)}/{self.unit}"

    @property
    def mission_ref(self) -> str:
        return f"refs/heads/{self.mission}"


def common_place(root: Path, isolation: Isolation) -> Path:
    """Return the directory above the user's repositories; the project's root is `home` below it."""
    steps = len(Path(isolation.home).parts)
    return root.resolve().parents[steps - 1]


def unit_place(isolation: Isolation, unit: str) -> Path:
    return Path(isolation.place) / unit.lower()


def unit_root(isolation: Isolation, unit: str) -> Path:
    """Return the project's root for this unit."""
    return unit_place(isolation, unit) / isolation.home


def clones(
    root: Path, isolation: Isolation, unit: str, heads: Iterable[Tip] = ()
) -> Iterator[Clone]:
    """Yield the unit's clones; a repository inside another comes after it."""
    known = tuple(heads)
    common, place = common_place(root, isolation), unit_place(isolation, unit)
    for repository in sorted(isolation.repositories, key=lambda r: len(Path(r.path).parts)):
        yield Clone(
            main=common / repository.path,
            at=place / repository.path,
            base=repository.base,
            unit=unit.lower(),
            mission=isolation.branch,
            path=repository.path,
            tip=repository.tip,
            heads=tuple(h.commit for h in known if h.path in ("", repository.path)),
        )


def own_of(found: Iterable[Clone], lies_in: Path, top: Callable[[Clone], Path]) -> Clone | None:
    """Return the innermost repository that contains a directory."""
    around = [c for c in found if lies_in.resolve().is_relative_to(top(c).resolve())]
    return max(around, key=lambda c: len(top(c).resolve().parts), default=None)


def laid_out(root: Path, tops: Mapping[Path, str], branch: str, trees: Path) -> Isolation:
    """Return the isolation; `tops` maps each repository's checkout to its starting commit."""
    common = Path(os.path.commonpath([*(top.parent for top in tops), root]))
    return Isolation(
        branch=branch,
        place=str(trees),
        home=root.relative_to(common).as_posix(),
        repositories=tuple(
            Repository(top.relative_to(common).as_posix(), base) for top, base in tops.items()
        ),
    )


# --- layouts of verification trees -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceRepository:
    """A repository to check out at `path`: `work` is the tree that was worked in, `objects` hold
    its commits, `refs_of` is the git directory whose refs are copied.
    """

    path: str
    work: Path
    objects: tuple[Path, ...]
    refs_of: Path
    commit: str
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The repositories that a look covers; `home` is the project's root among them."""

    sources: tuple[SourceRepository, ...]
    home: str
    own: SourceRepository


def layout_of(root: Path, tops: Sequence[Path], verify_in: str) -> Layout | None:
    """Return the checkouts that contain these directories; None without git."""
    found: dict[Path, str] = {}
    for directory in tops:
        git = above_submodules(find_git(existing(directory.resolve())))
        if git is None:
            return None
        found[git.top.resolve()] = ""
    laid = laid_out(root.resolve(), found, "", Path(verify_in))
    paths = zip(found, (r.path for r in laid.repositories), strict=True)
    sources = tuple(_source(top, path) for top, path in paths)
    return Layout(sources, laid.home, sources[-1])


def _source(top: Path, path: str) -> SourceRepository:
    import pygit2

    from topkick.git.read.repository import branch_of, head_of

    git = find_git(top)
    assert git is not None
    repo = pygit2.Repository(os.fspath(top))
    return SourceRepository(
        path, top, (git.common / "objects",), git.common, head_of(repo), branch_of(repo)
    )
