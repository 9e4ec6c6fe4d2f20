"""A team's session in memory: files, a bus, scripted roles and a scripted judge, on the kernel.

Every order of the kernel is carried out here as the benches would; `restart` replays the records,
`lose_journal` leaves only the files and the bus. The transcript is short.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from rig import SETTINGS, replayed
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Ending
from topkick.engine.codec.codec import Codec, Text
from topkick.engine.effects import Edit, Seen
from topkick.engine.kernel import step
from topkick.engine.settings import Settings
from topkick.engine.views import refusal_lines
from topkick.plan_format.model import Plan
from topkick.sprint.model import Mission
from topkick.sprint.orders import orders
from topkick.sprint.status import is_at_rest
from topkick.sprint.timers import wake_at_us
from topkick.team.bus.model import Message, data_of, in_place
from topkick.team.pipeline.decide import decide, new_session
from topkick.team.pipeline.ledger import ArtifactLedger, read
from topkick.team.requests import SUPERVISOR, answer_to
from topkick.team.settings import PipelineSettings
from topkick.text.format import stamp

DIRECTORY = "team/notes"
SESSION = f"{DIRECTORY}/team-session.json"
START_US = 1_780_000_000_000_000
CODEC = Codec(h.Fact, h.Event)
INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)
TEAM = PipelineSettings(("serve",), "/project", DIRECTORY)
MOST_TURNS = 1_000


@dataclass(frozen=True)
class Asked:
    role: str
    task: str
    inputs: dict
    prompt: str


@dataclass(frozen=True)
class Reply:
    said: str
    code: int = 0
    report: AgentReport | None = None


Player = Callable[["World", Asked], Reply]


class Crash(Exception):
    """The supervisor dies here."""


def answer(asked: Asked, **other: object) -> Reply:
    """Return a valid answer, with the given fields changed."""
    ref = str(asked.inputs["write"]).removeprefix(f"{DIRECTORY}/")
    fields = {
        "status": "task_complete",
        "task_id": asked.task,
        "ref": ref,
        "key_findings": [f"{asked.task} is done"],
        "verification": "self-validated",
        "quality_self_score": 85,
    }
    return Reply(f"Done.\n```json\n{json.dumps(fields | other)}\n```\n")


def works(world: "World", asked: Asked) -> Reply:
    """Writes its artifact, and answers."""
    text = world.plan if asked.role == "planner" else f"# {asked.task}\n\nAll of it.\n"
    world.files[str(asked.inputs["write"])] = text
    return answer(asked)


@dataclass
class World:
    """`verdicts` are what the judge finds, by task; others pass. `deaths`: how often it dies."""

    mode: str = "spec-only"
    supervision: bool = True
    play: Player = works
    verdicts: dict[str, str] = field(default_factory=dict)
    deaths: int = 0
    another: bool = False
    plan: str = '{"modules": [{"name": "core"}]}'
    settings: Settings = field(default_factory=lambda: replace(SETTINGS, pipeline=TEAM))
    files: dict[str, str] = field(default_factory=dict)
    bus: list[Message] = field(default_factory=list)
    mission: Mission = field(default_factory=Mission)
    records: list[tuple[h.Happening, int]] = field(default_factory=list)
    at_us: int = START_US
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    judge: str = ""
    story: list[str] = field(default_factory=list)
    crash_after: int | None = None
    meanwhile: Callable[["World"], None] | None = None
    refused: str = ""
    missions: int = 0
    _replies: dict[str, Reply] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if SESSION not in self.files:
            self.files[SESSION] = new_session(
                "notes", self.mode, "Search notes.", self.at_us,
                supervision=self.supervision, role_spec="builtin",
            )  # fmt: skip

    # --- running -----------------------------------------------------------------------------

    def run(self) -> "World":
        """Run as `topkick checkpoint run` does, until nothing more happens."""
        self.tell(h.SupervisorWoke(1 + len(self.records), driven=True))
        if self.mission.plan is None:
            self.missions += 1
            plan = Plan("Search notes", "sha", file=SESSION)
            self.say(h.Start(f"m{self.missions}", plan, self.settings))
        elif self.mission.stance.value != "working":
            self.say(h.Resume(settings=self.settings))
        self.go_on()
        ended = self.mission.ended
        if ended is not None:
            self.tell_of(f"{'done' if ended.done else 'for a person'}: {ended.why}")
            self.story += [f"    {command}" for command in ended.commands]
        return self

    def go_on(self, turns: int = MOST_TURNS) -> None:
        for _ in range(turns):
            if not self._turn():
                if is_at_rest(self.mission):
                    return
                due_us = wake_at_us(self.mission, self.at_us)
                assert due_us is not None, f"nothing will ever happen: {self.story[-5:]}"
                self.at_us = due_us
                self.tell(h.TimePassed())
        assert turns < MOST_TURNS, f"it does not end: {self.story[-5:]}"

    def _turn(self) -> bool:
        self.at_us += 1_000_000
        wanted = orders(self.mission, self.at_us)
        at_work = sum(isinstance(order, h.RunAgent) for order in wanted)
        self.most_at_once = max(self.most_at_once, at_work)
        facts = [fact for order in wanted for fact in self._do(order)]
        return bool([fact for fact in facts if self.tell(fact)])

    def tell(self, fact: h.Fact) -> bool:
        """Take a fact, and return whether it was not stale."""
        done = step(decide, self.mission, fact, self.at_us)
        if done.stale:
            return False
        self.mission = done.mission
        self.records += [(x, self.at_us) for x in (fact, *done.events)]
        for event in done.events:
            if isinstance(event, h.Decided) and event.decision not in ("Completed", "Judge asked"):
                self.tell_of(f"log {event.sprint}: {event.decision}: {event.rationale}")
            if isinstance(event, h.CommandRefused):
                self.refused = refusal_lines.page(event.refusal)
        if self.crash_after is not None:
            self.crash_after -= 1
            if self.crash_after < 0:
                self.crash_after = None
                raise Crash
        return True

    def say(self, command: h.Command) -> str:
        """Give a command, and return why it is refused, if it is."""
        self.refused = ""
        self.tell(h.CommandGiven(command, "ann"))
        return self.refused

    def restart(self) -> None:
        written = [(CODEC.encode(x), at_us) for x, at_us in self.records]
        self.mission = replayed((CODEC.decode(*x), at_us) for x, at_us in written)

    def lose_journal(self) -> None:
        """And with it every process that it knew of."""
        self.mission, self.records, self.judge = Mission(), [], ""

    def tell_of(self, line: str) -> None:
        self.story.append(line)

    # --- what can be asked of it ---------------------------------------------------------------

    @property
    def ledger(self) -> ArtifactLedger:
        return read(self.files[SESSION])

    @property
    def who(self) -> list[str]:
        return [f"{asked.role} {asked.task}" for asked in self.asked]

    @property
    def ended(self) -> tuple[bool, str]:
        assert self.mission.ended is not None
        return self.mission.ended.done, self.mission.ended.why

    def status(self, task: str) -> str:
        line = self.ledger.line(task)
        return line.status if line is not None else ""

    def posts(self, type_: str) -> list[Message]:
        return [message for message in self.bus if message.type == type_]

    # --- what benches do -----------------------------------------------------------------------

    def _do(self, order: h.Order) -> Iterator[h.Fact]:
        if self.another and self.posts("shutdown_request"):
            self.another = False
            self._judges()
        match order:
            case h.ReadFiles(_, look, glance):
                below = tuple(pattern.rstrip("*") for pattern in glance.patterns)
                inside = (p for p in self.files if below and p.startswith(below))
                paths = dict.fromkeys((*glance.paths, *inside))
                yield h.FilesObserved(
                    tuple(map(self._seen, paths)),
                    look,
                    messages=tuple(self.bus[-glance.messages :]),
                )
            case h.EditFiles(_, number, edits):
                yield self._edited(number, edits)
            case h.PostMessages(_, post, messages, after):
                yield h.MessagesPosted(post, self._posted(messages, after))
            case h.HearBus(_, name, after):
                later = tuple(m for m in self.bus if m.number > after and name in (m.to, m.sender))
                if any(message.to == name != message.sender for message in later):
                    yield h.BusHeard(after, later)
            case h.KeepBackground():
                yield from self._keep(order)
            case h.EndAgent(run_id, _, background):
                ended = AgentExit(Ending.STOPPED)
                if background:
                    self.judge = ""
                yield (
                    h.BackgroundEnded(run_id, ended) if background
                    else h.AgentExited(run_id, ended)
                )  # fmt: skip
            case h.RunAgent():
                yield from self._run(order)
            case h.CheckWork(run_id=run_id):
                reply = self._replies[run_id]
                yield h.WorkChecked(
                    run_id, Evidence(answer=Text.of(reply.said), report=reply.report)
                )
            case _:
                return

    def _seen(self, path: str) -> Seen:
        return Seen(path, Text.of(self.files[path]) if path in self.files else None)

    def _edited(self, number: int, edits: tuple[Edit, ...]) -> h.FilesEdited:
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act(self)
        for edit in edits:
            text, there = self._text(edit.content), self.files.get(edit.path)
            if edit.appends:
                self.files[edit.path] = there if there and text in there else (there or "") + text
                if not there or text not in there:
                    self.tell_of(f"wisdom: {text.strip()}")
                continue
            found = Text.of(there).sha256 if there is not None else ""
            if found not in (edit.content.sha256, edit.was):
                return h.FilesEdited(number, changed=edit.path)
            self._tell_moves(there or "", text)
            self.files[edit.path] = text
        return h.FilesEdited(number)

    def _tell_moves(self, before: str, after: str) -> None:
        was = {line.id: line.status for line in read(before).lines}
        if read(before).status != read(after).status:
            self.tell_of(f"session: {read(before).status} -> {read(after).status}")
        for line in read(after).lines:
            if was.get(line.id) != line.status:
                self.tell_of(f"{line.id}: {was.get(line.id, 'new')} -> {line.status}")

    def _text(self, text: Text) -> str:
        if text.body is not None:
            return text.body
        asked = (x for x, _ in reversed(self.records) if isinstance(x, h.EditsAsked))
        return next(
            edit.content.body or ""
            for event in asked
            for edit in event.edits
            if edit.content.sha256 == text.sha256
        )

    def _posted(self, messages: tuple[Message, ...], after: int) -> tuple[int, ...]:
        there = [message for message in self.bus if message.number > after]
        found = in_place(messages, there)
        return tuple(
            old.number if old is not None else self.post(new).number
            for new, old in zip(messages, found, strict=True)
        )

    def post(self, message: Message) -> Message:
        ts = stamp(self.at_us).replace("Z", "+00:00")
        posted = replace(message, number=len(self.bus) + 1, ts=ts)
        self.bus.append(posted)
        self.tell_of(f"bus: {posted.sender} -> {posted.to} ({posted.type}) {posted.summary}")
        return posted

    # --- roles -----------------------------------------------------------------------------------

    def _run(self, order: h.RunAgent) -> Iterator[h.Fact]:
        if order.id in self._replies:
            yield h.AgentExited(order.id, AgentExit(Ending.EXITED, self._replies[order.id].code))
        elif not order.launch:
            yield h.AgentExited(order.id, AgentExit(Ending.STOPPED))
        else:
            role, _, task = order.sprint.partition(" ")
            prompt = self._prompt(order.dispatch.prompt)
            found = INPUT.search(prompt)
            assert found is not None
            asked = Asked(role, task, json.loads(found[1]), prompt)
            self.asked.append(asked)
            self.tell_of(f"asks {role} for {task}")
            self._replies[order.id] = self.play(self, asked)
            yield h.AgentActive(order.id)

    def _prompt(self, text: Text) -> str:
        given = (x.dispatch.prompt for x, _ in self.records if isinstance(x, h.RunDispatched))
        return next(p.body or "" for p in given if p.sha256 == text.sha256)

    # --- the judge -------------------------------------------------------------------------------

    def _keep(self, order: h.KeepBackground) -> Iterator[h.Fact]:
        if self.another and self.judge != order.id:
            self.judge = order.id
            self.tell_of("judge finds another one at work")
            yield h.BackgroundEnded(order.id, AgentExit(Ending.EXITED, 4))
        elif self.judge != order.id:
            again = " --recovery" if "--recovery" in order.argv else ""
            self.tell_of(f"judge starts{again}")
            self.judge = order.id
            yield h.BackgroundSeen(order.id)
        elif self.deaths and self._request() is not None:
            self.deaths -= 1
            self.judge = ""
            self.tell_of("judge dies")
            yield h.BackgroundEnded(order.id, AgentExit(Ending.EXITED, 1))
        else:
            self._judges()
            if any(m.type == "shutdown_response" for m in self.bus[-1:]):
                return

    def _request(self) -> Message | None:
        """Return the first request without an answer."""
        said = [m for m in self.bus if m.sender == SUPERVISOR]
        for message in self.bus:
            if message.to != SUPERVISOR:
                continue
            if message.type == "shutdown_request":
                ids = [m.fields.get("request_id") for m in said if m.type == "shutdown_response"]
                if message.fields["request_id"] not in ids:
                    return message
            elif not any(m.summary.startswith(answer_to(_task(message))) for m in said):
                return message
        return None

    def _judges(self) -> None:
        asked = self._request()
        if asked is None:
            return
        if asked.type == "shutdown_request":
            data = {"request_id": asked.fields["request_id"], "approve": True}
            self._says("shutdown_response", "[supervisor] Shutdown approved", data)
            return
        task = _task(asked)
        word = self.verdicts.get(task, "pass")
        about = [m for m in self.bus if m.sender == SUPERVISOR and m.fields.get("task_id") == task]
        if word == "error":
            data = {
                "content": f"[supervisor] {asked.id} is not done: no scope",
                "message_id": asked.id,
            }
            self._says("error", "[supervisor] Error", data)
            self.verdicts[task] = "pass"
        elif not about:
            self._says("progress", f"[supervisor] Claimed {task}", {"task_id": task})
        else:
            score = {"pass": 0.9, "warn": 0.7, "block": 0.4}[word]
            data = {
                "status": "task_complete",
                "task_id": task,
                "ref": f"artifacts/{task}-report.md",
                "decisions": ["Block: goal 3 has no requirement" if word == "block" else "Proceed"],
                "supervision_verdict": word,
                "supervision_score": score,
                "risks_logged": 2 if word == "warn" else 0,
            }
            self._says("task_complete", f"[supervisor] Completed {task}", {"task_id": task})
            self._says("state_update", f"[supervisor] State of {task}", data)
            self._says("supervision_report", f"{answer_to(task)} {word}", {})

    def _says(self, type_: str, summary: str, data: dict) -> None:
        self.post(Message(SUPERVISOR, "coordinator", type_, summary, data_of(data)))


def _task(message: Message) -> str:
    return message.summary.removeprefix("Checkpoint request: ")


def limited(reset_us: int) -> AgentReport:
    return AgentReport(Conclusion.USAGE_LIMIT, "as scripted", resets_at_us=reset_us)
