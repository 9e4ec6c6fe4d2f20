"""An epic from its goal to its review surface, tick by tick, on one host after another."""

import json
from collections.abc import Callable
from pathlib import Path

from proof.simulation.files import reading
from proof.simulation.files.epic_cast import EpicCast
from proof.simulation.files.epic_oracle import EpicOracle
from proof.simulation.files.people import Person
from proof.simulation.files.schedule import FileSchedule
from proof.simulation.files.story import FileStory
from proof.simulation.files.words import GARBAGE, reported
from proof.simulation.schedule import Agent, Timed
from proof.simulation.work import PROGRAM
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.settings import Settings
from topkick.epic.settings import EpicSettings, Worker
from topkick.plan_format.model import Plan

EPIC = "tasks/sim.md"
WORKERS = (Worker("claude", PROGRAM, capacity=2), Worker("gemini", PROGRAM, capacity=1))
TEXT = "---\nid: sim\ntitle: Read headers\nstatus: queued\nproject: null\n---\n# Read headers\n"
MOVE_LATER_S = 37.0
WRITING = ("file: before read", "files.before-edit", "files.before-rename", "told")


class EpicStory(FileStory):
    kind = "epic"

    def __init__(self, schedule: FileSchedule, room: Path, tell: Callable[[str], None]) -> None:
        super().__init__(schedule, room, tell)
        self._person = Person(self)
        self._cast = EpicCast(self)

    def judge(self) -> EpicOracle:
        oracle = EpicOracle(self.timeline.monotonic_s, self.hear, EPIC)
        oracle.wall_us = self.timeline.wall_us
        return oracle

    @property
    def _oracle(self) -> EpicOracle:
        assert isinstance(self.oracle, EpicOracle)
        return self.oracle

    def settings(self) -> Settings:
        return Settings(agent=PROGRAM, epic=EpicSettings(WORKERS, host=self.host.name))

    def plan(self) -> Plan:
        return Plan("Read headers", "one", file=EPIC)

    def lay_out(self) -> None:
        self.put(EPIC, TEXT)

    @property
    def body(self) -> reading.Body:
        return reading.body_of(self.text(EPIC))

    # --- the command -----------------------------------------------------------------------

    def command(self) -> None:
        if self.stands().plan is None:
            self.begin()
        self.serve(h.Resume(settings=self.settings()))

    def is_done(self) -> bool:
        return self.body.status == "ready_for_user_review" and EPIC not in self.oracle.broken

    # --- agents ----------------------------------------------------------------------------

    def play(self, run_id: str, agent: Agent) -> Evidence:
        if agent.kind in GARBAGE or agent.kind in ("limit", "trouble"):
            return reported(agent, self.timeline.wall_us())
        answer = self._cast.answer(self.oracle.orders[run_id], agent)
        return Evidence(answer=Text.of(json.dumps(answer)))

    # --- people ----------------------------------------------------------------------------

    def person(self, act: Timed) -> None:
        task = self._task(act.n)
        seam = WRITING[act.n % len(WRITING)]
        match act.what:
            case "note":
                self._person.edit(EPIC)
            case "note while it writes":
                self._person.edit_when(seam, EPIC)
            case "note in a task":
                self._person.edit(task)
            case "note in a task while it writes":
                self._person.edit_when(seam, task)
            case "queue":
                self._queue()
            case "pause":
                self._pause(act.for_s)
            case "pause while it asks":
                self.seams.meanwhile("read claim", lambda: self._pause(act.for_s * 20))
            case "half a file":
                self._person.half(EPIC, act.for_s)
            case "no file":
                self._person.away(EPIC if act.n % 2 else task, act.for_s)
            case "no task":
                self._person.away(task, act.for_s)
            case "move":
                self._move()
            case _:
                self._to_a_row(act)

    def _move(self) -> None:
        """Move to another host between two ticks while a worker is running: only the files move."""
        out = [row for row in self.body.items if row["Status"] == "in_progress"]
        if self.fair or self.is_done():
            return
        if self.supervisors or not out:
            self.timeline.after(MOVE_LATER_S, self._move)
            return
        self.note(f"moved while {[row['ID'] for row in out]} are out")
        self.figures["moved"] += 1
        self.move()

    def _task(self, n: int) -> str:
        ids = list(self.body.by_id)
        return f"tasks/{ids[n % len(ids)]}.md" if ids else EPIC

    def _queue(self) -> None:
        if self.body.status in {"ready", "review", "blocked"}:
            self._person.edit(EPIC, lambda text: reading.with_value(text, "status", "queued"))

    def _pause(self, for_s: float) -> None:
        before = self.body.status
        if before not in {"queued", "in_progress"}:
            return
        self._person.edit(EPIC, lambda text: reading.with_value(text, "status", "paused"))

        def go_on() -> None:
            if self.body.status == "paused":
                self._person.edit(EPIC, lambda text: reading.with_value(text, "status", before))

        self.timeline.after(for_s, go_on)

    def _to_a_row(self, act: Timed) -> None:
        rows = list(self.body.by_id.values())
        if not rows:
            return
        row = rows[act.n % len(rows)]
        match act.what:
            case "cancel a row" if row["Status"] in {"queued", "ready"}:
                self._set_row(row, "cancelled")
            case "requeue a row" if row["Status"] in {"in_progress", "blocked", "review"}:
                self._requeue(row)
            case "own row":
                self._own_row(f"(mine, {act.at_s})")
            case _:
                return

    def _own_row(self, name: str) -> None:
        line = f"| 9 | {name} | Ask Ann | ready |" + "  |" * 11
        self._person.edit(EPIC, lambda text: _after_last_row(text, line))
        if name in self.text(EPIC):
            self.oracle.words.append((EPIC, name))

    def _requeue(self, row: reading.Row) -> None:
        self._oracle.requeued.add(row["ID"])
        self._set_row(row, "queued")

    def _set_row(self, row: reading.Row, status: str) -> None:
        def changed(text: str) -> str:
            lines = text.split("\n")
            for n, line in enumerate(lines):
                if line.startswith("| ") and f" | {row['ID']} | " in line:
                    lines[n] = line.replace(f" | {row['Status']} | ", f" | {status} | ", 1)
                    break
            return "\n".join(lines)

        self._person.edit(EPIC, changed)

    def see_to(self) -> None:
        """Approve, clear, reset rows that no host knows, and kill workers that never end."""
        self._cast.restore()
        for name in self.body.by_id:
            self.host.end_silent(self.body.by_id[name]["Dispatch"])
        if self.body.status in {"ready", "review", "blocked", "paused", "inbox"}:
            self._person.edit(EPIC, lambda text: reading.with_value(text, "status", "queued"))
        for row in self.body.items:
            out = row["Status"] == "in_progress" and not row["Outcome"]
            if out and self.host.state_of(row["Dispatch"])[0] == "absent":
                self._requeue(row)


def _after_last_row(text: str, line: str) -> str:
    before, title, after = text.partition("## Work Items\n")
    if not title:
        return text
    lines = after.split("\n")
    first = next((n for n, row in enumerate(lines) if row.startswith("|")), 0)
    gap = next((n for n in range(first, len(lines)) if not lines[n].startswith("|")), first)
    lines.insert(gap, line)
    return before + title + "\n".join(lines)
