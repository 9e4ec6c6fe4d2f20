"""A session, its bus and scripted agents in memory: the real kernel asks, this world answers.

Each order is carried out as the benches would, so that a judge can be cut off before and after
everything that it writes down, and the session is then looked at as a coordinator sees it.
"""

import fnmatch
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import cast

from rig import SETTINGS, Rig, replayed, result
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Ending
from topkick.engine.codec.codec import Codec, Text
from topkick.engine.effects import Edit, Glance, Seen
from topkick.engine.kernel import Step
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan
from topkick.sprint.orders import orders
from topkick.sprint.timers import wake_at_us
from topkick.team.bus.executor import MOST_AT_ONCE, recent
from topkick.team.bus.model import Message, data_of, in_place
from topkick.team.bus.store import Bus
from topkick.team.judge import state as notes
from topkick.team.judge import wake
from topkick.team.judge.decide import decide
from topkick.team.judge.wake import REPORTS, recalled
from topkick.team.requests import is_request
from topkick.team.run.judge_sandbox import refusal
from topkick.team.settings import JudgeSettings
from transcript import INDENT, show_event, show_order

CODEC = Codec(h.Fact, h.Event)
SESSION = "night"
MOST_STEPS = 3_000
INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)
SESSION_FILE = json.dumps(
    {
        "session_id": SESSION,
        "team_name": "owls",
        "requirement": "A lexer",
        "tasks": [{"id": "DRAFT-001", "status": "completed", "ref": "spec/brief.md"}],
    }
)
BRIEF = "# Brief\n\n- G1: read tokens\n"


@dataclass(frozen=True)
class Reply:
    """An agent's answer and the end of its process."""

    said: str = ""
    code: int | None = 0
    how: Ending = Ending.EXITED
    detail: str = ""
    report: AgentReport | None = None


Player = Callable[["World", str], Reply]


def spec(*checks: str) -> str:
    """Of one checkpoint; each check is its row."""
    rows = checks or ("artifact-exists | builtin | | process | normal",)
    table = "\n".join(f"| {row} |" for row in rows)
    head = "| Check | Kind | What | Group | Severity |\n|---|---|---|---|---|"
    return f"# Judge\n\n## CHECKPOINT-001: Brief\n\n{head}\n{table}\n"


def shell(command: str, name: str = "runs", severity: str = "normal") -> str:
    return f"{name} | shell | `{command}` | process | {severity}"


def agent(question: str = "Is it clear?", name: str = "clear") -> str:
    return f"{name} | agent | {question} | consistency | normal"


def answered(word: str = "pass", *evidence: str) -> Reply:
    said = {"result": word, "details": f"it is a {word}", "evidence": list(evidence)}
    return Reply(f"I looked.\n```json\n{json.dumps(said)}\n```\n")


def silent(_world: "World", _question: str) -> Reply:
    raise AssertionError("nobody is to be asked")


