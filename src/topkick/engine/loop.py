"""The loop: take facts, let the kernel decide, write the journal, and only then act.

A supervisor first replays the journal, which gives the mission, and begins an epoch, so that no
earlier supervisor can write any more. Each turn of `Supervisor.run` then has these duties:

1. Listen. If the stop mark of a `killall` is set, journal the kill and remove the mark. Take the
   commands given in this process, the commands in the journal's queue, and a timer that is due.
2. Leave, if the caller asked for it. This comes early, since a busy run has facts in every turn.
3. Align the world with the mission. `orders` says what should be under way now. The executor of
   each order is asked to ensure it, in every turn, and cancels what no order wants any more.
4. Poll the executors for facts, and take each fact.
5. Show the mission in the files for people. If there were no facts, end if the run is over;
   otherwise wait for an executor, a command or the next timer.

To take a fact is one step: the kernel decides in memory, the cheap invariants are checked, fact and
events are written in one transaction, and the listeners are called. If the journal cannot be
written, the loop complains, waits and writes the same step again; it does nothing else meanwhile.

What happens if the supervisor is killed here? There is no recovery code: the next supervisor
replays the journal and does the same duties.

- Before the step is committed: the step does not exist. An agent's exit record stays on disk, a
  queued command stays unanswered, a timer stays due, and an order without a result stays wanted, so
  the fact comes again. Only a command given in this process (Ctrl-C) is lost with the process.
- After the commit, before the order that follows from it: the order is wanted after replay, too.
- While an executor begins an order: the order has an id. The executor finds by the id what was
  begun, and adopts it or begins again; an agent is started at most once under its id.
- Between the journaled kill and the removal of the stop mark: the kill is journaled once more.
- After the commit, before the listeners are called: they are not called again for this step. A line
  on the terminal or a call of `on_event` can be missing; the journal and the files have it.
- While a file for people is written: the old file stays whole, and the next turn writes it again.
- While it waits: nothing is under way here. Agents go on under their keepers.

The protocols below say what the loop needs from outside.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from topkick.engine import messages as h
from topkick.engine.agents.runs import Stage
from topkick.engine.codec.chain import ChainEntry, Head, Record
from topkick.engine.codec.codec import Codec, CodecError, texts_of
from topkick.engine.codec.gc_pause import without_collecting
from topkick.engine.errors import InvariantBroken, JournalUnavailable, UsageError
from topkick.engine.fold import apply
from topkick.engine.journal import ACCEPTED, CommandOutcome, QueueAnswer
from topkick.engine.kernel import Policy, Step, step
from topkick.engine.messages import CODEC, COMMANDS
from topkick.engine.rules import RULES
from topkick.engine.wake_notices import SupervisorWake
from topkick.sprint import invariants
from topkick.sprint.model import Mission
from topkick.sprint.orders import orders
from topkick.sprint.status import is_at_rest
from topkick.sprint.timers import due_at_us, wake_at_us

JOURNAL_RETRY_S = 2.0
BOARD = "the board"


class CommandPort(Protocol):
    """A command in the journal's queue, posted by another process."""

    @property
    def id(self) -> int: ...
    @property
    def sender(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def body(self) -> str: ...


class Brake(Protocol):
    """The stop mark, which `killall` sets when it cannot write to the journal."""

    def is_set(self) -> bool: ...
    def release(self) -> None: ...


class JournalPort(Protocol):
    @property
    def head(self) -> Head: ...
    def records(self, after_seq: int = 0) -> Iterable[Record]: ...
    def begin_epoch(self, holder: str) -> int: ...
    def unanswered(self) -> Sequence[CommandPort]: ...
    def append(
        self,
        at_us: int,
        entries: Sequence[ChainEntry],
        texts: Mapping[str, str],
        answers: Mapping[int, QueueAnswer],
    ) -> Head: ...


class Bench(Protocol):
    """The executor of one kind of order. `ensure` may be called again and again.

    `ensure` returns what holds the order up, if anything does; the executor keeps trying.
    """

    def takes(self, order: h.Order) -> bool: ...
    def ensure(self, order: h.Order) -> str | None: ...
    def cancel(self, order_id: str) -> None: ...
    def live(self) -> frozenset[str]: ...
    def poll(self) -> Sequence[h.Fact]: ...
    def wake_in_s(self) -> float | None: ...


class ClockPort(Protocol):
    """Time, and waiting until something may have happened.

    The wall clock may be set back; the monotonic clock only grows.
    """

    def now_us(self) -> int: ...
    def monotonic_us(self) -> int: ...
    def wait(self, timeout_s: float | None) -> None: ...
    def rest(self, duration_s: float) -> None: ...


class ViewFiles(Protocol):
    """The files that people read; `show` is called often and writes when it sees fit.

    `trouble` is the error of the last write, if it failed; `show` tries again.
    """

    @property
    def trouble(self) -> str: ...
    def show(self, mission: Mission, head: Head) -> None: ...
    def flush(self, mission: Mission, head: Head) -> None: ...
    def wake_in_s(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class News:
    """One step, for the listeners, after it was written to the journal."""

    at_us: int
    fact: h.Fact
    events: tuple[h.Event, ...]
    mission: Mission


class FromAnotherVersion(UsageError):
    """A record is intact, but this version cannot read it: nothing is written or dispatched."""


def replay(records: Iterable[Record]) -> Mission:
    mission = Mission()
    with without_collecting():
        for record in records:
            happening = read_value(CODEC, record.kind, record.body, f"Record {record.seq}")
            mission = apply(mission, happening, record.at_us)  # type: ignore[arg-type]
    return mission


def read_value(codec: Codec, kind: str, body: str, what: str) -> object:
    try:
        return codec.decode(kind, body)
    except CodecError as error:
        raise FromAnotherVersion(
            f"{what} was written by another version of topkick ({error}).\n"
            "Nothing is dispatched, and agents at work continue. "
            "Upgrade topkick, or finish the run with the version that began it."
        ) from error


class Supervisor:
    def __init__(
        self,
        policy: Policy,
        journal: JournalPort,
        benches: Sequence[Bench],
        world: ClockPort,
        board: ViewFiles,
        tell: Callable[[News], None],
        complain: Callable[[str], None],
        brake: Brake | None = None,
    ) -> None:
        self._brake = brake
        self._policy = policy
        self._journal = journal
        self._benches = benches
        self._world = world
        self._board = board
        self._tell = tell
        self._complain = complain
        self._said: list[h.Command] = []
        self._leaving = False
        self._leaving_after_agents = False
        self._unread = False
        self._held_up: dict[str, str] = {}
        self.mission = replay(journal.records())
        self._latest_us = self.mission.at_us + 1  # no moment is shared with the one before us
        self._seen_at_us = world.monotonic_us()
        self._turn_us = self.mission.at_us

    def say(self, command: h.Command) -> None:
        """Take a command from inside this process (Ctrl-C in the foreground)."""
        self._said.append(command)

    def leave(self, *, after_agents: bool = False) -> None:
        """End after this turn; agents stay alive and are found again by the next supervisor.

        With `after_agents`, end once no agent is at work and no background process is being ended:
        the caller has said stop. Checks that are under way then are repeated by the next
        supervisor.
        """
        if after_agents:
            self._leaving_after_agents = True
        else:
            self._leaving = True

    def run(self, *, driven: bool, holder: str, wake: SupervisorWake = SupervisorWake()) -> Mission:  # noqa: B008
        epoch = self._journal.begin_epoch(holder)
        self._take(
            h.SupervisorWoke(
                epoch, driven, RULES, wake.program, wake.died, wake.died_at_us, wake.deaths
            )
        )
        while True:
            self._turn_us = self._now_us()
            self._listen()
            if self._is_to_leave():  # first of all: a busy run has facts in every turn
                return self._rested()
            self._align()
            facts = [fact for bench in self._benches for fact in bench.poll()]
            for fact in facts:
                self._take(fact)
            self._board.show(self.mission, self._journal.head)
            self._tell_once(BOARD, self._board.trouble)
            if facts or self._said:
                continue
            if self._is_over():
                return self._rested()
            self._wait()

    def _rested(self) -> Mission:
        self._board.flush(self.mission, self._journal.head)
        self._tell_once(BOARD, self._board.trouble)
        return self.mission

    # --- one turn --------------------------------------------------------------------------

    def _listen(self) -> None:
        """Take commands and due timers. The stop mark is read before and after them: `killall` may
        have set it while a write waited for space on the disk."""
        self._obey_brake()
        self._hear()
        self._obey_brake()

    def _obey_brake(self) -> None:
        """Journal the kill that `killall` could not journal; until then the loop does no more."""
        if self._brake is not None and self._brake.is_set():
            self._take(h.CommandGiven(h.KillAll("user invoked killall"), by="killall"))
            self._brake.release()

    def _hear(self) -> None:
        while self._said:
            self._take(h.CommandGiven(self._said.pop(0), by="this terminal"))
        for letter in self._letters():
            what = f"Command {letter.id} of the queue"
            command = read_value(COMMANDS, letter.kind, letter.body, what)
            given = h.CommandGiven(command, letter.sender, letter.id)  # type: ignore[arg-type]
            self._take(given)
        due_us = due_at_us(self.mission)
        if due_us is not None and self.mission.at_us < due_us <= self._turn_us:
            self._take(h.TimePassed())

    def _letters(self) -> Sequence[CommandPort]:
        """Return the queued commands. If the queue cannot be read, complain and read it again soon;
        agents keep working meanwhile."""
        try:
            letters = self._journal.unanswered()
        except JournalUnavailable as trouble:
            if self._leaving or not self.mission.driven:
                raise
            self._complain(str(trouble))
            self._unread = True
            return ()
        self._unread = False
        return letters

    def _align(self) -> None:
        """Make the world match the orders: ensure each wanted order, cancel all others."""
        wanted = orders(self.mission, self._turn_us)
        for bench in self._benches:
            mine = [order for order in wanted if bench.takes(order)]
            for order in mine:
                self._tell_once(order.id, bench.ensure(order) or "")
            for order_id in bench.live() - {order.id for order in mine}:
                bench.cancel(order_id)

    def _tell_once(self, held_up: str, trouble: str) -> None:
        """Report what holds up an order or the view files, when it begins and when it changes."""
        if trouble and trouble != self._held_up.get(held_up):
            self._complain(trouble)
        if trouble:
            self._held_up[held_up] = trouble
        else:
            self._held_up.pop(held_up, None)

    def _wait(self) -> None:
        """Sleep until something may have happened; not at all if a timer has become due during this
        turn."""
        due_us = wake_at_us(self.mission, self._turn_us)
        wakes = [bench.wake_in_s() for bench in self._benches] + [self._board.wake_in_s()]
        timeouts = [wake for wake in wakes if wake is not None]
        if self._unread:
            timeouts.append(JOURNAL_RETRY_S)
        if due_us is not None:
            timeouts.append(max(0.0, (due_us - self._now_us()) / 1e6))
        self._world.wait(min(timeouts, default=None))

    def _is_to_leave(self) -> bool:
        if self._leaving or not self._leaving_after_agents:
            return self._leaving
        if any(run.stage is Stage.WORKING for run in self.mission.runs.values()):
            return False
        return all(b.end_within_s is None for b in self.mission.backgrounds.values())

    def _is_over(self) -> bool:
        if self._leaving:
            return True
        if self._unread:
            return False
        wanted = {order.id for order in orders(self.mission, self._turn_us)}
        if any(bench.live() - wanted for bench in self._benches):
            return False
        return is_at_rest(self.mission) if self.mission.driven else not wanted

    def _now_us(self) -> int:
        """Return the wall clock's time; if it was set back, continue from the latest time seen.

        Otherwise every rest, poll and patience would last until the clock has caught up. The
        monotonic clock says how much time has passed since the last call.
        """
        monotonic_us = self._world.monotonic_us()
        passed_us = monotonic_us - self._seen_at_us
        self._seen_at_us = monotonic_us
        self._latest_us = max(self._latest_us + passed_us, self._world.now_us())
        return self._latest_us

    # --- one step --------------------------------------------------------------------------

    def _take(self, fact: h.Fact) -> None:
        at_us = self._now_us()
        taken = step(self._policy, self.mission, fact, at_us)
        if taken.stale:
            return
        self._guard(taken)
        self._write(taken, at_us)
        self.mission = taken.mission
        self._tell(News(at_us, fact, taken.events, taken.mission))

    def _guard(self, taken: Step) -> None:
        """Check the cheap invariants before anything is written."""
        units = taken.mission.units
        names = units if taken.touched is None else taken.touched
        touched = (units[name] for name in names if name in units)
        broken = [w for unit in touched for w in invariants.of_unit(taken.mission, unit)]
        if broken:
            raise InvariantBroken(broken[0])

    def _write(self, taken: Step, at_us: int) -> None:
        entries = [ChainEntry(*CODEC.encode(x)) for x in (taken.fact, *taken.events)]
        texts: dict[str, str] = {}
        for happening in (taken.fact, *taken.events):
            texts.update(texts_of(happening))
        answers = {}
        if isinstance(taken.fact, h.CommandGiven) and taken.fact.letter:
            answers[taken.fact.letter] = _answer(taken.events)
        while True:
            try:
                self._journal.append(at_us, entries, texts, answers)
            except JournalUnavailable as trouble:
                if self._leaving:
                    raise
                self._complain(str(trouble))
                self._world.rest(JOURNAL_RETRY_S)
            else:
                return


def _answer(events: Sequence[h.Event]) -> QueueAnswer:
    refused = next((e for e in events if isinstance(e, h.CommandRefused)), None)
    body = CODEC.encode(refused)[1] if refused is not None else ""
    return QueueAnswer(CommandOutcome.REFUSED, body) if body else ACCEPTED
