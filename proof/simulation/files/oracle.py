"""Rules for every run whose state is a file, judged from records, processes and the files.

Written from the specification's rules for boards and epics; the program's own parsers are not used.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from proof.simulation.files.hosts import Host
from proof.simulation.oracle_journal import JournalOracle
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, Conclusion
from topkick.engine.agents.runs import JUDGED

NOBODYS = (Conclusion.USAGE_LIMIT, Conclusion.PROVIDER_TROUBLE)


@dataclass(slots=True)
class Order:
    """An order as the journal has it; `subject` is a role and what it is about."""

    id: str
    subject: str
    prompt: str = ""
    exit: AgentExit | None = None
    ended_for_its_own: bool = False
    ended_for_others: bool = False
    is_open: bool = True

    @property
    def role(self) -> str:
        return self.subject.partition(" ")[0]

    @property
    def about(self) -> str:
        return self.subject.partition(" ")[2]


class FileOracle(JournalOracle):
    def __init__(self, now_s: Callable[[], float], hear: Callable[[str], Evidence]) -> None:
        super().__init__(now_s)
        self.orders: dict[str, Order] = {}
        self.started: Counter[str] = Counter()
        self.known: dict[str, str] = {}  # every file as it is
        self.seen: dict[str, str] = {}  # every file as the supervisor last read it
        self.words: list[tuple[str, str]] = []  # what people wrote, and where it has to stay
        self.broken: set[str] = set()  # files that a person half saved, or removed for a while
        self.host: Host
        self.elsewhere: set[str] = set()  # orders that this journal knows nothing of
        self.stance = ""
        self._hear = hear
        self._letters: set[int] = set()

    def moved(self, host: Host) -> None:
        self.host = host
        self.begins()

    def begins(self) -> None:
        """Start with another journal, to which no supervisor has written."""
        self.records, self.epoch = [], 0
        self.elsewhere = set(self.orders)
        self._letters.clear()

    # --- files -----------------------------------------------------------------------------

    def put(self, name: str, text: str) -> None:
        self.known[name] = text

    def read(self, name: str, text: str) -> None:
        self.seen[name] = text

    def written(self, name: str, text: str) -> None:
        """Handle the supervisor's write; nothing if it died before the file changed."""
        before, self.known[name] = self.known.get(name, ""), text
        if before != text:
            self.wrote(name, before, text)

    def wrote(self, name: str, before: str, after: str) -> None:
        self.complain("KB-11", f"the supervisor wrote {name}")

    def whole(self) -> None:
        """Check that people's text is kept by every later write."""
        for name, word in self.words:
            text = self.known.get(name, "")
            absent = name in self.broken or not text
            self.require(absent or text.count(word) == 1, "EP-01", f"{word!r} is gone from {name}")

    def waiting(self) -> None:
        return

    def out(self) -> list[Order]:
        """Return the orders that this journal dispatched and has not closed."""
        return [o for o in self.orders.values() if o.is_open and o.id not in self.elsewhere]

    # --- processes -------------------------------------------------------------------------

    def agent_started(self, run_id: str) -> None:
        self.started[run_id] += 1
        self.require(self.started[run_id] == 1, "D3", f"{run_id} was begun twice")
        order = self.orders.get(run_id)
        self.require(order is not None and order.prompt, "D1", f"{run_id} has no durable intent")
        assert order is not None
        self.require(order.is_open, "D1", f"{run_id} began after it was closed")
        placed = self.host.yard.files[run_id].order if run_id in self.host.yard.files else None
        if placed is not None:
            given = sha256((placed.stdin_text or "").encode()).hexdigest()
            self.require(given == order.prompt, "KB-04", f"{run_id} got other words than written")

    # --- records ---------------------------------------------------------------------------

    def _step(self, fact: h.Fact, events: tuple[h.Event, ...], at_us: int) -> None:
        self._watch_for_livelock()
        self._take_fact(fact, at_us)
        for place, event in enumerate(events):
            self._take_event(event, events[place + 1 :], at_us)
        self.stepped(fact, events)

    def _take_fact(self, fact: h.Fact, at_us: int) -> None:
        match fact:
            case h.CommandGiven(command, letter=letter):
                new = letter not in self._letters
                self.require(not letter or new, "J3", f"letter {letter} was obeyed twice")
                self._letters |= {letter} if letter else set()
                self.told(command)
            case h.AgentExited(run_id, ended):
                order = self.orders[run_id]
                self.require(order.exit is None, "C7", f"the exit of {run_id} counted twice")
                order.exit = ended
            case h.WorkChecked(run_id, evidence):
                said = self._hear(run_id)
                same = (evidence.answer, evidence.report) == (said.answer, said.report)
                self.require(same, "V1", f"{run_id} said something else")
                self.heard(self.orders[run_id], said, at_us)
            case _:
                return

    def _take_event(self, event: h.Event, after: tuple[h.Event, ...], at_us: int) -> None:
        match event:
            case h.StanceTaken(stance):
                self.stance = stance.value
            case h.RunOpened(run_id, _, subject):
                given = next((e for e in after if _gives(e, run_id)), None)
                prompt = given.dispatch.prompt.sha256 if given is not None else ""
                known = run_id in self.orders and bool(prompt)
                self.require(not known, "EP-03", f"{run_id} is dispatched twice")
                order = self.orders.get(run_id) or Order(run_id, subject, prompt)
                order.is_open = True
                self.orders[run_id] = order
                if prompt:
                    self.opened_order(order, at_us)
            case h.RunCancelled(run_id, why):
                self.orders[run_id].ended_for_its_own |= why in JUDGED
                self.orders[run_id].ended_for_others |= why not in JUDGED
            case h.RunClosed(run_id):
                self.orders[run_id].is_open = False
                self.closed(self.orders[run_id])
            case h.MissionEnded(done, why):
                self.stance = "ended"
                self.ended(done, why)
            case _:
                return

    # --- hooks for boards and epics ---------------------------------------------------------

    def told(self, command: h.Command) -> None:
        return

    def heard(self, order: Order, evidence: Evidence, at_us: int) -> None:
        return

    def opened_order(self, order: Order, at_us: int) -> None:
        return

    def closed(self, order: Order) -> None:
        return

    def ended(self, done: bool, why: str) -> None:
        return

    def stepped(self, fact: h.Fact, events: tuple[h.Event, ...]) -> None:
        return


def _gives(event: h.Event, run_id: str) -> bool:
    return isinstance(event, h.RunDispatched) and event.run_id == run_id


def nobodys_fault(order: Order, evidence: Evidence) -> bool:
    lost = order.exit is not None and order.exit.how.value == "lost"
    return lost or (evidence.report is not None and evidence.report.conclusion in NOBODYS)


def went_well(order: Order) -> bool:
    ended = order.exit
    by_itself = ended is not None and ended.how.value == "exited" and ended.code == 0
    return by_itself and not order.ended_for_its_own
