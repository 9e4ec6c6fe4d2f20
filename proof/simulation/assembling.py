"""Assemble the real supervisor, journal, runner and agent executor in the simulated world."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from proof.simulation.looks import Echo, LookBench
from proof.simulation.sim_host import SimHost
from proof.simulation.world import Bell, PlanDesk, SimBoard, SimWorld, WatchedJournal
from topkick.engine.codec.texts import Text
from topkick.engine.journal.writer import Journal
from topkick.engine.kernel import checked
from topkick.engine.loop import Supervisor
from topkick.runner.agent_executor import AgentBench
from topkick.runner.local_runner import BaseRunner
from topkick.sprint.policy.decide import decide

if TYPE_CHECKING:
    from proof.simulation.story import Story


class Agents:
    """The agent executor, readable when its host has signs."""

    def __init__(self, bench: AgentBench, host: SimHost) -> None:
        self._bench = bench
        self.readable = host.readable

    def __getattr__(self, name: str) -> object:
        return getattr(self._bench, name)


def assemble(story: Story, held: ExitStack) -> Supervisor:
    journal = held.enter_context(Journal.open(story.path, anchor=story.anchor))
    story.oracle.opened(list(journal.records()))
    supervisor: Supervisor
    host = SimHost(story.yard, story.seam, story.launching)
    bench = AgentBench(
        BaseRunner(host),
        story.room,
        story.room,
        lambda: supervisor.mission.settings,
        lambda text: _body(story, journal, text),
        {},
        monotonic_s=story.timeline.monotonic_s,
        newest_change_s=story.cast.newest_change_s,
    )
    looks = LookBench(story.timeline, story.project, story.part_of, story.looked, story.builder)
    held.callback(looks.close)
    desk = PlanDesk(
        lambda: supervisor.mission.plan.sha256 if supervisor.mission.plan else "",
        lambda: f"edition {story.edition}",
    )
    benches = (Echo(Agents(bench, host)), Echo(looks), desk)
    bell = Bell()
    supervisor = Supervisor(
        checked(decide),
        WatchedJournal(journal, story.oracle, story.turning),  # type: ignore[arg-type]
        benches,  # type: ignore[arg-type]
        SimWorld(story.timeline, story.seam, (bell, *benches), story.waiting),
        SimBoard(story.timeline, story.seam, story.keep_anchor),
        lambda news: story.heard(before, news),
        lambda _line: story.figures.update(complaints=1),
    )
    story.replayed(supervisor.mission)
    before = [supervisor.mission]
    story.oracle.compare(supervisor.mission)
    story.supervisors.append(supervisor)
    story.bells.append(bell)
    story.echoes += benches[:2]
    story.looking = looks
    return supervisor


def _body(story: Story, journal: Journal, text: Text) -> str:
    body = text.body if text.body is not None else journal.text(text.sha256)
    story.oracle.require(body is not None, "J3", "the journal has lost a prompt")
    return body or ""
