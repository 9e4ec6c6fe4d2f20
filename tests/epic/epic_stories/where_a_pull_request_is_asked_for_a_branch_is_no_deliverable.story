tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks planner t-1
    row: planner react halt on t-1 | react_halt | a person has to choose
    t-1: review | claude | none | a person has to choose
    epic in_progress (dispatching); done: t-1 is review: a person has to choose
