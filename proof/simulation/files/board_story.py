"""A board with a few tasks: agents, a Manager, and people who edit and stop."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from proof.simulation.files import reading
from proof.simulation.files.board_oracle import BoardOracle
from proof.simulation.files.people import Person
from proof.simulation.files.schedule import FileSchedule
from proof.simulation.files.story import FileStory
from proof.simulation.files.words import GARBAGE, INPUT, reported
from proof.simulation.schedule import Agent, Timed
from proof.simulation.work import PROGRAM
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.settings import Settings
from topkick.plan_format.model import Plan
from topkick.sprint.model import Overall, Stance
from topkick.sprint.status import overall

BOARD = "tasks/0-kanban-sim.md"
PHASES = ("design", "execute", "plan", "validate", "something")
ROLES = ("Architect", "Implementor", "", "Manager")
STATUS = {"yes": "ok", "no": "blocked", "unsure": "escalate"}
KEYS = {True: {"kanban_file", "done_task", "tasks"}, False: {"task_file"}}


class BoardStory(FileStory):
    kind = "kanban"

    def __init__(self, schedule: FileSchedule, room: Path, tell: Callable[[str], None]) -> None:
        super().__init__(schedule, room, tell)
        self._person = Person(self)

    def judge(self) -> BoardOracle:
        return BoardOracle(self.timeline.monotonic_s, self.hear, BOARD)

    def settings(self) -> Settings:
        return Settings(agent=PROGRAM)

    def plan(self) -> Plan:
        return Plan("Simulated", "one", file=BOARD)

    def lay_out(self) -> None:
        for number, task in enumerate(self._tasks()):
            role = ROLES[(number + self.schedule.seed) % len(ROLES)] if number else "Architect"
            head = f"assignee: {role}\n" if role else "priority: high\n"
            self.put(task, f"---\n{head}---\n\n# Task: {task}\n\n## Work Log\n")
        phase = PHASES[self.schedule.seed % len(PHASES)]
        listed = ", ".join(self._tasks())
        head = f"type: kanban\nphase: {phase}\ncurrent: {self._tasks()[0]}\ntasks: [{listed}]"
        self.put(BOARD, f"---\n{head}\n---\n\n# Kanban: Simulated\n")

    def _tasks(self) -> list[str]:
        return [f"tasks/{n}-step.md" for n in range(1, self.schedule.tasks + 1)]

    # --- the command -----------------------------------------------------------------------

    def command(self) -> None:
        mission = self.stands()
        if mission.plan is None:
            self.begin()
        elif mission.stance is not Stance.WORKING:
            self.post(h.Resume(settings=self.settings()))
        self.serve()

    def is_done(self) -> bool:
        return overall(self.mission) is Overall.COMPLETED

    # --- agents ----------------------------------------------------------------------------

    def play(self, run_id: str, agent: Agent) -> Evidence:
        order = self.oracle.orders[run_id]
        placed = self.host.yard.files[run_id].order
        found = INPUT.search((placed.stdin_text if placed else "") or "")
        told = json.loads(found[1]) if found else {}
        manages = order.role == "Manager"
        self.oracle.require(set(told) == KEYS[manages], "KB-02", f"{order.subject} got {set(told)}")
        if agent.kind in GARBAGE or agent.kind in ("limit", "trouble"):
            return reported(agent, self.timeline.wall_us())
        answer = self._manage(told, agent) if manages else self._work_on(told["task_file"], agent)
        return Evidence(answer=Text.of(json.dumps(answer)))

    def _work_on(self, task: str, agent: Agent) -> dict[str, object]:
        text = self.text(task)
        if text and agent.says != "unsure":
            self.put(task, f"{text}\n### [now] Did it | ok\n**F:** done\n")
        return {"status": STATUS[agent.says], "message": "It is as it is."}

    def _manage(self, told: dict[str, object], agent: Agent) -> dict[str, object]:
        """Advance the board; an unsure Manager leaves it, and a Manager that says no stops
        everything.
        """
        text, done = self.text(BOARD), str(told["done_task"])
        tasks = reading.in_brackets(reading.front(text).get("tasks", ""))
        after = tasks[tasks.index(done) + 1 :] if done in tasks else []
        following = after[0] if after else None
        if agent.says == "unsure" or not text:
            return {"status": "ok", "message": "Again.", "next_task": done, "tasks": tasks}
        if agent.says == "yes":
            text = reading.with_value(text, "current", following or "null")
            self.put(BOARD, text if following else reading.with_value(text, "phase", "complete"))
            return {"status": "ok", "message": "On.", "next_task": following, "tasks": tasks}
        return {"status": "escalate", "message": "No.", "next_task": None, "tasks": tasks}

    # --- people ----------------------------------------------------------------------------

    def person(self, act: Timed) -> None:
        task = self._tasks()[act.n % self.schedule.tasks]
        match act.what:
            case "note":
                self._person.edit(BOARD)
            case "note while it reads":
                self._person.edit_when("file: before read", BOARD)
            case "note in a task":
                self._person.edit(task)
            case "move":
                self._person.edit(BOARD, lambda text: reading.with_value(text, "current", task))
            case "half a file":
                self._person.half(BOARD if act.n % 2 else task, act.for_s)
            case "no file":
                self._person.away(BOARD if act.n % 2 else task, act.for_s)
            case "stop":
                self._say(h.Stop())
            case "stop twice":
                self._say(h.Stop())
                self.timeline.after(5.0, lambda: self._say(h.Stop(force=True)))
            case _:
                self._say(h.KillAll())

    def _say(self, command: h.Command) -> None:
        if self.supervisors:
            self.supervisors[-1].say(command)
            self.bells[-1].rung = True

    def see_to(self) -> None:
        """Repair a stuck board by hand."""
        text = self.text(BOARD)
        named = reading.front(text)
        is_stuck = re.search(r"(?m)^current: *$", text) or named.get("current") not in self._tasks()
        if is_stuck and named.get("phase") != "complete":
            last = self._tasks()[-1]
            self._person.edit(BOARD, lambda t: reading.with_value(t, "current", last))
