"""Find the JSON in an agent's answer: its whole output, or the last fenced block in it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from json import JSONDecoder

from topkick.engine import messages as h
from topkick.engine.agents.json_schema import Schema, problems
from topkick.engine.agents.program import Ending
from topkick.engine.agents.runs import Run
from topkick.sprint.model import Mission

LONGEST_CHARS = 1 << 18
FENCE = "```"


def json_in(text: str) -> object | None:
    """Return the parsed JSON; None if there is none. An answer is never guessed."""
    text = text[-LONGEST_CHARS:].strip()
    found = _parsed(text)
    if found is not None:
        return found
    blocks = (_parsed(block) for block in _last_blocks(text))
    return next((found for found in blocks if found is not None), None)


def _last_blocks(text: str) -> Iterator[str]:
    """Yield the text between the last two fences, or after the last one if it was never closed.

    Fences are counted from the end: the beginning of a long output may be missing.
    """
    lines = text.split("\n")
    fences = [n for n, line in enumerate(lines) if line.lstrip().startswith(FENCE)]
    for first, after in (*zip(fences[-2:], fences[-1:], strict=False), *_open(fences, lines)):
        yield "\n".join(lines[first + 1 : after])


def _open(fences: list[int], lines: list[str]) -> Iterator[tuple[int, int]]:
    if fences:
        yield fences[-1], len(lines)


class _NotOurs(ValueError):
    """NaN and the infinities are not JSON."""


def _refuse(constant: str) -> None:
    raise _NotOurs(constant)


_DECODER = JSONDecoder(parse_constant=_refuse)


def _parsed(text: str) -> object | None:
    try:
        found: object = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return found


# --- log of retries ----------------------------------------------------------------------------
# The last hundred answers that were requested again.

RETRIES_ALLOWED = 3
RETRY_EVENTS = "retry events"
RETRY_EVENTS_KEPT = 100


@dataclass(frozen=True, slots=True)
class RetryEvent:
    """One line of the supervisor's log."""

    at_us: int
    agent: str
    task: str
    attempt: int
    expected: str
    received: str
    issue: str
    input_sha256: str


def retry_events(mission: Mission) -> tuple[RetryEvent, ...]:
    """Return the last events, in order."""
    total = int(mission.notebook.get(RETRY_EVENTS, "0"))
    first = max(0, total - RETRY_EVENTS_KEPT)
    keys = [f"retry {number % RETRY_EVENTS_KEPT}" for number in range(first, total)]
    return tuple(RetryEvent(**json.loads(mission.notebook[key])) for key in keys)


def log_retry(mission: Mission, event: RetryEvent) -> tuple[h.NoteTaken, ...]:
    total = int(mission.notebook.get(RETRY_EVENTS, "0"))
    written = json.dumps(asdict(event), sort_keys=True)
    return (
        h.NoteTaken(f"retry {total % RETRY_EVENTS_KEPT}", written),
        h.NoteTaken(RETRY_EVENTS, str(total + 1)),
    )


# --- answers of a strict form ------------------------------------------------------------------
# The order's text, the validation of an answer, and retries. Only the form is checked, never the
# content; after an invalid answer the same order is sent again, byte for byte.

RECEIVED_CHARS = 2_000
USED = " used"
Events = Sequence[h.Event]


def order_text(told: str, inputs: Mapping[str, object], schema: Schema) -> str:
    """Return the order's text: the same bytes for the same inputs.

    The example is not in a fence: an agent that only repeats the order has not answered it.
    """
    return "\n\n".join(
        (
            told.strip(),
            f"INPUT\n\n```json\n{json.dumps(inputs, indent=2, sort_keys=True)}\n```",
            f"ANSWER\n\nEnd with one JSON object, alone in a fenced block, such as\n\n"
            f"    {schema.example}",
            f"of this schema:\n\n```json\n{json.dumps(schema.body, indent=2)}\n```\n",
        )
    )


def issue_with(run: Run, answer: object, schema: Schema) -> str:
    """Return what is wrong with an answer; a crash counts as invalid, whatever was printed
    before.
    """
    if run.cancel is not None:
        return f"its agent was ended: {run.cancel.why}"
    if run.exit is not None and (run.exit.how is not Ending.EXITED or run.exit.code):
        code = f" with {run.exit.code}" if run.exit.code is not None else ""
        return f"its agent {run.exit.how}{code}"
    if answer is None:
        return "the answer holds no JSON"
    return "; ".join(problems(answer, schema.body))


