"""Problems of a try: in the session, on its bus, and in agents' records."""

from collections import Counter
from collections.abc import Iterator

from proof.judge.session import REPORT, TASK, WISDOM, Try
from topkick.app.run_view import journal_happenings, journal_records
from topkick.engine import messages as h
from topkick.engine.codec.codec import Text
from topkick.engine.effects import Seen
from topkick.engine.loop import replay
from topkick.team.bus.model import read_line
from topkick.team.judge import state as notes
from topkick.team.judge.findings import StageEntry, VerdictWord
from topkick.team.judge.wake import recalled
from topkick.team.run.judge_session import find_session

ONCE = ("progress", "task_complete", "state_update", "supervision_report")
RISKS = (
    f"- [{TASK}] is-short: `false` failed with 1",
    f"- [{TASK}] is-clear: a little vague [spec/brief.md: one after the other]",
)


def findings(tried: Try, *, lost_journal: bool = False) -> Iterator[str]:
    yield from _of_files(tried)
    yield from _of_bus(tried)
    yield from _of_agents(tried, lost_journal=lost_journal)
    entry = remembered(tried)
    text = (tried.session / REPORT).read_text() if (tried.session / REPORT).exists() else ""
    if entry != recalled([Seen(REPORT, Text.of(text))]):
        yield f"the accumulator is not what the reports say: {entry}"
    if [(e.task, e.verdict, e.score) for e in entry] != [(TASK, VerdictWord.WARN, 0.62)]:
        yield f"judged otherwise: {entry}"


def remembered(tried: Try) -> tuple[StageEntry, ...]:
    return notes.remembered(replay(journal_records(find_session(tried.session))))


def _of_files(tried: Try) -> Iterator[str]:
    made = sorted(path.name for path in (tried.session / "artifacts").iterdir())
    if made != [f"{TASK}-report.md"]:
        yield f"in artifacts: {made}"
    lines = (tried.session / "wisdom/issues.md").read_text().splitlines()
    if lines != [WISDOM, *RISKS]:
        yield f"in wisdom: {lines}"
    drafts = [path.name for path in (tried.session / ".msg").glob(".CHECK*")]
    if drafts:
        yield f"drafts lie about: {drafts}"


def _of_bus(tried: Try) -> Iterator[str]:
    lines = (tried.session / ".msg/messages.jsonl").read_text().splitlines()
    messages = [read_line(line) for line in lines]
    numbers = [m.number for m in messages if m is not None]
    if None in messages or numbers != sorted(set(numbers)):
        yield f"the bus is not whole: {numbers}, {messages.count(None)} lines cannot be read"
    own = [m for m in messages if m is not None and m.sender == "supervisor"]
    counted = Counter(m.type for m in own)
    if any(counted[type_] != 1 for type_ in ONCE) or counted["error"]:
        yield f"said: {counted}"
    answers = [m.fields.get("request_id") for m in own if m.type == "shutdown_response"]
    if answers.count("first") != 1 or len(set(answers)) != len(answers):
        yield f"shutdowns answered: {answers}"
    if {m.to for m in own} != {"coordinator"}:
        yield f"said to {[m.to for m in own]}"


def _of_agents(tried: Try, *, lost_journal: bool) -> Iterator[str]:
    """Check that an agent ran once, unless it was lost with its keeper or with the journal."""
    path = tried.notes / "starts"
    begun = path.read_text().split() if path.exists() else []
    if len(begun) != len(set(begun)):
        yield f"an order was begun twice: {begun}"
    closed = [
        item.happening.why
        for item in journal_happenings(find_session(tried.session))
        if isinstance(item.happening, h.RunClosed)
    ]
    lost = sum("was lost" in why for why in closed)
    if not 1 <= len(begun) <= 1 + lost + lost_journal:
        yield f"the agent was begun {len(begun)} times, and lost {lost} times"
