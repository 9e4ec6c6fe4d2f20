"""People's commands, and how they reach a supervisor that may be running or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from proof.simulation import liveness
from proof.simulation.schedule import Step, Timed
from proof.simulation.sim_host import SimHost
from proof.simulation.work import plan_of
from topkick.engine import messages as h
from topkick.engine.errors import JournalUnavailable
from topkick.runner.local_runner import BaseRunner
from topkick.sprint.gates.model import GateMode

if TYPE_CHECKING:
    from proof.simulation.story import Story

KILL_GRACE_S = 3.0


def deliver(story: Story, command: h.Command) -> None:
    """Deliver a command from a terminal while no supervisor is running (SD-05)."""
    if isinstance(command, h.KillAll):
        _kill_by_hand(story)
    try:
        story.post_letter(command)
    except JournalUnavailable:
        story.note(f"{type(command).__name__} could not be posted")


def say(story: Story, command: h.Command) -> None:
    if not story.supervisors:
        goes_on = isinstance(command, h.Resume | h.Retry)
        story.letters.append((command, goes_on))
        return
    try:
        story.post_letter(command)
        story.bells[-1].rung = True
    except JournalUnavailable:
        story.note(f"{type(command).__name__} could not be posted")
        if isinstance(command, h.KillAll):
            _kill_by_hand(story)


def _kill_by_hand(story: Story) -> None:
    """Run killall, which kills first and records when it can (K6)."""
    runner = BaseRunner(SimHost(story.yard, lambda _name: None, lambda _run_id: "never"))
    killed = runner.kill_everything(KILL_GRACE_S)
    story.note(f"killed by hand: {[k.run_id for k in killed]}")
    listed = {pid for k in killed for pid in k.exit.survivors}
    left = [p for p in story.table.ours() if p.role in ("agent", "child")]
    left = [p for p in left if p not in story.oracle.given_up and p.pid not in listed]
    awaited = [p for p in left if story.files[p.run_id].exit is None and p.stuck_s == 0.0]
    story.oracle.require(not awaited, "K4", f"killall left {[(p.pid, p.run_id) for p in awaited]}")


def speaking(story: Story, command: Timed) -> Callable[[], None]:
    def speak() -> None:
        story.figures[f"person {command.what}"] += 1
        _speak(story, command)

    return speak


def coming_back(story: Story) -> Callable[[], None]:
    """Schedule a person who comes back after a while and resumes the run."""

    def come_back() -> None:
        if not story.supervisors and story.driver_at_us is None and not story.letters:
            story.figures["looked in"] += 1
            if story.figures["looked in"] % 2:
                story.letters += [(command, True) for command in liveness.answers(story)]
            else:
                story.letters.append((h.Resume(retry_blocked=True), True))

    return come_back


def _speak(story: Story, command: Timed) -> None:
    match command.what:
        case "stop":
            say(story, h.Stop())
        case "stop unit":
            say(story, h.Stop((_unit(story, command.n),)))
        case "stop twice":
            say(story, h.Stop())
            story.timeline.after(5.0, lambda: say(story, h.Stop(force=True)))
        case "ctrl-c":
            for supervisor in story.supervisors[-1:]:
                supervisor.say(h.Stop())
                story.bells[-1].rung = True
        case "killall":
            say(story, h.KillAll())
        case "killall twice":
            say(story, h.KillAll())
            say(story, h.KillAll())
        case "resume":
            say(story, h.Resume())
        case "resume twice":
            say(story, h.Resume())
            say(story, h.Resume())
        case "resume retry blocked":
            say(story, h.Resume(retry_blocked=True))
        case "resume edited":
            say(story, h.Resume(plan=edited(story, command.n)))
        case "resume other settings":
            fewer = replace(story.settings, max_agents=1 + command.n % 4, only=())
            say(story, h.Resume(settings=fewer))
        case "pass gate":
            say(story, h.PassGate(_gate(story, command.n), "seen"))
        case "refuse gate":
            unit = _unit(story, command.n) if command.n % 2 else ""
            say(story, h.RefuseGate(_gate(story, command.n), "not so", unit))
        case "resume other gates":
            other = (GateMode.AUTO, GateMode.ASK, GateMode.OFF)[command.n % 3]
            story.settings = replace(story.settings, gate=other)
            say(story, h.Resume(settings=story.settings))
        case "end background":
            say(story, h.EndBackground())
        case "nonsense":
            say(story, h.Accept("nobody", "99", "why not"))
        case _:
            _about_a_sprint(story, command)


def _about_a_sprint(story: Story, command: Timed) -> None:
    unit = _unit(story, command.n)
    view = story.oracle.books.units.get(unit)
    sprint = view.current.id if view is not None and view.current is not None else "1"
    match command.what:
        case "retry":
            say(story, h.Retry(unit, sprint, note="try this"))
        case "accept":
            say(story, h.Accept(unit, sprint, "good enough"))
        case "reject":
            say(story, h.Reject(unit, sprint, "not what was meant"))
        case _:
            raise AssertionError(command.what)


def _gate(story: Story, n: int) -> str:
    """Return a gate, usually one that waits for a person."""
    waiting = [g.id for g in story.oracle.gates.open.values() if g.verdict]
    return waiting[n % len(waiting)] if waiting else f"G{1 + n % 3}"


def _unit(story: Story, n: int) -> str:
    names = list(story.oracle.books.units) or [p.name for p in story.schedule.parts]
    return names[n % len(names)]


def edited(story: Story, n: int) -> object:
    """Return the plan with a sprint more, a sprint less, or another criterion."""
    parts = list(story.schedule.parts)
    at = n % len(parts)
    part = parts[at]
    match n % 3:
        case 0:
            part = replace(part, steps=(*part.steps, Step(f"{90 + story.edition}")))
        case 1:
            part = replace(part, steps=part.steps[:-1] or part.steps)
        case _:
            more = [replace(s, checks=s.checks + 1) for s in part.steps]
            part = replace(part, steps=tuple(more))
    parts[at] = part
    story.edition += 1
    story.plan = plan_of(tuple(parts), story.edition)
    story.schedule = replace(story.schedule, parts=tuple(parts))
    return story.plan
