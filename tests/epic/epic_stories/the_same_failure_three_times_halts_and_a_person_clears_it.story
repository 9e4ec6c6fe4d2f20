tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks verifier t-1
    row: verifier FAIL on t-1 | verify_fail | red 0
    t-1: in_progress | claude | branch topkick/t-1@0000280000 | verify_fail: red 0 | exited with 0: It is there. Next: nothing follows
    epic in_progress (reacting); done: verifier FAIL on t-1: red 0

tick 3
    asks planner t-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | branch topkick/t-1@0000280000
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 4
    asks verifier t-1
    row: verifier FAIL on t-1 | verify_fail | red 1
    t-1: in_progress | claude | branch topkick/t-1@00007d0000 | verify_fail: red 1 | exited with 0: It is there. Next: nothing follows
    epic in_progress (reacting); done: verifier FAIL on t-1: red 1

tick 5
    asks planner t-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | branch topkick/t-1@00007d0000
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 6
    asks verifier t-1
    row: verifier FAIL on t-1 | verify_fail | red 2
    t-1: in_progress | claude | branch topkick/t-1@0000d20000 | verify_fail: red 2 | exited with 0: It is there. Next: nothing follows
    epic in_progress (reacting); done: verifier FAIL on t-1: red 2

tick 7
    row: brake: recurring: verify_fail | brake_fired | recurring: verify_fail
    t-1: in_progress | claude | branch topkick/t-1@0000d20000 | verify_fail: red 2 | exited with 0: It is there. Next: nothing follows
    epic review (halted); for a person: epic-1 is halted (review): recurring: verify_fail

tick 8
    row: brake: recurring: verify_fail | brake_fired | recurring: verify_fail
    t-1: in_progress | claude | branch topkick/t-1@0000d20000 | verify_fail: red 2 | exited with 0: It is there. Next: nothing follows
    epic review (halted); for a person: epic-1: only a person can resume it from review: topkick epic clear epic-1

tick 9
    asks planner t-1
    row: planner react halt on t-1 | react_halt | a person has to choose
    t-1: review | claude | branch topkick/t-1@0000d20000 | a person has to choose
    epic in_progress (orienting); done: t-1 is review: a person has to choose