@dataclass
class World:
    """`crash_before` and `crash_after` are facts, by number, around which the judge dies; `codes`
    are how commands end; `full` counts down how often the disk has no room, for each kind of
    writing; `meanwhile` are facts as soon as an agent is at work, by its order."""

    spec: str = field(default_factory=spec)
    files: dict[str, str] = field(default_factory=dict)
    play: Player = silent
    settings: Settings = SETTINGS
    asked_once: str = ""
    codes: dict[str, int] = field(default_factory=dict)
    full: dict[str, int] = field(default_factory=dict)
    crash_before: frozenset[int] = frozenset()
    crash_after: frozenset[int] = frozenset()
    bus: list[Message] = field(default_factory=list)
    rig: Rig = field(default_factory=lambda: Rig(decide))
    steps: list[Step] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    looks: list[tuple[str, ...]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    meanwhile: list[Callable[[str], h.Fact]] = field(default_factory=list)
    crashes: int = 0
    _replies: dict[str, Reply] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _woke: int = 0
    _missions: int = 0
    _dead: bool = False

    def __post_init__(self) -> None:
        self.rig.at_us = 1_780_000_000_000_000
        self.files = {"team-session.json": SESSION_FILE, "spec/brief.md": BRIEF, **self.files}

    # --- the session, from outside -----------------------------------------------------------

    def say(self, message: Message) -> Message:
        """Post a message on the bus."""
        self.bus.append(replace(message, number=len(self.bus) + 1))
        self.told += ["", f"{self.bus[-1].sender} says {self.bus[-1].summary or 'something'}"]
        return self.bus[-1]

    def ask(self, task_id: str = "CHECKPOINT-001", *scope: str) -> Message:
        text = f"## Checkpoint Request\ntask_id: {task_id}\nscope: [{', '.join(scope or ONE)}]\n"
        return self.say(to_judge({"content": f"{text}pipeline_progress: 3/10 tasks completed"}))

    def serve(self, *, recovery: bool = False) -> "World":
        """As `topkick checkpoint serve` does: it begins, or goes on; then until all is quiet."""
        self._wake()
        judge = JudgeSettings(SESSION, self.spec, ".", recovery=recovery, asked=self.asked_once)
        settings = replace(self.settings, judge=judge)
        if self.rig.mission.plan is None:
            self._missions += 1
            plan = Plan(SESSION, "sha", file="team-session.json")
            self.tell(h.CommandGiven(h.Start(f"m{self._missions}", plan, settings)))
        else:
            self.tell(h.CommandGiven(h.Resume(settings=settings)))
        return self.go_on()

    def go_on(self, until: Callable[[], bool] = lambda: False) -> "World":
        """Until nothing happens any more, or that holds; rests are slept through."""
        while not until():
            self._meet_death()
            fact = next(self._facts(), None)
            if fact is not None:
                assert len(self.steps) < MOST_STEPS, "it never ends"
                self.tell(fact)
                continue
            moment_us = wake_at_us(self.rig.mission, self.rig.at_us)
            if moment_us is None:
                return self
            self.tell(h.TimePassed(), (moment_us - self.rig.at_us) / 1e6)
        return self

    def tell(self, fact: h.Fact, after_s: float = 0.001) -> None:
        number = len(self.steps)
        if number in self.crash_before:
            self.crash_before -= {number}
            self.crash()
            return
        self.steps.append(self.rig.tell(fact, after_s))
        self.told += ["", _fact(fact), *(INDENT + line for line in self._shown(self.steps[-1]))]
        self._keep_texts(*self.steps[-1].events)
        if number in self.crash_after:
            self.crash_after -= {number}
            self.crash()

    def crash(self) -> None:
        """Lose what is not in the journal; after replay, texts are known by their hash only."""
        self.crashes += 1
        self.told += ["", "killed"]
        written = [(CODEC.encode(x), at_us) for x, at_us in self.rig.records]
        self.rig.mission = replayed((CODEC.decode(*x), at_us) for x, at_us in written)
        self._dead = True

    def _meet_death(self) -> None:
        if self._dead:
            self._dead = False
            self.serve(recovery=True)

    def lose_journal(self) -> None:
        """Delete the journal: only the session's files are left."""
        self.rig = Rig(decide, at_us=self.rig.at_us)
        self.told += ["", "the journal is gone"]

    def _wake(self) -> None:
        self._woke += 1
        self.told += ["", f"woke {self._woke}"]
        self.rig.tell(h.SupervisorWoke(self._woke, driven=True))

    def _keep_texts(self, *events: h.Event) -> None:
        for x in events:
            texts = [x.dispatch.prompt] if isinstance(x, h.RunDispatched) else []
            texts += [e.content for e in x.edits] if isinstance(x, h.EditsAsked) else []
            self._texts |= {text.sha256: text.body for text in texts if text.body is not None}

    # --- what the world does -----------------------------------------------------------------

    def _facts(self) -> Iterator[h.Fact]:
        for order in orders(self.rig.mission, self.rig.at_us):
            fact = self._fact(order)
            if fact is not None:
                yield fact

    def _fact(self, order: h.Order) -> h.Fact | None:
        match order:
            case h.ReadFiles(_, look, glance):
                files = tuple(self._seen(glance))
                self.looks.append(tuple(file.path for file in files))
                return h.FilesObserved(files, look, messages=self._recent(glance.messages))
            case h.EditFiles(_, number, edits):
                return self._edited(number, edits)
            case h.PostMessages(_, post, messages, after):
                return self._posted(post, messages, after)
            case h.HearBus(_, name, after):
                return self._heard(name, after)
            case h.CheckWork(run_id=run_id, checks=checks, bare=True):
                self.ran += checks
                codes = tuple(result(c, self.codes.get(c, 0), "as seen") for c in checks)
                return h.WorkChecked(run_id, Evidence(results=codes))
            case _:
                return self._of_agent(order)

    def _of_agent(self, order: h.Order) -> h.Fact:
        match order:
            case h.RunAgent(id=run_id):
                reply = self._reply(order)
                if self.meanwhile:
                    return self.meanwhile.pop(0)(run_id)
                return h.AgentExited(run_id, AgentExit(reply.how, reply.code, detail=reply.detail))
            case h.EndAgent(id=run_id):
                return h.AgentExited(run_id, AgentExit(Ending.STOPPED))
            case h.CheckWork(run_id=run_id, listens=True):
                reply = self._replies[run_id]
                seen = Evidence(answer=Text.of(reply.said), report=reply.report)
                return h.WorkChecked(run_id, seen)
            case _:
                raise AssertionError(order)

    def _reply(self, order: h.RunAgent) -> Reply:
        if order.id not in self._replies:
            found = INPUT.search(self._texts[order.dispatch.prompt.sha256])
            assert found is not None
            question = str(json.loads(found[1])["question"])
            self.begun.append(order.id)
            self.questions.append(question)
            self._replies[order.id] = self.play(self, question)
        return self._replies[order.id]

    def _seen(self, glance: Glance) -> Iterator[Seen]:
        matching = (p for x in glance.patterns for p in sorted(fnmatch.filter(self.files, x)))
        for path in dict.fromkeys((*glance.paths, *matching)):
            text = self.files.get(path)
            yield Seen(path, Text.of(text) if text is not None else None)

    def _edited(self, number: int, edits: tuple[Edit, ...]) -> h.FilesEdited:
        for edit in edits:
            if refused := refusal(edit):
                return h.FilesEdited(number, trouble=refused)
            before, new = self.files.get(edit.path, ""), self._texts[edit.content.sha256]
            if before == new or (edit.appends and new in before):
                continue
            if before and not edit.appends:
                return h.FilesEdited(number, changed=edit.path)
            if self._is_full(edit.path):
                return h.FilesEdited(number, trouble=f"{edit.path} cannot be written: full")
            self.files[edit.path] = before + new
            self.written.append(edit.path)
        return h.FilesEdited(number)

    def _is_full(self, what: str) -> bool:
        left = self.full.get(what, 0)
        self.full[what] = max(left - 1, 0)
        return left > 0

    def _posted(self, post: int, messages: tuple[Message, ...], after: int) -> h.MessagesPosted:
        if self._is_full("bus"):
            return h.MessagesPosted(post, trouble="The message bus cannot be used: full.")
        there = [m for m in self.bus if m.number > after]
        numbers = []
        for message, old in zip(messages, in_place(messages, there), strict=True):
            new = old or replace(message, number=len(self.bus) + 1)
            self.bus += [] if old else [new]
            numbers.append(new.number)
        return h.MessagesPosted(post, tuple(numbers))

    def _heard(self, name: str, after: int) -> h.BusHeard | None:
        new = [m for m in self.bus if m.number > after]
        about = [m for m in new if name in (m.to.casefold(), m.sender.casefold())][:MOST_AT_ONCE]
        wakes = any(m.to.casefold() == name != m.sender.casefold() for m in about)
        return h.BusHeard(after, tuple(about)) if wakes else None

    def _recent(self, last: int) -> tuple[Message, ...]:
        said = SimpleNamespace(messages=lambda: tuple(self.bus))
        return recent(cast(Bus, said), last) if last else ()

    # --- looking -----------------------------------------------------------------------------

    @property
    def own(self) -> list[Message]:
        return [m for m in self.bus if m.sender == "supervisor"]

    def of_type(self, *types: str) -> list[Message]:
        return [m for m in self.own if m.type in types]

    def contents(self, *types: str) -> list[str]:
        return [str(m.fields.get("content", "")) for m in self.of_type(*types)]

    def report(self, task_id: str = "CHECKPOINT-001") -> str:
        return self.files[f"artifacts/{task_id}-report.md"]

    @property
    def ended(self) -> tuple[bool, str] | None:
        found = self.rig.mission.ended
        return (found.done, found.why) if found is not None else None

    def _shown(self, step: Step) -> Iterator[str]:
        if step.stale:
            yield "(stale: leads nowhere)"
        for event in step.events:
            yield from _show(event)
        wanted = [show_order(o) for o in orders(self.rig.mission, self.rig.at_us)]
        yield f"wants {', '.join(wanted) or 'nothing'}"


ONE = ("DRAFT-001",)


def to_judge(data: object, type_: str = "message", summary: str = "", to: str = "supervisor"):
    return Message("coordinator", to, type_, summary, data_of(data))


def limited(until_us: int) -> Reply:
    report = AgentReport(Conclusion.USAGE_LIMIT, "five hours", resets_at_us=until_us, proven=True)
    return Reply("You have hit your limit", code=1, report=report)


# --- showing -------------------------------------------------------------------------------------


def _show(event: h.Event) -> Iterator[str]:
    match event:
        case h.PostAsked(messages, after):
            yield from (f"say {m.type}, after {after}: {_words(m)}" for m in messages)
        case h.EditsAsked(edits):
            yield from (f"{'append to' if e.appends else 'make'} {e.path}" for e in edits)
        case h.ListenAsked(name, after):
            yield f"listen for {name} after {after}"
        case h.NoteTaken(key, value) if key in ("wake", "draft", "remembered"):
            yield f"note {key}: {len(json.loads(value))} fields"
        case _:
            yield show_event(event)


def _words(message: Message) -> str:
    content = message.fields.get("content")
    said = content if isinstance(content, str) else message.data
    return " | ".join(said.split("\n"))


def _fact(fact: h.Fact) -> str:
    match fact:
        case h.FilesObserved(files):
            return "read " + " ".join(x.path for x in files if x.content is not None)
        case h.FilesEdited(_, changed, trouble):
            return f"written{f', but {changed} is there' if changed else ''} {trouble}".rstrip()
        case h.MessagesPosted(_, numbers, trouble):
            return f"said as {', '.join(map(str, numbers)) or f'nothing: {trouble}'}"
        case h.BusHeard(_, messages):
            return "heard " + " ".join(m.id for m in messages)
        case h.AgentExited(run_id, ended):
            return f"exit {run_id} {ended.how} {ended.code}"
        case h.WorkChecked(run_id, evidence):
            body = (evidence.answer.body or "") if evidence.answer is not None else ""
            codes = " ".join(f"{r.command}={r.code}" for r in evidence.results)
            return f"found {run_id} {codes}{' '.join(body.split())}"
        case h.CommandGiven(command):
            return type(command).__name__.lower()
        case _:
            return type(fact).__name__


# --- what holds in every story -------------------------------------------------------------------


def wrong(world: World) -> Iterator[str]:
    """Yield violations of the rules that hold whenever a judge is idle and was not stopped."""
    if strange := [m for m in world.own if m.to != "coordinator"]:
        yield f"CK-24: said to others than the coordinator: {strange}"
    reports = [Seen(p, Text.of(world.files[p])) for p in fnmatch.filter(world.files, REPORTS)]
    if notes.remembered(world.rig.mission) != recalled(reports):
        yield "T2: what is remembered is not what the reports say"
    yield from _written_once(world)
    yield from _answered_once(world)
    if len(world.begun) != len(set(world.begun)):
        yield f"T1: an agent was begun twice for one order: {world.begun}"


def _written_once(world: World) -> Iterator[str]:
    made = [path for path in world.written if path.startswith("artifacts/")]
    if len(made) != len(set(made)):
        yield f"T3: a report was written twice: {made}"
    risks = [x for x in world.files.get("wisdom/issues.md", "").splitlines() if "[CHECK" in x]
    if len(risks) != len(set(risks)):
        yield f"T3: a risk stands in wisdom twice: {risks}"


def _answered_once(world: World) -> Iterator[str]:
    """Where the same was asked for again before it was judged, one answer is for both."""
    taken: set[int] = set()
    for place, asked in enumerate(world.bus):
        if not is_request(asked):
            continue
        later = world.bus[place + 1 :]
        answers = [m for m in later if wake.answer_in(asked, (m,)) is not None]
        if not answers and world.ended is None:
            yield f"T1: {asked.id} was never answered"
        taken |= {m.number for m in answers[:1]}
    said = [m for m in world.own if m.type in ("supervision_report", "error", "shutdown_response")]
    if spare := [m.id for m in said if m.number not in taken]:
        yield f"T1: answers to nobody: {spare}"
