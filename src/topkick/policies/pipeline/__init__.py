"""The coordinator of a team: roles in stages, a judge between them, a person where it blocks."""

from collections.abc import Sequence
from typing import assert_never

from topkick.core import happenings as h
from topkick.core import lone_runs
from topkick.core.mission import Mission
from topkick.policies.pipeline import answering, deciding, giving, judge, notes, orienting

POLICY = "pipeline"
Events = Sequence[h.Event]


def decide(mission: Mission, question: h.Question) -> Events:
    match question:
        case h.WhatOfCommand(command):
            return deciding.obey(POLICY, mission, command)
        case h.WhatOfFiles(files, _, _, messages):
            return orienting.on_sight(mission, files, messages)
        case h.WhatOfEdits(changed, trouble):
            return orienting.written(mission, changed, trouble)
        case h.WhatOfPosts(numbers, trouble):
            return orienting.posted(mission, numbers, trouble)
        case h.WhatOfBus(messages):
            return (notes.hear(mission, messages), notes.DUE)
        case h.WhatOfBackground(background_id, ended):
            return judge.gone(mission, background_id, ended)
        case h.WhatOfSilence(run_id, polls):
            return lone_runs.saw_silence(mission, mission.runs[run_id], polls)
        case h.WhatOfExit(run_id, ended):
            seen = lone_runs.saw_exit(mission, mission.runs[run_id], ended)
            return answering.kept(mission.runs[run_id], seen)
        case h.WhatOfWork(run_id, evidence):
            return answering.heard(mission, mission.runs[run_id], evidence)
        case h.WhatNext():
            return _next(mission)
        case h.WhatOfActivity() | h.WhatOfGround() | h.WhatOfIntegration() | h.WhatOfGate():
            return ()
        case h.WhatOfErrand():
            return ()
        case _:
            assert_never(question)


def _next(mission: Mission) -> Events:
    return (
        lone_runs.enough(mission)
        or judge.at_rest(mission)
        or giving.next_order(mission)
        or orienting.look(mission)
    )
