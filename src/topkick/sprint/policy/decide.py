"""The sprint supervisor's policy: pass each question of the engine to the module in charge."""

from collections.abc import Sequence
from typing import assert_never

from topkick.engine import messages as h
from topkick.engine.messages import questions as q
from topkick.sprint.checkpoint import policy
from topkick.sprint.gates import policy as gates_policy
from topkick.sprint.model import Mission
from topkick.sprint.needs import policy as needs_policy
from topkick.sprint.obey import commands
from topkick.sprint.policy import integration, judgement, moves, run_trouble


def decide(mission: Mission, question: q.Question) -> Sequence[h.Event]:
    match question:
        case q.WhatOfCommand(command):
            return commands.obey(mission, command)
        case q.WhatOfGround(run_id, ground):
            return moves.dispatch_on(mission, mission.runs[run_id], ground)
        case q.WhatOfActivity(run_id):
            return run_trouble.saw_activity(mission, mission.runs[run_id])
        case q.WhatOfSilence(run_id, polls):
            return run_trouble.heard_nothing(mission, mission.runs[run_id], polls)
        case q.WhatOfExit(run_id, agent_exit):
            return run_trouble.saw_exit(mission, mission.runs[run_id], agent_exit)
        case q.WhatOfWork(run_id, evidence):
            run = mission.runs[run_id]
            return (
                *judgement.judge_work(mission, run, evidence),
                *needs_policy.noted(mission, evidence),
            )
        case q.WhatOfIntegration(run_id, found):
            return integration.was_integrated(mission, mission.runs[run_id], found)
        case q.WhatOfGate(gate_id):
            return gates_policy.was_run(mission, mission.gates[gate_id])
        case q.WhatOfEdits():
            return policy.was_written(question)
        case q.WhatOfFiles() | q.WhatOfBus() | q.WhatOfPosts():
            return ()
        case q.WhatOfBackground() | q.WhatOfErrand():
            return ()
        case q.WhatNext(to_look_at):
            return moves.what_next(mission, to_look_at)
        case _:
            assert_never(question)
