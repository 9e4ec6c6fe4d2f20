"""Assess whether a sprint fits an agent and can be checked: atomicity, testability, size
(EV-01).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan, SprintType, shortened
from topkick.plan_format.order.references import names_sprint
from topkick.plan_format.units.sprints import SprintReading
from topkick.planning.refinement.artifacts import NamedTask, clusters, tasks_of, uncovered
from topkick.sprint.dispatch.names import names_in
from topkick.sprint.dispatch.traits import Size, is_vague, size_of, stated_turns

OVERSIZED_FROM = 0.80  # share of the turns that an agent has
UNDERSIZED_BELOW = 0.15


class FitnessCheck(StrEnum):
    """A property that is assessed; the first four are atomicity, then testability, then size."""

    CONCERN = "single concern"
    ARTIFACT = "clear artifact"
    SCOPE = "bounded scope"
    INPUTS = "explicit inputs and outputs"
    VERIFIABLE = "machine-verifiable"
    MEASURABLE = "no vague language"
    COVERAGE = "coverage of the tasks"
    SIZE = "fits the context"


ATOMICITY = (FitnessCheck.CONCERN, FitnessCheck.ARTIFACT, FitnessCheck.SCOPE, FitnessCheck.INPUTS)
TESTABILITY = (FitnessCheck.VERIFIABLE, FitnessCheck.MEASURABLE, FitnessCheck.COVERAGE)


class Fitness(StrEnum):
    OVERSIZED = "Oversized"
    RIGHT = "Right-sized"
    UNDERSIZED = "Undersized"


@dataclass(frozen=True, slots=True)
class FitnessIssue:
    """A problem; `line` is where to look, `advice` how to fix it."""

    check: FitnessCheck
    line: int
    problem: str
    advice: str


@dataclass(frozen=True, slots=True)
class Assessment:
    """An assessment; `turns` is the sprint's own estimate, else that of its `size`."""

    unit: str
    id: str
    name: str
    line: int
    size: Size
    turns: int
    fitness: Fitness
    issues: tuple[FitnessIssue, ...]

    def passes(self, check: FitnessCheck) -> bool:
        return all(issue.check is not check for issue in self.issues)


def assessed(reading: PlanReading, max_turns: int) -> tuple[Assessment, ...]:
    return tuple(
        assess(reading, unit.name, sprint, max_turns)
        for unit in reading.plan.units
        for sprint in unit.sprints
    )


def assess(reading: PlanReading, unit: str, sprint: SprintPlan, max_turns: int) -> Assessment:
    size = size_of(reading.plan, sprint)
    turns = stated_turns(sprint) or size.turns
    by_people = sprint.effective_type is SprintType.MANUAL  # people's turns are not counted
    fitness = Fitness.RIGHT if by_people else fitness_of(turns, max_turns)
    said = reading.sprints[unit, sprint.id]
    issues = (
        *_atomicity(sprint, said, fitness, turns),
        *_testability(sprint),
        *_size(fitness, turns),
    )
    placed = tuple(replace(issue, line=issue.line or sprint.line) for issue in issues)
    return Assessment(unit, sprint.id, sprint.name, sprint.line, size, turns, fitness, placed)


def fitness_of(turns: int, max_turns: int) -> Fitness:
    if turns > max_turns * OVERSIZED_FROM:
        return Fitness.OVERSIZED
    return Fitness.UNDERSIZED if turns < max_turns * UNDERSIZED_BELOW else Fitness.RIGHT


# --- atomicity -------------------------------------------------------------------------------

_EARLIER = re.compile(
    r"\b(?:previous|prior|earlier|preceding|existing) (?:work|steps?|stages?|changes|tasks?)\b",
    re.IGNORECASE,
)
_NOTHING_NAMED = re.compile(
    r"\b(?:make (?:it|things|everything) work|update (?:things|stuff|everything)"
    r"|misc(?:ellaneous)?|various (?:fixes|improvements|updates)|clean(?:ing)? ?up|and so on"
    r"|etc)\b",
    re.IGNORECASE,
)


