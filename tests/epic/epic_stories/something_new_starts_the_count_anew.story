tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks planner t-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | none
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 3
    asks planner t-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | none
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 4
    asks verifier t-1
    row: verifier FAIL on t-1 | verify_fail | red
    t-1: in_progress | claude | branch topkick/t-1@00008a0000 | verify_fail: red | exited with 0: It is there. Next: nothing follows
    epic in_progress (reacting); done: verifier FAIL on t-1: red

tick 5
    asks planner t-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | branch topkick/t-1@00008a0000
    epic in_progress (dispatching); done: dispatch t-1 to claude
