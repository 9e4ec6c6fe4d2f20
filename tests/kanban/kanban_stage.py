"""A board, its tasks and scripted agents in memory: the real kernel asks, this world answers."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from rig import AGENT, SETTINGS, Rig, replayed
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Ending
from topkick.engine.codec.codec import Codec, Text
from topkick.engine.effects import Seen
from topkick.engine.kernel import Step
from topkick.engine.settings import Settings
from topkick.kanban.decide import decide
from topkick.kanban.state import Done, done
from topkick.plan_format.model import Plan
from topkick.sprint.orders import orders
from topkick.text.task_file import TaskFile
from transcript import INDENT, show_step

CODEC = Codec(h.Fact, h.Event)
BOARD = "tasks/0-kanban-lexer.md"
INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)
MOST_STEPS = 2_000


@dataclass(frozen=True)
class Asked:
    """An order as an agent got it."""

    run_id: str
    role: str
    about: str
    inputs: dict[str, object]
    prompt: str
    model: str


@dataclass(frozen=True)
class Reply:
    """An agent's answer and the end of its process."""

    said: str = ""
    code: int | None = 0
    how: Ending = Ending.EXITED
    report: AgentReport | None = None


Player = Callable[["World", Asked], Reply]


@dataclass
class World:
    """`crash_before` and `crash_after` are facts, by number, around which the supervisor dies."""

    play: Player
    files: dict[str, str]
    settings: Settings = SETTINGS
    board: str = BOARD
    instruction: str = ""
    crash_before: frozenset[int] = frozenset()
    crash_after: frozenset[int] = frozenset()
    rig: Rig = field(default_factory=lambda: Rig(decide))
    asked: list[Asked] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    _replies: dict[str, Reply] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _woke: int = 0

    def run(self) -> "World":
        self._wake()
        plan = Plan("Implementor" if self.instruction else "Lexer", "sha", file=self.board)
        if self.instruction:
            plan = replace(plan, file="", rules=self.instruction)
        self.tell(h.CommandGiven(h.Start("m", plan, self.settings)))
        return self.go_on()

    def go_on(self) -> "World":
        while wanted := orders(self.rig.mission, self.rig.at_us):
            fact = self._fact(wanted[0])
            assert len(self.steps) < MOST_STEPS, "it never ends"
            self.tell(fact)
        return self

    def tell(self, fact: h.Fact, after_s: float = 0) -> None:
        number = len(self.steps)
        if number in self.crash_before:
            self.crash_before -= {number}
            self._die()
            return
        self.steps.append(self.rig.tell(fact, after_s))
        shown = (INDENT + line for line in show_step(self.rig, self.steps[-1]))
        self.told += ["", _fact(fact), *shown]
        self._keep_texts(fact, *self.steps[-1].events)
        if number in self.crash_after:
            self._die()

    def _die(self) -> None:
        """Lose what is not in the journal; after replay, texts are known by their hash only."""
        written = [(CODEC.encode(x), at_us) for x, at_us in self.rig.records]
        self.rig.mission = replayed((CODEC.decode(*x), at_us) for x, at_us in written)
        self._wake()

    def _wake(self) -> None:
        self._woke += 1
        self.told += ["", f"woke {self._woke}"]
        self.rig.tell(h.SupervisorWoke(self._woke, driven=True))

    def _keep_texts(self, *happened: h.Happening) -> None:
        for x in happened:
            if isinstance(x, h.RunDispatched) and x.dispatch.prompt.body is not None:
                self._texts[x.dispatch.prompt.sha256] = x.dispatch.prompt.body

    # --- what the world does -----------------------------------------------------------------

    def _fact(self, order: h.Order) -> h.Fact:
        match order:
            case h.ReadFiles(_, look, glance):
                return h.FilesObserved(tuple(self._seen(p) for p in glance.paths), look)
            case h.RunAgent(id=run_id):
                if run_id not in self._replies:
                    self._replies[run_id] = self.play(self, self._asked(order))
                reply = self._replies[run_id]
                return h.AgentExited(run_id, AgentExit(reply.how, reply.code))
            case h.EndAgent(id=run_id):
                return h.AgentExited(run_id, AgentExit(Ending.STOPPED))
            case h.CheckWork(run_id=run_id, listens=True):
                reply = self._replies[run_id]
                seen = Evidence(answer=Text.of(reply.said), report=reply.report)
                return h.WorkChecked(run_id, seen)
            case _:
                raise AssertionError(order)

    def _seen(self, path: str) -> Seen:
        text = self.files.get(path)
        if path.startswith("../"):
            return Seen(path, trouble=f"{path} cannot be read: it is outside the project")
        return Seen(path, Text.of(text) if text is not None else None)

    def _asked(self, order: h.RunAgent) -> Asked:
        prompt = self._texts[order.dispatch.prompt.sha256]
        found = INPUT.search(prompt)
        assert found is not None
        role, _, about = order.sprint.partition(" ")
        asked = Asked(order.id, role, about, json.loads(found[1]), prompt, order.dispatch.model)
        self.asked.append(asked)
        return asked

    # --- looking -----------------------------------------------------------------------------

    @property
    def who(self) -> list[str]:
        """`Architect 1-design`, in the order they were asked."""
        return [
            f"{x.role} {x.about.removeprefix('tasks/').removesuffix('.md')}" for x in self.asked
        ]

    @property
    def ended(self) -> tuple[bool, str]:
        found = self.rig.mission.ended
        assert found is not None
        return found.done, found.why

    @property
    def decisions(self) -> list[str]:
        return [f"{d.decision}: {d.rationale}" for d in self.rig.mission.decisions]

    @property
    def waits_for_manager(self) -> Done | None:
        return done(self.rig.mission)


