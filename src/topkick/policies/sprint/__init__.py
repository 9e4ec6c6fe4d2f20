"""The sprint supervisor: plans of work units and sprints, as one decide()."""

from collections.abc import Sequence
from typing import assert_never

from topkick.core import happenings as h
from topkick.core.mission import Mission
from topkick.policies.sprint import (
    checkpointing,
    commands,
    gating,
    integrating,
    judging,
    moves,
    noting,
    watching,
)


def decide(mission: Mission, question: h.Question) -> Sequence[h.Event]:
    match question:
        case h.WhatOfCommand(command):
            return commands.obey(mission, command)
        case h.WhatOfGround(run_id, ground):
            return moves.dispatch_on(mission, mission.runs[run_id], ground)
        case h.WhatOfActivity(run_id):
            return watching.saw_activity(mission, mission.runs[run_id])
        case h.WhatOfSilence(run_id, polls):
            return watching.heard_nothing(mission, mission.runs[run_id], polls)
        case h.WhatOfExit(run_id, agent_exit):
            return watching.saw_exit(mission, mission.runs[run_id], agent_exit)
        case h.WhatOfWork(run_id, evidence):
            run = mission.runs[run_id]
            return (*judging.judge_work(mission, run, evidence), *noting.noted(mission, evidence))
        case h.WhatOfIntegration(run_id, found):
            return integrating.was_integrated(mission, mission.runs[run_id], found)
        case h.WhatOfGate(gate_id):
            return gating.was_run(mission, mission.gates[gate_id])
        case h.WhatOfEdits():
            return checkpointing.was_written(question)
        case h.WhatOfFiles() | h.WhatOfBus() | h.WhatOfPosts():
            return ()
        case h.WhatOfBackground() | h.WhatOfErrand():
            return ()
        case h.WhatNext(to_look_at):
            return moves.what_next(mission, to_look_at)
        case _:
            assert_never(question)
