"""What a person says, and who carries it out."""

from collections.abc import Iterable, Sequence
from typing import assert_never

from topkick.core import happenings as h
from topkick.core.mission import Mission
from topkick.policies.sprint import deciding, gating, integrating, refusals, resuming, stopping


def obey(mission: Mission, command: h.Command) -> Sequence[h.Event]:
    refusal = refusals.why_not(mission, command)
    return (h.CommandRefused(refusal),) if refusal else tuple(_carry_out(mission, command))


def _carry_out(mission: Mission, command: h.Command) -> Iterable[h.Event]:
    match command:
        case h.Start():
            return resuming.start(command)
        case h.Resume():
            return resuming.resume(mission, command)
        case h.Stop():
            return stopping.stop(mission, command)
        case h.KillAll():
            return stopping.killall(mission, command)
        case h.Accept():
            return deciding.accept(mission, command)
        case h.Reject():
            return deciding.reject(mission, command)
        case h.PassGate() | h.RefuseGate():
            return gating.answered(mission, command)
        case h.AcceptBranch():
            return integrating.accept_branch(mission, command)
        case h.Waive():
            return deciding.waive(mission, command)
        case h.Retry():
            return resuming.retry(mission, command)
        case h.BeginBackground():
            return stopping.begin_background(mission, command)
        case h.EndBackground(names):
            return stopping.end_background(mission, names)
        case h.OverrideCheckpoint() | h.ReviseUpstream() | h.AbortPipeline():
            raise AssertionError("refused, for a plan has no checkpoints of this kind")
        case _:
            assert_never(command)
