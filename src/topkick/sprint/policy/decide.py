"""The sprint supervisor's policy: pass each question of the engine to the module in charge."""

from collections.abc import Sequence
from typing import assert_never

from topkick.engine import messages as h
from topkick.sprint.checkpoint import policy
from topkick.sprint.gates import policy as gates_policy
from topkick.sprint.model import Mission
from topkick.sprint.needs import policy as needs_policy
from topkick.sprint.obey import commands
from topkick.sprint.policy import integration, judgement, moves, run_trouble


def decide(mission: Mission, question: h.Question) -> Sequence[h.Event]:
    match question:
        case h.WhatOfCommand(command):
            return commands.obey(mission, command)
        case h.WhatOfGround(run_id, ground):
            return moves.dispatch_on(mission, mission.runs[run_id], ground)
        case h.WhatOfActivity(run_id):
            return run_trouble.saw_activity(mission, mission.runs[run_id])
        case h.WhatOfSilence(run_id, polls):
            return run_trouble.heard_nothing(mission, mission.runs[run_id], polls)
        case h.WhatOfExit(run_id, agent_exit):
            return run_trouble.saw_exit(mission, mission.runs[run_id], agent_exit)
        case h.WhatOfWork(run_id, evidence):
            run = mission.runs[run_id]
            return (
                *judgement.judge_work(mission, run, evidence),
                *needs_policy.noted(mission, evidence),
            )
        case h.WhatOfIntegration(run_id, found):
            return integration.was_integrated(mission, mission.runs[run_id], found)
        case h.WhatOfGate(gate_id):
            return gates_policy.was_run(mission, mission.gates[gate_id])
        case h.WhatOfEdits():
            return policy.was_written(question)
        case h.WhatOfFiles() | h.WhatOfBus() | h.WhatOfPosts():
            return ()
        case h.WhatOfBackground() | h.WhatOfErrand():
            return ()
        case h.WhatNext(to_look_at):
            return moves.what_next(mission, to_look_at)
        case _:
            assert_never(question)
