"""A moment of the past as `status` would have shown it, and decisions that were made once more."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from topkick.boards import file_status, moments, safe, status, status_json
from topkick.boards.counted import counted
from topkick.boards.status import Situation
from topkick.core.rules import RULES
from topkick.core.standing import SPRINT
from topkick.faces.stuck_pages import stuck_pages_of
from topkick.wiring.replaying import Difference, Past, Redecided

SHOWN = 20
WIDTH = 400
SOMEBODY = 0
"""A supervisor wrote the record, so one was there; as which process is not recorded."""


# --- a moment ------------------------------------------------------------------------------


def moment(past: Past, width: int, utc_offset_s: int) -> list[str]:
    at = f"As of record {past.at.seq} of {past.records}, {moments.iso(past.now_us)}"
    if past.mission.plan is None:
        return [f"{at}: the run had not begun."]
    there = Situation(past.now_us, SOMEBODY, utc_offset_s=utc_offset_s)
    if past.mission.policy != SPRINT:
        return [at, "", *file_status.lines(past.mission, there)]
    page = status.render_text(past.mission, there, width).rstrip("\n")
    stuck = stuck_pages_of(past.mission, [item.happening for item in past.happened])
    return [at, "", page, *stuck]


def moment_json(past: Past) -> str:
    there = Situation(past.now_us, SOMEBODY)
    page = json.loads(status_json.as_json(past.mission, there))
    page["supervisor"]["pid"] = None
    at = {"record": past.at.seq, "of": past.records, "at": moments.iso(past.now_us)}
    return json.dumps({"as_of": at, **page}, indent=2)


# --- decided once more ---------------------------------------------------------------------


def told(found: Redecided) -> Iterator[str]:
    for one in found.differences[:SHOWN]:
        yield from _difference(one)
    if len(found.differences) > SHOWN:
        yield f"… and {len(found.differences) - SHOWN} more (--json has them all)"
    for part in found.left_out:
        yield (
            f"Records {part.first} to {part.last} were left out: they were decided by rules "
            f"{part.rules}, and these are rules {RULES}."
        )
    yield f"{counted(found.records, 'record')}, {counted(found.steps, 'step')}: {_verdict(found)}"


def _verdict(found: Redecided) -> str:
    if found.differences:
        return f"{counted(len(found.differences), 'decision')} would be another one now."
    if not found.steps:
        return "none of them by these rules, so nothing was compared."
    return "every decision is what the rules give."


def _difference(one: Difference) -> Iterator[str]:
    yield f"Record {one.seq} (step {one.step}):"
    yield f"  recorded: {safe.line(one.recorded, WIDTH)}"
    yield f"  now:      {safe.line(one.decided, WIDTH)}"


def as_json(found: Redecided) -> str:
    return json.dumps({"rules": RULES, "same": not found.differences, **asdict(found)}, indent=2)
