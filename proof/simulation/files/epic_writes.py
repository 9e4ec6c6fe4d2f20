"""Check what one write of the supervisor may change in an epic's body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.simulation.files import reading
from proof.simulation.files.reading import Body, Row

if TYPE_CHECKING:
    from proof.simulation.files.epic_oracle import EpicOracle

MOST_ROWS = 16
AT_END = ("ready_for_user_review", "done", "cancelled", "blocked", "review")
OF_PEOPLE = ("paused", "done", "cancelled", "inbox")
STATUSES = (*AT_END, "inbox", "ready", "queued", "in_progress", "paused")
CLASSES = (
    *("dispatch_ok", "dispatch_halt", "verify_pass", "verify_fail", "verify_revise"),
    *("decompose_ok", "react_filed_fix", "react_halt", "verdict_fail", "brake_fired"),
    *("reset", "noop"),
)
FIXED = ("Status", "Dispatch", "Outcome")


def body(oracle: EpicOracle, old: Body, new: Body, *, clears: bool) -> None:
    require = oracle.require
    require(new.persons == old.persons, "EP-01", "what people wrote is not as it was")
    require(new.status in STATUSES, "EP-02", f"the status is {new.status}")
    moved = new.status != old.status
    require(not moved or old.status in {"queued", "in_progress"}, "EP-02", f"it left {old.status}")
    require(not moved or new.status not in OF_PEOPLE, "EP-02", f"it went to {new.status}")
    require(not moved or new.status != "queued", "EP-02", "only a person sets it to queued")
    _memory(oracle, old, new)
    _rows(oracle, old, new, clears=clears)
    if new.status == "ready_for_user_review":
        left = [row["ID"] for row in new.items if row["Status"] not in AT_END]
        require(not left, "EP-14", f"handed over, and {left} are not")


def _memory(oracle: EpicOracle, old: Body, new: Body) -> None:
    require = oracle.require
    require(len(new.rows) <= MOST_ROWS, "EP-22", f"{len(new.rows)} rows")
    unknown = [row["Class"] for row in new.rows if row["Class"] not in CLASSES]
    require(not unknown, "EP-22", f"rows of {unknown}")
    was, now = _told(old), _told(new)
    kept = now == was or now[:-1] == was[-(MOST_ROWS - 1) :]
    require(kept, "EP-22", f"the memory was {was[-2:]} and is {now[-3:]}")


def _told(found: Body) -> list[tuple[str, str]]:
    return [(row["Tick (ISO)"], row["Class"]) for row in found.rows]


def _rows(oracle: EpicOracle, old: Body, new: Body, *, clears: bool) -> None:
    require = oracle.require
    ids = [row["ID"] for row in new.items]
    require(len(ids) == len(set(ids)), "EP-01", f"two rows of one item: {ids}")
    require(set(old.by_id) <= set(ids), "EP-01", f"of {list(old.by_id)} only {ids} are left")
    given = [row["Dispatch"] for row in new.items if row["Dispatch"]]
    require(len(given) == len(set(given)), "EP-03", f"two rows of one dispatch: {given}")
    for name, was in old.by_id.items():
        _row(oracle, was, new.by_id[name], approved=clears and old.phase == "reviewing")


def _row(oracle: EpicOracle, was: Row, now: Row, *, approved: bool) -> None:
    require, name = oracle.require, was["ID"]
    before, after = was["Status"], now["Status"]
    if before in OF_PEOPLE:
        require(after == before, "EP-02", f"{name} was {before} and is {after}")
    if before == "ready" and after == "queued":
        require(approved, "EP-02", f"{name} was queued, and nobody has approved it")
    require(after == before or after not in OF_PEOPLE, "EP-02", f"{name} went to {after}")
    if before != "in_progress" or was["Outcome"]:
        return
    changed = [key for key in FIXED if was[key] != now[key]]
    state, _ = oracle.host.state_of(was["Dispatch"])
    ended = state in {"exited", "lost"} and was["Dispatch"] in oracle.started
    at_end = ended or was["Dispatch"] in oracle.over
    require(not changed or at_end, "EP-03", f"{name} is at work ({state}), and {changed} changed")


def child(oracle: EpicOracle, before: str, after: str) -> None:
    """Check a task's own file: only its status and the pull request text may change."""
    oracle.require(reading.front(after).get("status") in STATUSES, "EP-02", "a task has no status")
    if not before:
        return
    kept = [(n, b.strip()) for n, b in reading.sections(after) if n != "Pull Request"]
    was = [(n, b.strip()) for n, b in reading.sections(before) if n != "Pull Request"]
    same = _plain(kept) == _plain(was)
    oracle.require(same, "EP-01", "what people wrote in a task is not as it was")


def _plain(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, reading.with_value(text, "status", "")) for name, text in found]
