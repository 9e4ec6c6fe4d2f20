"""A second statement of when an epic must halt before any subagent is asked (EP-20)."""

from collections import Counter
from datetime import datetime

from proof.simulation.files.hosts import Host
from proof.simulation.files.reading import Body, Row

WINDOW, SAME, HALTS, DISPATCHES, STALLED = 8, 3, 2, 4, 2
STALLED_US = 4 * 3600 * 1_000_000
AT_WORK = ("claimed", "running", "orphaned")


def fires(body: Body, now_us: int, host: Host) -> str:
    classes = [row["Class"] for row in body.rows]
    if "reset" in classes:
        classes = classes[len(classes) - classes[::-1].index("reset") :]
    failures = Counter(c for c in classes[-WINDOW:] if c.endswith(("_fail", "_halt")))
    if any(count >= SAME for count in failures.values()):
        return f"{failures.most_common(1)[0][0]} three times"
    if classes.count("react_halt") >= HALTS:
        return "two reacts halted"
    waiting = [row for row in body.items if row["Status"] == "queued" or row["Outcome"]]
    if any(int(row["Dispatches"] or 0) >= DISPATCHES for row in waiting):
        return "four dispatches without progress"
    stuck = [row["ID"] for row in body.items if _stalled(row, now_us, host)]
    return f"{stuck} are stalled" if len(stuck) >= STALLED else ""


def _stalled(row: Row, now_us: int, host: Host) -> bool:
    """Return whether there was no activity for four hours; a run that has ended here counts as
    active.
    """
    if row["Status"] != "in_progress" or row["Outcome"] or not row["Last activity"]:
        return False
    state, printed_us = host.state_of(row["Dispatch"])
    if state in {"exited", "lost"}:
        return False
    moment = datetime.fromisoformat(row["Last activity"])
    heard_us = round(moment.timestamp() * 1_000_000)
    if state in AT_WORK:
        heard_us = max(heard_us, printed_us)
    return now_us - heard_us > STALLED_US