@dataclass(frozen=True, slots=True)
class StrictQuestion:
    """An order: role, task, the schema's name, and the notebook key that counts its tries."""

    role: str
    task: str
    schema: str
    counter: str
    input_sha256: str

    @property
    def subject(self) -> str:
        return f"{self.role} {self.task}"


def tries(mission: Mission, counter: str) -> int:
    return int(mission.notebook.get(counter) or "0")


# --- limits over all tries of one order --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UsedByTries:
    """The usage of all tries of one order together."""

    turns: int = 0
    seconds: int = 0


def used(mission: Mission, counter: str) -> UsedByTries:
    """Return what the earlier tries used; nothing for a new order."""
    said = mission.notebook.get(counter + USED, "") if tries(mission, counter) else ""
    turns, _, seconds = said.partition(" ")
    return UsedByTries(int(turns or "0"), int(seconds or "0"))


def _with(mission: Mission, counter: str, run: Run) -> UsedByTries:
    before = used(mission, counter)
    began_us = run.dispatch.at_us if run.dispatch is not None else mission.at_us
    seconds = max(0, mission.at_us - began_us) // 1_000_000
    return UsedByTries(before.turns + run.usage.turns, before.seconds + seconds)


def limit_met(mission: Mission, counter: str, run: Run) -> str:
    """Return which limit of one order its tries have used up together; empty if none."""
    assert mission.settings is not None
    total = _with(mission, counter, run)
    if total.turns >= mission.settings.max_turns:
        most = mission.settings.max_turns
        return f"the turns of one order are used up ({total.turns} of {most}, [limits] max_turns)"
    ended = run.exit is not None and run.exit.how is Ending.DEADLINE
    if ended or total.seconds >= mission.settings.sprint_timeout_s:
        return "the time limit of one order is used up ([limits] sprint_minutes)"
    return ""


def turns_left(mission: Mission, counter: str) -> int:
    """Return how many turns the next try may take; 0 where the settings' own limit holds."""
    return _left(mission, used(mission, counter))


def turns_after(mission: Mission, counter: str, run: Run) -> int:
    """Return how many turns the try after this run may take."""
    return _left(mission, _with(mission, counter, run))


def _left(mission: Mission, total: UsedByTries) -> int:
    assert mission.settings is not None
    return max(1, mission.settings.max_turns - total.turns) if total.turns else 0


# --- retries ---------------------------------------------------------------------------------


def one_more_try(
    mission: Mission, asked: StrictQuestion, said: str, issue: str, run: Run | None = None
) -> Events | None:
    """Return the events of a retry, recorded before the order is sent again; None if no try is
    left.
    """
    number = tries(mission, asked.counter) + 1
    if number > RETRIES_ALLOWED or (run is not None and limit_met(mission, asked.counter, run)):
        return None
    total = used(mission, asked.counter) if run is None else _with(mission, asked.counter, run)
    event = RetryEvent(
        at_us=mission.at_us,
        agent=asked.role,
        task=asked.task,
        attempt=number,
        expected=asked.schema,
        received=excerpt(said),
        issue=issue,
        input_sha256=asked.input_sha256,
    )
    told = f"{issue}; rescheduled with the exact same parameters"
    return (
        h.NoteTaken(asked.counter, str(number)),
        h.NoteTaken(asked.counter + USED, f"{total.turns} {total.seconds}"),
        *log_retry(mission, event),
        h.Decided("", asked.subject, f"Retry {number}/{RETRIES_ALLOWED}", told),
    )


def no_answer(
    mission: Mission, asked: StrictQuestion, said: str, issue: str, run: Run | None = None
) -> str:
    number = tries(mission, asked.counter) + 1
    limit = limit_met(mission, asked.counter, run) if run is not None else ""
    issue = f"{issue}; {limit}" if limit else issue
    return (
        f"{asked.role} gave no valid answer for {asked.task} in {number} tries. {issue}. "
        f"Its last answer: {excerpt(said) or '(nothing)'}"
    )


def excerpt(said: str) -> str:
    text = said.strip()
    return text if len(text) <= RECEIVED_CHARS else "…" + text[-RECEIVED_CHARS:]
