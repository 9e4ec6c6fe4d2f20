"""A world for one epic on the kernel: files, and workers and subagents with scripted answers.

Every order of the kernel is carried out here as the benches would; a `crash` throws away what is in
memory and replays the records, so a tick can be cut off wherever it writes something down.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rig import SETTINGS, replayed
from topkick.app.slices import policy_of
from topkick.checks.model import Evidence
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentProgram, Ending
from topkick.engine.codec.codec import Codec, Text
from topkick.engine.effects import Came, Edit, Propose, Seen, SeenBranch, SeenRun, Share, Upshot
from topkick.engine.kernel import step
from topkick.engine.settings import Settings
from topkick.epic.body import Epic, read_epic
from topkick.epic.items import COLUMNS, branch_of
from topkick.epic.settings import EpicSettings, Worker
from topkick.plan_format.model import Plan
from topkick.sprint.model import Mission
from topkick.sprint.orders import orders
from topkick.sprint.status import is_at_rest

PATH = "tasks/epic-1.md"
START_US = 1_780_000_000_000_000
HOUR_US = 3_600_000_000
WORKERS = (
    Worker("claude", AgentProgram("claude", ("agent",)), capacity=2),
    Worker("gemini", AgentProgram("gemini", ("agent",)), capacity=1),
)
EPIC = EpicSettings(WORKERS, host="here")
CODEC = Codec(h.Fact, h.Event)
NEW = """---
id: epic-1
title: Read headers
status: queued
project: null
---
# Read headers

