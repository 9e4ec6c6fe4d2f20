"""Choose the next agent, how its launch turns out, and what it does to the project."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from proof.simulation import people
from proof.simulation.schedule import Agent, Step
from topkick.engine import messages as h

if TYPE_CHECKING:
    from proof.simulation.story import Story

SERVES = ("good", "part", "floods")
ONCE = ("slow", "before claim", "launcher dies", "refused")
FAIR = Agent(takes_s=300.0)


class Cast:
    def __init__(self, story: Story) -> None:
        self._story = story
        self._served: Counter[tuple[str, str]] = Counter()
        self._given: dict[str, Agent] = {}
        self._launches: Counter[str] = Counter()

    def step_of(self, part: str, sprint: str) -> Step:
        parts = [p for p in self._story.schedule.parts if p.name == part]
        steps = [s for p in parts for s in p.steps if s.id == sprint]
        return steps[0] if steps else Step(sprint)

    def behaviour(self, run_id: str) -> Agent:
        """Return the behaviour of the agent that a keeper is about to start; one run, one agent."""
        if run_id not in self._given:
            self._given[run_id] = self._choose(run_id)
        return self._given[run_id]

    def _choose(self, run_id: str) -> Agent:
        oracle = self._story.oracle
        if run_id in oracle.background_of:
            return Agent("service", deaf=len(run_id) % 2 == 0)
        run = oracle.books.runs.get(run_id)
        if run is None:
            return FAIR
        key = (run.unit, run.sprint)
        place = self._served[key]
        self._served[key] += 1
        mine = self.step_of(*key).agents
        return mine[place] if place < len(mine) and not self._story.fair else FAIR

    def launching(self, run_id: str) -> str:
        """Return how a launch turns out; most special ways affect only a run's first launch."""
        self._launches[run_id] += 1
        self._story.figures["launches"] += 1
        fate = self.behaviour(run_id).launch
        return "ok" if self._launches[run_id] > 1 and fate in ONCE else fate

    def work(self, run_id: str, agent: Agent) -> None:
        run = self._story.oracle.books.runs[run_id]
        step = self.step_of(run.unit, run.sprint)
        checks = self._story.oracle.books.sprint(run.unit, run.sprint).checks
        self._story.project.work(run.unit, step, agent, run_id, checks)
        if step.type == "background" and agent.kind in SERVES:
            name = f"service {run.unit}/{run.sprint}"
            people.say(self._story, h.BeginBackground(run_id, name, ("serve",), "."))
            self._story.figures["backgrounds"] += 1

    def newest_change_s(self, directory: Path) -> float:
        """Return the latest change: silent agents of one kind change files while they live."""
        for run_id, files in self._story.files.items():
            proc, run = files.agent_proc, self._story.oracle.books.runs.get(run_id)
            mine = run is not None and run.unit.lower() == directory.name
            if mine and files.behaves.kind == "part" and proc is not None and proc.alive:
                return self._story.timeline.monotonic_s()
        return 1.0
