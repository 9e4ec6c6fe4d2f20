"""The result of one look, and the two ways to act on it: write the session file, or post."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topkick.core import happenings as h
from topkick.core.bus import COORDINATOR, Message
from topkick.core.files import Edit, Seen
from topkick.core.mission import Mission
from topkick.core.texts import Text
from topkick.policies.pipeline import notes
from topkick.policies.pipeline.ledger import OPEN, Ledger, Line, write
from topkick.policies.pipeline.notes import Doing
from topkick.policies.pipeline.prompts import below
from topkick.text.format import stamp

Events = Sequence[h.Event]


@dataclass(frozen=True, slots=True)
class Scene:
    mission: Mission
    ledger: Ledger
    file: Seen
    files: Mapping[str, Seen]
    messages: tuple[Message, ...]

    @property
    def directory(self) -> str:
        return self.file.path.rpartition("/")[0]

    @property
    def now(self) -> str:
        return stamp(self.mission.at_us)

    @property
    def newest(self) -> int:
        found = max((message.number for message in self.messages), default=0)
        return max(found, notes.heard(self.mission))

    def path(self, name: str) -> str:
        return below(self.directory, name)

    def is_met(self, need: str) -> bool:
        """Return whether a dependency is done; an unknown one holds no task up."""
        line = self.ledger.latest(need)
        return line is None or line.is_done

    def ready(self) -> tuple[Line, ...]:
        """Return the open tasks whose dependencies are all done."""
        lines = (line for line in self.ledger.lines if line.status in OPEN)
        return tuple(line for line in lines if all(map(self.is_met, line.needs)))

    def save(self, ledger: Ledger, doing: Doing, about: str = "", *before: Edit) -> Events:
        """Write the session file last: it is the commit point."""
        edit = Edit(self.file.path, self.file.sha256, Text.of(write(ledger, self.now)))
        return (notes.do(doing, about), h.EditsAsked((*before, edit)))

    def listen(self) -> Events:
        """Sleep until a message for the coordinator arrives."""
        if self.mission.listening is not None:
            return (notes.REST,)
        return (h.ListenAsked(COORDINATOR, self.newest), notes.REST)

    def post(self, message: Message, doing: Doing, about: str = "") -> Events:
        return (notes.do(doing, about), h.PostAsked((message,), self.newest))
