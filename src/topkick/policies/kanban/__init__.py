"""The kanban supervisor: run the role that the board names, check the form, inform the Manager,
repeat.
"""

from collections.abc import Sequence
from typing import assert_never

from topkick.core import happenings as h
from topkick.core import lone_runs
from topkick.core.mission import Mission
from topkick.policies.kanban import answering, rounds

POLICY = "kanban"


def decide(mission: Mission, question: h.Question) -> Sequence[h.Event]:
    match question:
        case h.WhatOfCommand(command):
            said = lone_runs.obey(POLICY, mission, command)
            return (*said, *rounds.afresh(command))
        case h.WhatOfFiles(files):
            return rounds.on_sight(mission, files) if lone_runs.may_go_on(mission) else ()
        case h.WhatOfSilence(run_id, polls):
            return lone_runs.saw_silence(mission, mission.runs[run_id], polls)
        case h.WhatOfExit(run_id, ended):
            return lone_runs.saw_exit(mission, mission.runs[run_id], ended)
        case h.WhatOfWork(run_id, evidence):
            return answering.heard(mission, mission.runs[run_id], evidence)
        case h.WhatNext():
            enough = lone_runs.enough(mission)
            return enough or (rounds.what_next(mission) if lone_runs.may_go_on(mission) else ())
        case (
            h.WhatOfActivity()
            | h.WhatOfGround()
            | h.WhatOfIntegration()
            | h.WhatOfGate()
            | h.WhatOfEdits()
            | h.WhatOfBus()
            | h.WhatOfPosts()
            | h.WhatOfBackground()
            | h.WhatOfErrand()
        ):
            return ()
        case _:
            assert_never(question)
