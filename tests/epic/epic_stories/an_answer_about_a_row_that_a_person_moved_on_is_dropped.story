tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks verifier t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean [no-op 2026-05-28T20:28:40Z: an answer came too late: t-1 was changed meanwhile]
    t-1: cancelled | claude
    epic in_progress (dispatching); done: an answer came too late: t-1 was changed meanwhile
