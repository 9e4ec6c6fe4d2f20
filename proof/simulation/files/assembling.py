"""Assemble the real supervisor, journal, runner, agent executor and file executor in the simulated
world.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from proof.simulation.assembling import Agents
from proof.simulation.files.benches import Files, HearBench
from proof.simulation.looks import Echo
from proof.simulation.sim_host import SimHost
from proof.simulation.world import Bell, SimBoard, SimWorld, WatchedJournal
from topkick.app.slices import policy_of
from topkick.engine.codec.texts import Text
from topkick.engine.io.file_executor import FileBench
from topkick.engine.journal.writer import Journal
from topkick.engine.loop import Supervisor
from topkick.runner.agent_executor import AgentBench
from topkick.runner.local_runner import BaseRunner

if TYPE_CHECKING:
    from proof.simulation.files.story import FileStory


def assemble(story: FileStory, held: ExitStack) -> Supervisor:
    host = story.host
    journal = held.enter_context(Journal.open(host.journal, anchor=host.anchor))
    story.oracle.opened(list(journal.records()))
    supervisor: Supervisor
    machine = SimHost(host.yard, story.seam, story.launching)

    def body(text: Text) -> str:
        found = text.body if text.body is not None else journal.text(text.sha256)
        story.oracle.require(found is not None, "J3", "the journal has lost a text")
        return found or ""

    agents = AgentBench(
        BaseRunner(machine),
        story.root,
        host.state,
        lambda: supervisor.mission.settings,
        body,
        {},
        monotonic_s=story.timeline.monotonic_s,
        newest_change_s=lambda _directory: 1.0,
    )
    hears = HearBench(story.timeline, story.hear)
    held.callback(hears.close)
    files = Files(FileBench(story.root, body, host.state_of))
    benches = (Echo(Agents(agents, machine)), Echo(hears), files)
    bell = Bell()
    supervisor = Supervisor(
        policy_of(story.kind),
        WatchedJournal(journal, story.oracle, lambda: None),  # type: ignore[arg-type]
        benches,  # type: ignore[arg-type]
        SimWorld(story.timeline, story.seam, (bell, *benches), story.oracle.waiting),
        SimBoard(story.timeline, story.seam, story.keep_anchor),
        story.heard,
        lambda _line: story.figures.update(complaints=1),
    )
    story.supervisors.append(supervisor)
    story.bells.append(bell)
    story.echoes += benches[:2]
    return supervisor
