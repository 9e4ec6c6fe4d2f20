"""Continue a run started by an LLM-driven supervisor: compare its state file with reality (ST-04).

Nothing is changed here; the checks of the run that follows decide what is accepted.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from topkick.app.project import Project
from topkick.engine.codec.chain import find_anchor
from topkick.engine.errors import UsageError
from topkick.engine.io.files import read_plain
from topkick.git.read.directory import existing, find_git
from topkick.git.read.history import History, history_of
from topkick.plan_format.document import MAX_BYTES
from topkick.plan_format.model import Plan, UnitPlan
from topkick.plan_format.progress_file import claims
from topkick.planning.import_state import claims as import_state_claims
from topkick.planning.import_state import names
from topkick.planning.import_state.claims import FoundEvidence, NamedSprint, TakenUnit
from topkick.planning.import_state.match import Belief, Matched, Pair, Stranger, match
from topkick.planning.import_state.model import Handover
from topkick.planning.import_state.reader import read
from topkick.sprint.model import Claimed

PROGRESS = "PROGRESS.md"
COMMITS_KEPT = 20


@dataclass(frozen=True, slots=True)
class Takeover:
    """The takeover; `shown` is the file's path from the project's root."""

    shown: str
    handover: Handover
    units: tuple[TakenUnit, ...]
    strangers: tuple[Stranger, ...]

    @property
    def claims(self) -> tuple[Claimed, ...]:
        return import_state_claims.claims(self.units, self.shown)


def left_behind(project: Project) -> Path | None:
    """Return the state file of another supervisor, if topkick has no run here."""
    if project.journal_path.exists():
        return None
    with suppress(OSError):
        text = read_plain(project.board_path, MAX_BYTES).decode("utf-8", "replace")
        return project.board_path if text.strip() and find_anchor(text) is None else None
    return None


def look_over(project: Project, plan: Plan, path: Path) -> Takeover:
    handover = read(_text(path))
    if not handover.units and not handover.loose:
        raise UsageError(
            f"{path} names no work unit and no sprint that topkick understands.\n"
            "Start anew: topkick start"
        )
    matched = match(handover, plan)
    found = _found(project, plan, matched)
    shown = os.path.relpath(path, project.root)
    return Takeover(
        shown, handover, import_state_claims.take(plan, matched, found), matched.strangers
    )


def _text(path: Path) -> str:
    try:
        text = read_plain(path, MAX_BYTES + 1).decode("utf-8", "replace")
    except FileNotFoundError:
        raise UsageError(
            f"There is no {path}.\nName the state file: topkick import FILE\n"
            "Without a state file there is nothing to import: topkick start"
        ) from None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}. Nothing was imported.\n"
            "Make the file readable, then: topkick import FILE"
        ) from error
    if find_anchor(text) is not None:
        raise UsageError(
            f"{path} was written by topkick itself: there is nothing to import.\n"
            "Continue its run: topkick resume"
        )
    return text


# --- evidence ------------------------------------------------------------------------------


def _found(project: Project, plan: Plan, matched: Matched) -> Mapping[Pair, FoundEvidence]:
    homes = _repositories(project, plan)
    shared = _shared(plan)
    found: dict[Pair, FoundEvidence] = {}
    for top, units in homes.items():
        places = {
            unit.name: None if unit.directory in shared else _inside(project, unit, top)
            for unit in units
        }
        asked = [c for u in units for s in u.sprints for c in matched.beliefs[u.name, s.id].commits]
        log = _log(top, places.values(), asked) if top.exists() else None
        for unit in units:
            progress = {names.key(i): said for i, said in claims(_progress(project, unit)).items()}
            for named in _names(unit, plan):
                belief = matched.beliefs[unit.name, named.id]
                said = _said(progress, unit, named, shared)
                found[unit.name, named.id] = _of_sprint(said, belief, named, places[unit.name], log)
    return found


def _repositories(project: Project, plan: Plan) -> dict[Path, list[UnitPlan]]:
    """Return the units by the repository of their directory."""
    homes: dict[Path, list[UnitPlan]] = {}
    for unit in plan.units:
        git = find_git(existing(project.root / unit.directory))
        homes.setdefault(git.top if git is not None else project.root, []).append(unit)
    return homes


def _inside(project: Project, unit: UnitPlan, top: Path) -> str:
    place = os.path.relpath((project.root / unit.directory).resolve(), top.resolve())
    return "" if place == "." or place.startswith("..") else Path(place).as_posix()


def _shared(plan: Plan) -> frozenset[str]:
    """Return directories that more than one unit works in."""
    directories = [os.path.normpath(unit.directory) for unit in plan.units]
    return frozenset(
        unit.directory
        for unit in plan.units
        if directories.count(os.path.normpath(unit.directory)) > 1
    )


def _names(unit: UnitPlan, plan: Plan) -> Iterator[NamedSprint]:
    ids = [names.key(sprint.id) for other in plan.units for sprint in other.sprints]
    for sprint in unit.sprints:
        yield NamedSprint(unit.name, sprint.id, sprint.name, ids.count(names.key(sprint.id)) == 1)


def _progress(project: Project, unit: UnitPlan) -> str:
    with suppress(OSError):
        path = project.root / unit.directory / PROGRESS
        return read_plain(path, MAX_BYTES).decode("utf-8", "replace")
    return ""


def _said(
    progress: Mapping[str, str], unit: UnitPlan, named: NamedSprint, shared: frozenset[str]
) -> str:
    """Return the progress; in a shared file a number alone does not identify a sprint."""
    if unit.directory in shared and not named.alone:
        return ""
    return progress.get(names.key(named.id), "")


@dataclass(frozen=True, slots=True)
class _Log:
    """A history with the sprints that each message names."""

    history: History
    spoken_of: tuple[frozenset[str], ...]

    def naming(self, named: NamedSprint, own: str | None) -> Iterator[str]:
        """Yield commits that name the sprint; `own` is the unit's path, empty for the rest, None
        for unknown.
        """
        for past, spoken_of in zip(self.history.commits, self.spoken_of, strict=True):
            here: bool | None = None
            if past.touched or own == "":
                here = own in past.touched if own else own == "" and not past.touched
            if import_state_claims.named_by(past.message, spoken_of, named, in_its_place=here):
                yield past.id


def _log(top: Path, places: Iterable[str | None], asked: Sequence[str]) -> _Log | None:
    history = history_of(top, sorted({place for place in places if place}), asked)
    if history is None:
        return None
    return _Log(
        history, tuple(import_state_claims.spoken_of(past.message) for past in history.commits)
    )


def _of_sprint(
    said: str, belief: Belief, named: NamedSprint, own: str | None, log: _Log | None
) -> FoundEvidence:
    if log is None:
        return FoundEvidence(said)
    standing = [(commit, log.history.standing(commit)) for commit in belief.commits]
    there, elsewhere, gone = (
        tuple(commit for commit, where in standing if where == how)
        for how in ("there", "elsewhere", "gone")
    )
    return FoundEvidence(
        said, tuple(islice(log.naming(named, own), COMMITS_KEPT)), there, elsewhere, gone
    )
