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
    asks planner t-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | none
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 5
    row: brake: 4 dispatches of t-1 | brake_fired | no progress
    t-1: in_progress | claude | none | exited | exited with 0, without a result
    epic review (halted); for a person: epic-1 is halted (review): no progress

tick 6
    asks planner t-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | none
    epic in_progress (dispatching); done: dispatch t-1 to claude
