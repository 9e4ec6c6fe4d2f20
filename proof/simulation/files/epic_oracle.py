"""The rules for epics (EP), from the specification: one subagent per tick, and what a write may
change.
"""

import json
from collections.abc import Callable, Mapping

from proof.simulation.files import epic_brake, epic_writes, reading
from proof.simulation.files.oracle import FileOracle, Order, nobodys_fault, went_well
from proof.simulation.files.reading import Body
from topkick.checks.model import Evidence
from topkick.engine import messages as h

WORKER = "worker"
ACTIVE = ("queued", "in_progress")
GAVE_UP = "other programs keep changing"
CLASS_OF: Mapping[str, tuple[str, ...]] = {
    "PASS": ("verify_pass",),
    "FAIL": ("verify_fail",),
    "REVISE": ("verify_revise",),
    "decompose": ("decompose_ok",),
    "file_fix_task": ("react_filed_fix", "verdict_fail"),
    "dispatch": ("dispatch_ok", "verdict_fail", "dispatch_halt", "verify_revise"),
    "": ("verdict_fail",),
}


class EpicOracle(FileOracle):
    """Checks an epic; `pending` is the subagent whose answer was read but is not in the body
    yet.
    """

    def __init__(
        self, now_s: Callable[[], float], hear: Callable[[str], Evidence], epic: str
    ) -> None:
        super().__init__(now_s, hear)
        self._epic = epic
        self.pending: Order | None = None
        self.requeued: set[str] = set()  # rows that a person has put back into the queue
        self._written_here: set[str] = set()  # dispatches that this journal's runs have written
        self.sent: set[str] = set()  # dispatches that were in some body
        self.over: set[str] = set()
        self._answers = self._sendings = 0
        self._edited = False
        self.wall_us: Callable[[], int] = lambda: 0

    def begins(self) -> None:
        super().begins()
        self.pending, self._written_here = None, set()
        self._answers = self._sendings = 0

    @property
    def body(self) -> Body:
        """The body as the supervisor last read it."""
        return reading.body_of(self.seen.get(self._epic, ""))

    def put(self, name: str, text: str) -> None:
        super().put(name, text)
        self._edited |= name == self._epic

    # --- asking and sending ----------------------------------------------------------------

    def opened_order(self, order: Order, at_us: int) -> None:
        if order.role == WORKER:
            self._sends(order)
            return
        others = [o.id for o in self.out() if o.role != WORKER]
        self.require(others == [order.id], "EP-10", f"{order.id} is asked while {others} are")
        self.require(not self._answers, "EP-10", f"{order.subject} is the second of this tick")
        lost = self.pending.subject if self.pending is not None else ""
        self.require(not lost, "EP-03", f"{order.subject} is asked; {lost} answered in vain")
        body = self.body
        self.require(body.status in ACTIVE, "EP-21", f"asked, and the epic is {body.status}")
        stops = epic_brake.fires(body, at_us, self.host)
        self.require(not stops, "EP-20", f"{order.subject} is asked, and {stops}")
        self._edited = False

    def _sends(self, order: Order) -> None:
        self._sendings += 1
        self.require(self._sendings == 1, "EP-10", f"{order.id} is the second worker of a tick")
        stands = order.id in self.sent
        self.require(stands, "EP-03", f"{order.id} is sent out, and no row says so")

    def agent_started(self, run_id: str) -> None:
        super().agent_started(run_id)
        order = self.orders[run_id]
        if order.role != WORKER:
            return
        same = [o.id for o in self.orders.values() if o.subject == order.subject and o is not order]
        alive = [other for other in same if self.host.alive(other)]
        asked = order.about in self.requeued
        self.require(not alive or asked, "EP-03", f"{run_id} begins, and {alive} work on the same")

    # --- answers ---------------------------------------------------------------------------

    def heard(self, order: Order, evidence: Evidence, at_us: int) -> None:
        if order.role == WORKER or nobodys_fault(order, evidence):
            return
        self.require(not order.ended_for_others, "EP-03", f"{order.id} is judged, and was stopped")
        self._answers += 1
        self.pending = order

    def ended(self, done: bool, why: str) -> None:
        self._answers = self._sendings = 0
        if GAVE_UP in why:
            self.pending = None
        unsent = [name for name in self._written_here if name not in self.orders]
        self.require(not unsent, "EP-03", f"{unsent} are in the body, and no agent was dispatched")

    # --- writing ---------------------------------------------------------------------------

    def wrote(self, name: str, before: str, after: str) -> None:
        if name != self._epic:
            epic_writes.child(self, before, after)
            return
        old, new = reading.body_of(before), reading.body_of(after)
        given = {row["Dispatch"] for row in new.items if row["Dispatch"]}
        self._written_here |= given - {row["Dispatch"] for row in old.items}
        self.sent |= given
        clears = old.status == "queued" and old.phase in {"halted", "reviewing"}
        epic_writes.body(self, old, new, clears=clears)
        if clears:
            reset = old.phase != "halted" or new.last == "reset"
            self.require(reset, "EP-21", f"cleared by a person, and the row is {new.last}")
            return
        if self.pending is not None:
            self._taken_in(self.pending, old, new)
            self.pending = None
        elif stops := epic_brake.fires(old, self.wall_us(), self.host):
            fired = (new.last, new.status) == ("brake_fired", "review")
            self.require(fired, "EP-20", f"{stops}, and it continued with {new.last}")

    def _taken_in(self, order: Order, old: Body, new: Body) -> None:
        """Check that one answer leads to one row, of the class that fits it."""
        said = _answer(self._hear(order.id)) if went_well(order) else {}
        word = str(said.get("verdict") or said.get("action") or "")
        allowed = CLASS_OF.get(word, CLASS_OF[""])
        if word == "halt":
            reacts = order.about in old.by_id
            allowed = ("react_halt",) if reacts else ("dispatch_halt",)
        idle = _noted(new) or new.last == "noop"
        late = idle and (self._edited or word == "dispatch")
        right = late or (new.last in allowed and not _same_rows(old, new))
        self.require(right, "EP-11", f"{order.subject} said {word!r}, the row is {new.last}")
        if word == "PASS" and not late:
            row = new.by_id[order.about]
            at = row["Status"] == "ready_for_user_review"
            self.require(at, "EP-12", f"{order.about} passed and is {row['Status']}")
        if new.last == "dispatch_ok" and not late:
            self._dispatched(said, old, new, order)

    def _dispatched(self, said: Mapping[str, object], old: Body, new: Body, order: Order) -> None:
        name = str(said["task_id"])
        was, now = old.by_id[name], new.by_id[name]
        queued = was["Status"] == "queued" or order.about == name
        self.require(queued, "EP-13", f"{name} is sent out and was {was['Status']}")
        before = [old.by_id.get(each, {}).get("Status") for each in reading.names(was["After"])]
        settled = all(s in {"ready_for_user_review", "done", "cancelled"} for s in before)
        self.require(settled, "EP-13", f"{name} is sent out before what it comes after")
        count = int(was["Dispatches"] or 0) + 1
        self.require(int(now["Dispatches"]) <= count, "EP-20", f"{name} counts more than it was")
        self.require(int(now["Dispatches"]) >= 1, "EP-20", f"{name} is sent out and not counted")
        self.require(now["Worker"] == said["worker"], "EP-30", f"{now['Worker']} was put in")
        fresh = now["Dispatch"] not in self.orders
        self.require(fresh, "EP-03", f"{now['Dispatch']} is used again")

    def stepped(self, fact: h.Fact, events: tuple[h.Event, ...]) -> None:
        """Record runs that are known to have ended."""
        if isinstance(fact, h.AgentExited):
            self.over.add(fact.run_id)


def _answer(evidence: Evidence) -> dict[str, object]:
    try:
        found = json.loads((evidence.answer.body or "") if evidence.answer else "")
    except ValueError:
        return {}
    known = isinstance(found, dict) and (found.get("verdict") in CLASS_OF or "action" in found)
    return found if known and found.get("action") != "sing" else {}


def _same_rows(old: Body, new: Body) -> bool:
    return [r["Tick (ISO)"] for r in old.rows] == [r["Tick (ISO)"] for r in new.rows]


def _noted(new: Body) -> bool:
    """Return whether an idle tick is noted on the last row."""
    return bool(new.rows) and "[no-op " in new.rows[-1]["Notes"]
