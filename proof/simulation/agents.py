"""Agents as automata: each does its work, or not, and ends in its own way."""

from proof.simulation.processes import Proc
from proof.simulation.schedule import Agent
from proof.simulation.yard import Yard

ENDLESS = ("hangs", "busy", "service")


def begin_agent(yard: Yard, run_id: str, keeper: Proc | None) -> Proc:
    """Start the agent itself, which continues without its keeper."""
    files = yard.files[run_id]
    agent = files.behaves
    proc = yard.table.spawn("agent", run_id, files.mark, keeper)
    proc.deaf, proc.dies_s = agent.deaf, agent.dies_s
    proc.stuck_s = 40.0 if agent.child == "stuck" else 0.0
    files.agent_proc = proc
    yard.struck(f"agent {agent.kind}")
    yard.note(f"agent {run_id} begins ({agent.kind}, {agent.takes_s:.0f} s)")
    if agent.kind in ENDLESS:
        return proc

    def work() -> None:
        if proc.alive:
            yard.work(run_id, agent)

    def end() -> None:
        if proc.alive:
            _leave_child(yard, proc, agent)
            code, number = _how_it_ends(agent)
            yard.note(f"agent {run_id} ends with {code if number is None else -number}")
            yard.table.end(proc, code, number)

    yard.timeline.after(agent.takes_s * agent.at, work)
    yard.timeline.after(agent.takes_s, end)
    return proc


def _leave_child(yard: Yard, proc: Proc, agent: Agent) -> None:
    if agent.child in ("meek", "deaf"):
        child = yard.table.spawn("child", proc.run_id, proc.mark, proc)
        child.deaf = agent.child == "deaf"


def _how_it_ends(agent: Agent) -> tuple[int | None, int | None]:
    match agent.kind:
        case (
            "fails" | "done but 1" | "same failure" | "limit" | "limit until" | "provider" | "auth"
        ):
            return 1, None
        case "crashes":
            return None, 11
        case _:
            return 0, None