def _fact(fact: h.Fact) -> str:
    match fact:
        case h.FilesObserved(files):
            return "read " + " ".join(x.path for x in files if x.content is not None)
        case h.AgentExited(run_id, ended):
            return f"exit {run_id} {ended.code}"
        case h.WorkChecked(run_id, evidence):
            body = (evidence.answer.body or "") if evidence.answer is not None else ""
            return f"answer {run_id} {' '.join(body.split())}"
        case h.CommandGiven(command):
            return type(command).__name__.lower()
        case _:
            return type(fact).__name__


# --- boards and players ----------------------------------------------------------------------


def board(current: str | None, *tasks: str, phase: str = "execute", more: str = "") -> str:
    listed = ", ".join(f"tasks/{task}.md" for task in tasks)
    at = f"tasks/{current}.md" if current else "null"
    head = f"type: kanban\ntitle: Lexer\nphase: {phase}\n{more}current: {at}\ntasks: [{listed}]"
    return f"---\n{head}\n---\n\n# Kanban: Lexer\n\n## Plan Adjustment Log\n"


def task(role: str = "Implementor", key: str = "assignee", **more: str) -> str:
    rows = "".join(f"{k}: {v}\n" for k, v in more.items())
    head = f"{key}: {role}\n{rows}" if role else rows
    return f"---\n{head}---\n\n# Task: Something\n\n## Work Log\n"


def says(status: str = "ok", **more: object) -> str:
    return json.dumps({"status": status, "message": f"it is {status}", **more})


def fenced(text: str) -> Reply:
    return Reply(f"I looked around first.\n\n```json\n{text}\n```\n")


def work(world: World, asked: Asked, status: str = "ok") -> Reply:
    """Writes into the work log, as it should, and answers."""
    path = str(asked.inputs["task_file"])
    world.files[path] += f"\n### [now] Did it | {status}\n**F:** done\n"
    return fenced(says(status))


def move_to(world: World, current: str | None, status: str = "ok") -> Reply:
    """The Manager moves the board, and says so."""
    file = TaskFile.read(world.files[world.board])
    file = file.with_value("current", current)
    if current is None:
        file = file.with_value("phase", "complete")
    world.files[world.board] = file.text
    return Reply(says(status, next_task=current, tasks=list(file.items("tasks"))))


def through(*tasks: str) -> Player:
    """Everybody does as told, and the Manager goes through these tasks."""

    def play(world: World, asked: Asked) -> Reply:
        if asked.role != "Manager":
            return work(world, asked)
        at = tasks.index(str(asked.inputs["done_task"]).removeprefix("tasks/").removesuffix(".md"))
        following = tasks[at + 1 :]
        return move_to(world, f"tasks/{following[0]}.md" if following else None)

    return play


def two_tasks(play: Player, **more: object) -> World:
    files = {
        BOARD: board("1-design", "1-design", "2-build", phase="design"),
        "tasks/1-design.md": task("Architect", type="design"),
        "tasks/2-build.md": task("Implementor", type="implement"),
    }
    return World(play, files, **more)  # type: ignore[arg-type]


def limited(until_us: int) -> Reply:
    report = AgentReport(Conclusion.USAGE_LIMIT, "five hours", resets_at_us=until_us, proven=True)
    return Reply("You have hit your limit", code=1, report=report)


__all__ = ["AGENT", "BOARD", "Asked", "Reply", "World"]
