"""The executor of bus orders: wait for messages, and post them."""

from collections.abc import Sequence

from topkick.engine import messages as h
from topkick.engine.errors import TopkickError
from topkick.engine.io.file_events import POLL_S
from topkick.team.bus.files import BusReader
from topkick.team.bus.model import STATE_UPDATE, Message
from topkick.team.bus.store import Bus

MOST_AT_ONCE = 2_000
MOST_STATES = 1_000


class BusBench:
    """Sleeps until the bus changes; messages that an earlier supervisor posted are not posted
    again.
    """

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._changes = bus.changes()
        self._hears: h.HearBus | None = None
        self._reader: BusReader | None = None
        self._heard: list[Message] = []
        self._posted: set[str] = set()
        self._facts: list[h.Fact] = []
        self._trouble = ""

    def fileno(self) -> int | None:
        return self._changes.fileno()

    def drain(self) -> None:
        self._changes.drain()

    def close(self) -> None:
        self._changes.close()

    # --- orders ------------------------------------------------------------------------------

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, h.HearBus | h.PostMessages)

    def ensure(self, order: h.Order) -> str | None:
        match order:
            case h.HearBus() if self._hears is None or order.id != self._hears.id:
                self._hears, self._heard = order, []
                self._reader = self._bus.reader(order.after)
            case h.PostMessages() if order.id not in self._posted:
                self._posted.add(order.id)
                self._facts.append(self._post(order))
            case _:
                pass
        return self._trouble or None

    def _post(self, order: h.PostMessages) -> h.MessagesPosted:
        try:
            posted = self._bus.post_once(order.messages, order.after)
        except TopkickError as trouble:
            return h.MessagesPosted(order.post, trouble=str(trouble).partition("\n")[0])
        return h.MessagesPosted(order.post, tuple(message.number for message in posted))

    def cancel(self, order_id: str) -> None:
        if self._hears is not None and self._hears.id == order_id:
            self._hears = self._reader = None

    def live(self) -> frozenset[str]:
        return frozenset({self._hears.id} if self._hears is not None else ())

    # --- facts -------------------------------------------------------------------------------

    def wake_in_s(self) -> float | None:
        if self._facts:
            return 0.0
        return POLL_S if self._trouble else self._changes.wake_in_s()

    def poll(self) -> Sequence[h.Fact]:
        facts, self._facts = self._facts, []
        if self._changes.wake_in_s() == 0.0:
            self._changes.drain()
        heard = self._listen()
        return (*facts, heard) if heard is not None else facts

    def _listen(self) -> h.BusHeard | None:
        """Return new messages when one is addressed to the listener; its own messages are included
        but do not wake it.
        """
        if self._hears is None or self._reader is None:
            return None
        name = self._hears.name.casefold()
        new = self._read(self._reader)
        about = (m for m in new if name in (m.to.casefold(), m.sender.casefold()))
        self._heard = [*self._heard, *about][:MOST_AT_ONCE]
        if not any(m.to.casefold() == name != m.sender.casefold() for m in self._heard):
            return None
        heard = h.BusHeard(self._hears.after, tuple(self._heard))
        self._hears = self._reader = None
        return heard

    def _read(self, reader: BusReader) -> tuple[Message, ...]:
        """Read new messages; if the bus cannot be read, report that once and try again soon."""
        try:
            new = reader.read()
        except TopkickError as trouble:
            self._trouble = str(trouble)
            return ()
        self._trouble = ""
        return new


def recent(bus: Bus, last: int) -> tuple[Message, ...]:
    """Return the last messages, and before them earlier state updates, which roles send in
    parts.
    """
    found = bus.messages()
    earlier, tail = found[:-last], found[-last:]
    states = [message for message in earlier if message.type == STATE_UPDATE]
    return (*states[-MOST_STATES:], *tail)
