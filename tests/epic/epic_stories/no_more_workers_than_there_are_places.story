tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    t-2: queued
    t-3: queued
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    row: dispatch t-1 to claude | dispatch_ok | preflight clean [no-op 2026-05-28T20:28:40Z: waits for t-1]
    t-1: in_progress | claude
    t-2: queued
    t-3: queued
    epic in_progress (dispatching); done: waits for t-1