What a person wrote stays.
"""


def task(task_id: str, text: str = "Do it.", **matter: str) -> str:
    lines = [
        f"{key}: {value}" for key, value in {"id": task_id, "status": "queued", **matter}.items()
    ]
    return "---\n" + "\n".join(lines) + f"\n---\n# {task_id}\n\n{text}\n"


def row(task_id: str, status: str = "queued", **cells: str) -> str:
    names = ("Title", "Worker", "Review surface", "Notes", "Project", "After", "Dispatch", "Host",
             "Dispatches", "Last activity", "Outcome", "Critic", "Branch", "Refusals")  # fmt: skip
    by_name = {name.lower().replace(" ", "_"): "" for name in names} | cells
    title, worker, surface, notes, *rest = by_name.values()
    return "| " + " | ".join(("1", task_id, title, status, worker, surface, notes, *rest)) + " |"


def body(*rows: str, status: str = "queued", phase: str = "", memory: str = "") -> str:
    columns = COLUMNS
    text = NEW.replace("status: queued", f"status: {status}")
    text += f"\n## Supervisor State\n\n**Phase**: {phase}\n"
    text += "\n## Work Items\n\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns) + "\n"
    text += "\n".join(rows) + "\n\n### Criteria of t-1\n\n- it works\n"
    text += "\n## Pattern Memory\n\n| Tick (ISO) | Decision | Class | Notes |\n|---|---|---|---|\n"
    return text + memory


@dataclass
class Branch:
    """The branch that hosts share: a host may write only on top of the state that it has seen."""

    files: dict[str, str] = field(default_factory=dict)
    landed: dict[str, dict[str, str]] = field(default_factory=dict)
    down: bool = False


@dataclass
class World:
    """`answers` are what subagents say, one after the other; `come_back` ends a worker."""

    files: dict[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=lambda: replace(SETTINGS, epic=EPIC))
    answers: list[str] = field(default_factory=list)
    mission: Mission = field(default_factory=Mission)
    records: list[tuple[h.Happening, int]] = field(default_factory=list)
    at_us: int = START_US
    states: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    cannot_start: str = ""
    remote: Branch = field(default_factory=Branch)
    level: dict[str, str] = field(default_factory=dict)
    pulls: dict[str, Propose] = field(default_factory=dict)
    gh_trouble: str = ""
    on_push: Callable[["World"], None] | None = None
    meanwhile: Callable[["World"], None] | None = None
    crash_after: int | None = None
    missions: int = 0
    story: list[str] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=lambda: {"asks": 0, "sends": 0})

    # --- one tick ----------------------------------------------------------------------------

    def tick(self, after_s: float = 60) -> str:
        """Run a tick as `topkick epic tick` does, and return its last line."""
        self.at_us += round(after_s * 1e6)
        self.tell(h.SupervisorWoke(1 + len(self.records), driven=True))
        if self.mission.plan is None:
            self.missions += 1
            plan = Plan("Read headers", "one", file=PATH)
            self.tell(h.CommandGiven(h.Start(f"m{self.missions}", plan, self.settings)))
        elif self.mission.stance.value != "working":
            self.tell(h.CommandGiven(h.Resume(settings=self.settings)))
        for _ in range(200):
            facts = [fact for order in orders(self.mission, self.at_us) for fact in self._do(order)]
            news = [fact for fact in facts if self.tell(fact)]
            if not news and is_at_rest(self.mission):
                break
        assert is_at_rest(self.mission), "the tick does not end"
        said = self.mission.ended.why if self.mission.ended else ""
        self._tell_story(said)
        return said

    def _tell_story(self, said: str) -> None:
        """One paragraph for each tick: whom it asked and sent, its row, and how it ended."""
        self.story.append(f"tick {len(self.story) + 1}")
        for told, known in (("asks", self.asked), ("sends", self.sent)):
            self.story[-1] += "".join(f"\n    {told} {x}" for x in known[self.told[told] :])
            self.told[told] = len(known)
        epic = self.epic
        if epic.rows:
            last = epic.rows[-1]
            self.story[-1] += f"\n    row: {last.decision} | {last.found} | {last.notes}"
        for item in epic.items:
            cells = (item.status, item.worker, item.surface, item.outcome, item.critic, item.notes)
            shown = " | ".join(cell for cell in cells if cell)
            self.story[-1] += f"\n    {item.id}: {shown}"
        ended = "done" if self.mission.ended and self.mission.ended.done else "for a person"
        self.story[-1] += f"\n    epic {epic.status} ({epic.phase}); {ended}: {said}\n"

    def tell(self, fact: h.Fact) -> bool:
        """Take a fact, and return whether it was not stale."""
        done = step(policy_of("epic"), self.mission, fact, self.at_us)
        if done.stale:
            return False
        self.mission = done.mission
        self.records += [(x, self.at_us) for x in (fact, *done.events)]
        if self.crash_after is not None:
            self.crash_after -= 1
            if self.crash_after < 0:
                self.crash_after = None
                raise Crash
        return True

    def restart(self) -> None:
        """Replay the mission from the records, in which texts are known by their hash only."""
        written = [(CODEC.encode(x), at_us) for x, at_us in self.records]
        self.mission = replayed((CODEC.decode(*x), at_us) for x, at_us in written)

    def lose_journal(self) -> None:
        self.mission, self.records = Mission(), []

    # --- what benches do ---------------------------------------------------------------------

    def _do(self, order: h.Order) -> Iterator[h.Fact]:
        match order:
            case h.ReadFiles(_, look, glance):
                files = tuple(self._seen(path) for path in glance.paths)
                runs = tuple(SeenRun(r, self.states.get(r, "absent")) for r in glance.runs)
                branches = tuple(SeenBranch(b, self.branches.get(b, "")) for b in glance.branches)
                yield h.FilesObserved(files, look, runs, branches)
            case h.EditFiles(_, number, edits):
                yield self._edited(number, edits)
            case h.RunErrand(errand_id, number, Share() as share):
                yield h.ErrandDone(number, self._share(errand_id, share))
            case h.RunErrand(_, number, Propose() as proposal):
                yield h.ErrandDone(number, self._propose(proposal))
            case h.RunAgent():
                yield from self._run(order)
            case h.CheckWork(run_id=run_id):
                yield h.WorkChecked(run_id, Evidence(answer=Text.of(self.said.get(run_id, ""))))
            case _:
                return

    def _seen(self, path: str) -> Seen:
        return Seen(path, Text.of(self.files[path]) if path in self.files else None)

    def _edited(self, number: int, edits: tuple) -> h.FilesEdited:
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act(self)
        bodies = self._bodies()
        for edit in edits:
            found = Text.of(self.files[edit.path]).sha256 if edit.path in self.files else ""
            if found == edit.content.sha256:
                continue
            if found != edit.was:
                return h.FilesEdited(number, changed=edit.path)
            self.files[edit.path] = bodies[edit.content.sha256]
        return h.FilesEdited(number)

    def _bodies(self) -> dict[str, str | None]:
        return {t.sha256: t.body for x, _ in self.records for t in _texts(x)}

    def _share(self, errand_id: str, share: Share) -> Upshot:
        if self.remote.down:
            return Upshot(Came.FAILED, "the remote is down")
        if not share.edits:
            return self._brought_level(share.paths)
        if errand_id not in self.remote.landed:
            if lost := [e.path for e in share.edits if not self._is_level(e)]:
                return Upshot(Came.LOST, lost[0])
            new = {e.path: self._bodies()[e.content.sha256] or "" for e in share.edits}
            self.remote.landed[errand_id] = new
            self.remote.files |= new
            if self.on_push is not None:
                act, self.on_push = self.on_push, None
                act(self)
        theirs = {e.path: self.remote.files[e.path] for e in share.edits}
        self.files |= theirs
        self.level |= theirs
        passed = theirs != self.remote.landed[errand_id]
        return Upshot(Came.OVERTAKEN if passed else Came.DONE)

    def _is_level(self, edit: Edit) -> bool:
        there = self.remote.files.get(edit.path)
        same = there is not None and Text.of(there).sha256 == edit.was
        return same or there == self.level.get(edit.path)

    def _brought_level(self, paths: tuple[str, ...]) -> Upshot:
        for path in paths:
            here, there = self.files.get(path), self.remote.files.get(path)
            if here is not None and there == self.level.get(path):
                self.remote.files[path] = here
            elif there is not None and here in {self.level.get(path), None, there}:
                self.files[path] = there
            elif there is not None:
                return Upshot(Came.FAILED, f"{path} was changed here and there")
            if path in self.files:
                self.level[path] = self.files[path]
        return Upshot(Came.DONE)

    def _propose(self, proposal: Propose) -> Upshot:
        if self.gh_trouble:
            return Upshot(Came.FAILED, self.gh_trouble)
        self.pulls[proposal.branch] = proposal
        number = list(self.pulls).index(proposal.branch) + 1
        return Upshot(Came.DONE, f"https://example.org/o/r/pull/{number}")

    def _run(self, order: h.RunAgent) -> Iterator[h.Fact]:
        worker = order.sprint.startswith("worker ")
        state = self.states.get(order.id, "absent")
        if state == "absent":
            if not order.launch:
                yield h.AgentExited(order.id, AgentExit(Ending.STOPPED))
                return
            yield from self._begin(order, worker)
        elif state == "exited":
            yield h.AgentExited(order.id, AgentExit(Ending.EXITED, self.codes.get(order.id, 0)))
        elif worker:
            yield h.AgentActive(order.id)

    def _begin(self, order: h.RunAgent, worker: bool) -> Iterator[h.Fact]:
        if worker and self.cannot_start:
            yield h.AgentExited(order.id, AgentExit(Ending.CANNOT_START, detail=self.cannot_start))
            return
        self.states[order.id] = "running" if worker else "exited"
        (self.sent if worker else self.asked).append(order.sprint)
        if not worker:
            self.said[order.id] = self.answers.pop(0)
            self.codes[order.id] = 1 if self.said[order.id].startswith("CRASH") else 0
        self.prompts.append(self._bodies()[order.dispatch.prompt.sha256] or "")
        yield h.AgentActive(order.id)

    # --- what people and workers do ------------------------------------------------------------

    def come_back(self, item: str, deliverable: str = "branch", code: int = 0) -> None:
        """End the item's worker, with a branch, with a named deliverable, or with nothing."""
        dispatch = self.epic.item(item).dispatch
        self.states[dispatch] = "exited"
        self.codes[dispatch] = code
        named = "" if deliverable == "branch" else deliverable
        said = {"deliverable": named, "summary": "It is there.", "next": "nothing follows"}
        self.said[dispatch] = json.dumps(said) if deliverable else "I am lost."
        if deliverable == "branch":
            self.branches[branch_of(self.epic.item(item))] = f"{len(self.records):06x}" + "0" * 34

    def edit(self, old: str, new: str, path: str = PATH) -> None:
        assert old in self.files[path], old
        self.files[path] = self.files[path].replace(old, new, 1)

    @property
    def epic(self) -> Epic:
        return _read(self.files[PATH], self.at_us)

    @property
    def classes(self) -> list[str]:
        return [row.found for row in self.epic.rows]


@lru_cache(maxsize=4)
def _read(text: str, at_us: int) -> Epic:
    return read_epic(text, fallback_id="e", at_us=at_us, host="here")


class Crash(Exception):
    """The supervisor dies here."""


def _texts(happening: h.Happening) -> Iterator[Text]:
    match happening:
        case h.EditsAsked(edits) | h.ErrandAsked(Share(edits=edits)):
            yield from (edit.content for edit in edits)
        case h.RunDispatched(_, dispatch):
            yield dispatch.prompt
        case _:
            return


def dispatch(
    task_id: str, worker: str = "claude", command: str = "Do it.", project: str = ""
) -> str:
    return json.dumps({"action": "dispatch", "task_id": task_id, "worker": worker,
                       "project": project, "command": command})  # fmt: skip


def fix(parent: str, title: str = "Mend the tool", text: str = "Make it work.") -> str:
    return json.dumps({"action": "file_fix_task", "parent": parent, "title": title, "body": text})


def halt(status: str = "review", reason: str = "a person has to choose") -> str:
    return json.dumps({"action": "halt", "status": status, "reason": reason})


def verdict(word: str, reason: str = "") -> str:
    return json.dumps({"verdict": word} | ({"reason": reason} if reason else {}))
