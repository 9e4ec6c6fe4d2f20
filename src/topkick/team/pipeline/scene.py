"""The result of one look, and the two ways to act on it: write the session file, or post."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit, Glance, Seen
from topkick.sprint.model import Mission
from topkick.team.bus.model import COORDINATOR, Message
from topkick.team.pipeline import state as notes
from topkick.team.pipeline.ledger import OPEN, ArtifactLedger, Line, write
from topkick.team.pipeline.prompts import below
from topkick.team.pipeline.state import Doing
from topkick.text.format import stamp

# --- what to read ------------------------------------------------------------------------------
# The session file, the bus, and the artifacts that answers name.

MESSAGES_READ = 30
LONGEST_REF = 300


def session_path(mission: Mission) -> str:
    assert mission.plan is not None
    return mission.plan.file


def glance(mission: Mission, *more: str) -> Glance:
    answers = notes.answers(mission).values()
    places = tuple(place for each in answers for place in places_of(mission, each.ref))
    patterns = tuple(f"{place}/*" for place in places)
    return Glance((session_path(mission), *places, *more), (), (), patterns, MESSAGES_READ)


def places_of(mission: Mission, ref: str) -> tuple[str, ...]:
    """Return paths from the session directory, else from the project's root; never outside of
    it.
    """
    return tuple(_places(mission, ref))


def _places(mission: Mission, ref: str) -> Iterator[str]:
    directory = session_path(mission).rpartition("/")[0]
    root = notes.settings_of(mission).root
    path = ref.strip().removeprefix("./").rstrip("/")
    path = path.removeprefix(f"{root}/") if root else path
    strange = ".." in path.split("/") or set(path) & set("*?[\n") or len(path) > LONGEST_REF
    if path and not strange and not path.startswith("/"):
        yield below(directory, path)
        if directory:
            yield path


Events = Sequence[h.Event]


@dataclass(frozen=True, slots=True)
class PipelineScene:
    mission: Mission
    ledger: ArtifactLedger
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

    def save(self, ledger: ArtifactLedger, doing: Doing, about: str = "", *before: Edit) -> Events:
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
