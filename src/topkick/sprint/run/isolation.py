"""Decide whether units get trees of their own, and what that requires (GT-06)."""

import itertools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from topkick.app.project import Project, user_state
from topkick.engine.errors import UsageError
from topkick.engine.settings import Settings
from topkick.git.isolation import BRANCHES, Isolation
from topkick.git.read.directory import above_submodules, existing, find_git
from topkick.plan_format.front_matter import without_prefix
from topkick.plan_format.model import Plan
from topkick.sprint.model import Mission
from topkick.sprint.unit_index import index_of
from topkick.text.format import counted

AUTO, SHARED = "auto", "shared"
PROGRESS = "PROGRESS.md"
FILES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Wish:
    """The user's options."""

    isolation: str = AUTO
    include_dirty: bool = False
    place: str = ""


def isolate(
    project: Project, plan: Plan, settings: Settings, wish: Wish, signed: tuple[str, str]
) -> Isolation | None:
    """Return the isolation; None if all agents work in the checkout. Changes nothing but a saved
    state.
    """
    if wish.isolation == SHARED or (wish.isolation == AUTO and not _side_by_side(plan, settings)):
        return None
    tops = _repositories(project, plan)
    if tops is None:
        if wish.isolation == AUTO:
            return None
        raise UsageError(
            'isolation = "clone" needs git: the project and the directories of all units have to '
            "be in git repositories.\nRun `git init` there, or: topkick start --isolation shared"
        )
    from topkick.git.clone.places import laid_out

    name = _free_name(plan, tops)
    bases = {top: _base(project, top, name, wish, signed) for top in tops}
    place = trees_of(project, wish.place) / name
    return laid_out(project.root, bases, f"{BRANCHES}{name}", place)


def trees_of(project: Project, place: str = "") -> Path:
    """Return the directory of trees, outside the project, where no tool that searches upward finds
    it.
    """
    above = project.root / Path(place).expanduser() if place else user_state() / "trees"
    return Path(os.path.normpath(above.absolute())) / _name_of(project)


def _name_of(project: Project) -> str:
    name = re.sub(r"[^A-Za-z0-9_]+", "-", project.root.name).strip("-") or "root"
    which = sha256(os.fsencode(project.root)).hexdigest()[:8]
    return f"{name}-{which}"


def verify_place(project: Project) -> Path:
    """Return the directory of trees for checks: a cache outside the project."""
    return Path(os.path.normpath((user_state() / "checks").absolute())) / _name_of(project)


def building_place() -> Path:
    """Return the directory of build slots for all projects (GT-02)."""
    return user_state().absolute() / "building"


def own_files(project: Project, mission: Mission) -> tuple[str, ...]:
    """Return the files that are read as the user left them, committed or not: the plan and the
    progress files.
    """
    return (project.plan_path.name, *_progress_files(tuple(index_of(mission).directories)))


@lru_cache(maxsize=1)
def _progress_files(directories: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths of progress files; cached, since every check asks for the same ones."""
    return tuple(os.path.normpath(f"{directory}/{PROGRESS}") for directory in directories)


# --- whether two units could run at once ---------------------------------------------------


def outgrows_one_tree(mission: Mission, plan: Plan, settings: Settings) -> bool:
    """Return whether a resumed run could run units in parallel in its single checkout.

    A run that could do so from its beginning works there by choice, or without git.
    """
    if mission.isolation is not None or mission.plan is None or mission.settings is None:
        return False
    before = _side_by_side(mission.plan, mission.settings)
    return _side_by_side(plan, settings) and not before


def _side_by_side(plan: Plan, settings: Settings) -> bool:
    """Return whether two units could ever run at the same time.

    All units of the plan count: --only is temporary, and a later `resume` may name other units.
    """
    left = {u.name: set(u.waits_for) for u in plan.units}
    while left and settings.max_agents > 1:
        ready = [name for name, waits_for in left.items() if not waits_for & left.keys()]
        if len(ready) != 1:
            return len(ready) > 1
        del left[ready[0]]
    return False


# --- the repositories ----------------------------------------------------------------------


def _repositories(project: Project, plan: Plan) -> list[Path] | None:
    """Return the units' checkouts, the project's own first; None if one is not in git."""
    found: dict[Path, None] = {}
    for directory in (".", *(u.directory for u in plan.units)):
        git = above_submodules(find_git(existing((project.root / directory).resolve())))
        if git is None:
            return None
        found[git.top.resolve()] = None
    return list(found)


def _base(project: Project, top: Path, name: str, wish: Wish, signed: tuple[str, str]) -> str:
    """Return where units begin: the commit, or with `--include-dirty` the present files."""
    from topkick.git.program import Signed
    from topkick.git.read.repository import read_tree
    from topkick.git.salvage import snapshot

    tree = read_tree(top, None)
    assert tree is not None
    dirty = [f for f in tree.uncommitted if not _is_own(project, top / f)]
    if not dirty:
        return tree.head
    if not wish.include_dirty:
        raise _dirty(top, dirty)
    return snapshot(top, f"{name}-start", Signed(*signed), "Uncommitted work at the start")


def _is_own(project: Project, path: Path) -> bool:
    return path.name == PROGRESS or path in (
        project.plan_path,
        project.plan_path.resolve(),  # it may be a link
        project.board_path,
        project.config_path,
    )


def _dirty(top: Path, files: Iterable[str]) -> UsageError:
    names = list(files)
    shown = "\n".join(f"  {name}" for name in names[:FILES_SHOWN])
    more = f"\n  … and {len(names) - FILES_SHOWN} more" if len(names) > FILES_SHOWN else ""
    return UsageError(
        f"{counted(len(names), 'file')} in {top} would not be seen by agents, who work in clones "
        f"of what is committed:\n{shown}{more}\n"
        "Three ways: commit them; topkick start --include-dirty (clones begin with them, your "
        "tree stays as it is);\ntopkick start --isolation shared (all agents work in this tree)."
    )


def _free_name(plan: Plan, tops: Iterable[Path]) -> str:
    """Return a name from the plan's; a number distinguishes later runs."""
    import pygit2

    name = without_prefix(plan.feature_name) or plan.title
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    wanted = words[:40].strip("-") or "run"
    refs = {top: frozenset(pygit2.Repository(os.fspath(top)).references) for top in tops}
    for top, found in refs.items():
        if "refs/heads/topkick" in found:
            raise UsageError(
                f"A branch called topkick is in the way of {BRANCHES}{wanted} in {top}.\n"
                "Rename it (git branch -m topkick another), or: topkick start --isolation shared"
            )
    taken = frozenset[str]().union(*refs.values())
    names = itertools.chain([wanted], (f"{wanted}-{number}" for number in itertools.count(2)))
    return next(name for name in names if not _is_taken(name, taken))


def _is_taken(name: str, refs: frozenset[str]) -> bool:
    units = f"refs/topkick/units/{name}/"
    return f"refs/heads/{BRANCHES}{name}" in refs or any(ref.startswith(units) for ref in refs)