def _atomicity(
    sprint: SprintPlan, said: SprintReading, fitness: Fitness, turns: int
) -> Iterator[FitnessIssue]:
    tasks = tasks_of(sprint)
    concerns = clusters(tasks)
    if len(concerns) > 1:
        named = " and ".join(sorted(concern.name for concern in concerns)[:4])
        told = f"Its tasks are about {named}, which have nothing in common."
        yield FitnessIssue(FitnessCheck.CONCERN, 0, told, "Split it by concern.")
    if problem := _no_artifact(sprint, tasks):
        yield FitnessIssue(
            FitnessCheck.ARTIFACT, 0, problem, "Name the files or functions that it makes."
        )
    if fitness is Fitness.OVERSIZED:
        told = f"It takes about {turns} turns."
        yield FitnessIssue(FitnessCheck.SCOPE, 0, told, "Split it.")
    yield from _inputs(sprint, said)


def _no_artifact(sprint: SprintPlan, tasks: tuple[NamedTask, ...]) -> str:
    if sprint.effective_type is SprintType.MANUAL or sprint.checks:
        return ""
    if any(task.names.all for task in tasks) or names_in(sprint.text).all:
        return ""
    vague = next((t.text for t in tasks if _NOTHING_NAMED.search(t.text)), "")
    return (
        f'"{shortened(vague, 60)}" names no file or function.'
        if vague
        else "It names no file and no function."
    )


def _inputs(sprint: SprintPlan, said: SprintReading) -> Iterator[FitnessIssue]:
    for remark in said.depends:
        vague = _EARLIER.search(remark.text)
        if vague and not names_sprint(remark.text) and not names_in(remark.text).all:
            told = f'"{vague[0]}" does not say which sprint or file.'
            yield FitnessIssue(
                FitnessCheck.INPUTS, remark.line, told, "Name the sprint or the file."
            )
            return
    if not sprint.exit and sprint.effective_type is not SprintType.MANUAL:
        yield FitnessIssue(
            FitnessCheck.INPUTS, 0, "It has no exit criteria.", "Say what must hold at its end."
        )


# --- testability -----------------------------------------------------------------------------


def _testability(sprint: SprintPlan) -> Iterator[FitnessIssue]:
    if sprint.effective_type is SprintType.MANUAL:
        return
    if not sprint.checks:
        told = "A machine can check none of its exit criteria."
        yield FitnessIssue(
            FitnessCheck.VERIFIABLE, 0, told, "Add a command, or a file that must exist."
        )
    for criterion in sprint.exit:
        if criterion.command is None and is_vague(criterion.text):
            told = f'"{shortened(criterion.text)}" measures nothing.'
            advice = "Say which command shows it."
            yield FitnessIssue(FitnessCheck.MEASURABLE, criterion.line, told, advice)
    missed = uncovered(sprint)
    if missed and sprint.exit:
        task = shortened(missed[0].text).rstrip(".:")
        more = f" (and {len(missed) - 1} more)" if len(missed) > 1 else ""
        told = f"No exit criterion mentions: {task}{more}."
        yield FitnessIssue(FitnessCheck.COVERAGE, 0, told, "Add a criterion for each.")


def _size(fitness: Fitness, turns: int) -> Iterator[FitnessIssue]:
    if fitness is Fitness.OVERSIZED:
        yield FitnessIssue(
            FitnessCheck.SIZE, 0, f"It takes about {turns} turns.", "Split it in two."
        )
    if fitness is Fitness.UNDERSIZED:
        told = f"It takes about {turns} turns."
        yield FitnessIssue(FitnessCheck.SIZE, 0, told, "Merge it with the next one.")


# --- the command for one test file -------------------------------------------------------------
# It is derived from the project's test command.

_NAME = re.compile(r"^[\w.-]+$")


def alone(path: str, command: str) -> str:
    """Return the command, or an empty text if it is unknown."""
    folder, _, file = path.rpartition("/")
    stem, _, ending = file.rpartition(".")
    tool = command.split(" ", 1)[0]
    match ending:
        case "py" if "pytest" in command:
            return f"{'python3 -m ' if ' -m pytest' in command else ''}pytest {path}"
        case "py" if "unittest" in command:
            return f"python3 -m unittest {path}"
        case "go" if tool == "go":
            return f"go test ./{folder}" if folder else "go test ."
        case "swift" if tool == "swift" and _NAME.match(stem):
            return f"swift test --filter {stem}"
        case "rs" if tool == "cargo" and folder == "tests":
            return f"cargo test --test {stem}"
        case "ts" | "tsx" | "js" | "jsx" | "mjs" if tool in ("npm", "pnpm", "yarn", "bun"):
            return {"npm": f"npm test -- {path}", "bun": f"bun test {path}"}.get(
                tool, f"{tool} run test {path}"
            )
        case _:
            return ""
