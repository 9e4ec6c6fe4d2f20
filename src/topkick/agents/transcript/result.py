"""The state that every stream reader keeps: its size does not depend on the stream's length."""

from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime

from topkick.agents.transcript.endings import Ruling, by_message
from topkick.agents.transcript.plain_text import Fields, one_line, parsed, said, shown_line, whole
from topkick.agents.vocabulary import Said, Turn
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Conversation, Usage

PLAIN_LINES = 12
DENIED_MAX = 20


@dataclass(slots=True)
class AgentOutput:
    """The state of one run; `resumed` is the usage of the conversation before this run."""

    resumed: Conversation | None = None
    anything: bool = False
    turns: int = 0
    conversation: str = ""
    model: str = ""
    version: str = ""
    last_said: str = ""
    denied: list[str] = field(default_factory=list)
    plain: deque[str] = field(default_factory=lambda: deque(maxlen=PLAIN_LINES))
    at: datetime | None = None

    @property
    def used_before(self) -> Usage:
        return self.resumed.used if self.resumed is not None else Usage()

    @property
    def answered(self) -> bool:
        """True if anything came from the model; a start event comes from the program alone."""
        return self.turns > 0 or bool(self.last_said)

    def fields(self, line: bytes) -> Fields | None:
        """Return the event on a line; None for a blank line or plain text, which is kept."""
        fields = parsed(line)
        if fields is None and (words := shown_line(line)):
            self.plain.append(words)
        self.anything = self.anything or fields is not None or bool(line.strip())
        return fields

    def told(self, line: bytes) -> list[Said]:
        """Return a line without an event as a `Said` event."""
        return [Said(words)] if (words := shown_line(line)) else []

    def turn(self) -> Turn:
        self.turns += 1
        return Turn(self.turns)

    def says(self, words: str) -> list[Said]:
        if not (shown := said(words)):
            return []
        self.last_said = shown
        return [Said(shown, whole(words))]

    def denies(self, tool: str) -> None:
        short = one_line(tool, 60)
        if short not in self.denied and len(self.denied) < DENIED_MAX:
            self.denied.append(short)

    def now(self) -> datetime:
        """Return the time of the last event if the program reports it, else the current time."""
        return self.at if self.at is not None else datetime.now(UTC).astimezone()

    def of_plain_words(self) -> Ruling | None:
        """Conclude from plain text: a program that fails at its start prints the cause, not always
        last.
        """
        for words in self.plain:
            if words.startswith("WARNING") or (conclusion := by_message(words)) is None:
                continue
            return Ruling(conclusion, words)
        return None

    def report(self, ruling: Ruling, ended: AgentExit, usage: Usage, used: Usage) -> AgentReport:
        """Build the report; `used` is the program's count for the whole conversation."""
        lost = ruling.conclusion is Conclusion.CONVERSATION_LOST or not self.conversation
        return AgentReport(
            conclusion=ruling.conclusion,
            said=one_line(ruling.said or self._last_words(ended), 400),
            usage=usage,
            conversation=None if lost else Conversation(self.conversation, used),
            resets_at_us=ruling.resets_at_us,
            denied=tuple(self.denied),
            model=self.model,
            version=self.version,
            proven=ruling.proven,
        )

    def _last_words(self, ended: AgentExit) -> str:
        return self.last_said or (self.plain[-1] if self.plain else ended.detail)


def since(total: Usage, before: Usage) -> Usage:
    """Return the usage after `before`; a lower count means that the program counted from zero."""
    cost, cost_before = total.cost_microusd, before.cost_microusd
    anew = total.tokens < before.tokens or (
        cost is not None and cost_before is not None and cost < cost_before
    )
    return total if anew else total.minus(before)
