"""Format a journal record as a line of a story."""

from topkick.engine import messages as h


def line_of(happening: h.Happening) -> str:
    """Return the line; empty for what would only be noise."""
    match happening:
        case h.UnitMoved(unit, was, cause, now):
            return f"{unit}: {was} -> {now} ({cause})"
        case h.SprintMoved(unit, sprint, was, cause, now, why):
            return f"{unit}/{sprint}: {was} -> {now} ({cause}) {why[:60]}"
        case h.CommandGiven(command):
            return f"person: {str(command)[:90]}"
        case h.RunOpened() | h.RunDispatched() | h.RunCancelled() | h.RunClosed():
            why = getattr(happening, "why", "")
            return f"  {type(happening).__name__} {happening.run_id} {why}"
        case h.AgentExited() | h.AgentActive() | h.AgentQuiet():
            return f"  {str(happening)[:110]}"
        case h.GateOpened(gate):
            return f"gate {gate.id} opened of {gate.units or gate.clears}"
        case h.GateRan(gate_id, number, run):
            return f"  gate {gate_id} run {number} of {run.units}: {run.failing or run.trouble}"
        case h.GateJudged(gate_id, verdict, why, groups):
            return f"gate {gate_id} {verdict} {groups} {why[:60]}"
        case h.GateClosed(gate_id, passed):
            return f"gate {gate_id} closed, passed: {passed}"
        case h.CommandRefused(refusal):
            return f"  refused: {refusal}"
        case h.SupervisorWoke(epoch, driven):
            return f"supervisor awake, epoch {epoch}{'' if driven else ', attending only'}"
        case _:
            return ""
