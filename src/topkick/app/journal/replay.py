"""Rebuild a run as of any record, and repeat its decisions from the recorded facts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from topkick.app.project import Project
from topkick.app.run_view import Happened, journal_happenings, read_record
from topkick.app.slices import policy_of
from topkick.engine import messages as h
from topkick.engine.codec.chain import Record
from topkick.engine.codec.texts import Text
from topkick.engine.errors import UsageError
from topkick.engine.fold import apply
from topkick.engine.journal import JournalReader
from topkick.engine.kernel import Policy, step
from topkick.engine.messages import CODEC
from topkick.engine.rules import BEFORE_NUMBERS, RULES, in_force
from topkick.sprint.model import Mission

NOTHING = "(nothing)"

# --- any record ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PastRun:
    """The run as of a record: nothing later is included."""

    mission: Mission
    at: Happened
    records: int
    happened: tuple[Happened, ...]

    @property
    def now_us(self) -> int:
        return self.at.at_us


def look_back(project: Project, to_seq: int | None = None) -> PastRun:
    """Return the run as of a record; times are those of the records, not of the clock."""
    return as_of(tuple(journal_happenings(project)), to_seq)


def as_of(happened: Sequence[Happened], to_seq: int | None = None) -> PastRun:
    wanted = _there(len(happened), to_seq)
    past = tuple(happened[:wanted])
    mission = Mission()
    for item in past:
        mission = apply(mission, item.happening, item.at_us)
    return PastRun(mission, past[-1], len(happened), past)


def _there(records: int, to_seq: int | None) -> int:
    """Return the record's number; records are numbered from 1 without gaps, and the default is the
    last.
    """
    wanted = records if to_seq is None else to_seq
    if 1 <= wanted <= records:
        return wanted
    there = f"the journal has records 1 to {records}" if records else "the journal is empty"
    raise UsageError(f"There is no record {wanted}; {there}. See: topkick journal show --all")


# --- repeated decisions --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """A record for which the rules give another result, or one too few or too many."""

    seq: int
    step: int
    recorded: str
    decided: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Records that were written under other rules."""

    first: int
    last: int
    rules: int


@dataclass(frozen=True, slots=True)
class Redecided:
    """The result; `steps` counts those that were decided again."""

    records: int
    steps: int
    differences: tuple[ReplayDifference, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def redecide_journal(project: Project, to_seq: int | None = None) -> Redecided:
    """Repeat the decisions up to a record; a step is decided as a whole."""
    with JournalReader(project.journal_path) as reader:
        records = list(reader.records())
        last = records[_there(len(records), to_seq) - 1].step
        wanted = (r for r in records if r.step <= last)
        return redecide(wanted, text=lambda text: Text(text.sha256, reader.text(text.sha256)))


def redecide(
    records: Iterable[Record],
    policy_for: Callable[[str], Policy] = policy_of,
    text: Callable[[Text], Text] = lambda text: text,
) -> Redecided:
    """Repeat each step: its first record is the fact, the others are what was decided.

    Both sides are encoded in today's form and compared by their bytes, so that defaults of older
    versions and texts, which are known by hash, compare by meaning. After a difference it continues
    from what is recorded, so that each is reported once. Files and answers are decided on by their
    bodies, which `text` finds.
    """
    mission, rules = Mission(), BEFORE_NUMBERS
    count, steps = 0, 0
    differences: list[ReplayDifference] = []
    left_out: list[LeftOut] = []
    for _, group in groupby(records, key=lambda record: record.step):
        written = list(group)
        count += len(written)
        happened = [read_record(record) for record in written]
        fact = happened[0].happening
        if isinstance(fact, h.SupervisorWoke):
            rules = in_force(fact.rules)
        if in_force(rules) == RULES:
            steps += 1
            fact = with_bodies(happened[0].happening, text)
            happened[0] = replace(happened[0], happening=fact)
            differences += _compared(policy_for, mission, written, happened)
        else:
            _leave_out(left_out, written, rules)
        for item in happened:
            mission = apply(mission, item.happening, item.at_us)
    return Redecided(count, steps, tuple(differences), tuple(left_out))


def _compared(
    policy_for: Callable[[str], Policy],
    mission: Mission,
    written: Sequence[Record],
    happened: Sequence[Happened],
) -> Iterator[ReplayDifference]:
    first = written[0]
    recorded = [_told(item.happening) for item in happened[1:]]
    decided = _decided(policy_for(_policy(mission, happened)), mission, happened[0])
    for n, (was, now) in enumerate(zip_longest(recorded, decided), start=1):
        if was != now:
            yield ReplayDifference(first.seq + n, first.step, was or NOTHING, now or NOTHING)


def _policy(mission: Mission, happened: Sequence[Happened]) -> str:
    """Return the policy; until a mission has begun, only its first event names it."""
    began = (x.happening.policy for x in happened if isinstance(x.happening, h.MissionBegan))
    return next(began, mission.policy) if mission.plan is None else mission.policy


def _decided(policy: Policy, mission: Mission, fact: Happened) -> list[str]:
    """Return the decisions; changed rules may raise on an impossible state, which differs too."""
    if not isinstance(fact.happening, h.Fact):
        return [f"(a step has to begin with a fact, and this is {type(fact.happening).__name__})"]
    try:
        taken = step(policy, mission, fact.happening, fact.at_us)
    except (AssertionError, LookupError) as broken:
        return [f"(this version's rules fail: {type(broken).__name__}: {broken})"]
    if taken.stale:
        return ["(nothing: the fact is stale)"]
    return [_told(event) for event in taken.events]


def with_bodies(happening: h.Happening, text: Callable[[Text], Text]) -> h.Happening:
    match happening:
        case h.FilesObserved(files):
            found = (replace(x, content=text(x.content)) if x.content else x for x in files)
            return replace(happening, files=tuple(found))
        case h.WorkChecked(evidence=evidence) if evidence.answer is not None:
            return replace(happening, evidence=replace(evidence, answer=text(evidence.answer)))
        case _:
            return happening


def _told(happening: h.Happening) -> str:
    return " ".join(CODEC.encode(happening))


def _leave_out(left_out: list[LeftOut], written: Sequence[Record], rules: int) -> None:
    first, last = written[0].seq, written[-1].seq
    if left_out and left_out[-1].rules == rules and left_out[-1].last == first - 1:
        first = left_out.pop().first
    left_out.append(LeftOut(first, last, rules))
