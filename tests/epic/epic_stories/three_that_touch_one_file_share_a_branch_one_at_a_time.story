tick 1
    asks planner epic-1
    row: decomposed into 5 subtasks | decompose_ok | epic-1-1, epic-1-2, epic-1-3, epic-1-4, epic-1-5
    epic-1-1: ready
    epic-1-2: ready
    epic-1-3: ready
    epic-1-4: ready
    epic-1-5: ready
    epic ready (reviewing); for a person: epic-1: 5 subtasks proposed; review, then: topkick epic clear epic-1

tick 2
    asks planner epic-1
    sends worker epic-1-1
    row: dispatch epic-1-1 to claude | dispatch_ok | preflight clean
    epic-1-1: in_progress | claude
    epic-1-2: queued
    epic-1-3: queued
    epic-1-4: queued
    epic-1-5: queued
    epic in_progress (dispatching); done: dispatch epic-1-1 to claude

tick 3
    asks planner epic-1
    row: dispatch epic-1-1 to claude | dispatch_ok | preflight clean [no-op 2026-05-28T20:29:40Z: epic-1-2 waits for epic-1-1, which works on feature/epic-1]
    epic-1-1: in_progress | claude
    epic-1-2: queued
    epic-1-3: queued
    epic-1-4: queued
    epic-1-5: queued
    epic in_progress (dispatching); done: epic-1-2 waits for epic-1-1, which works on feature/epic-1

tick 4
    asks planner epic-1
    sends worker epic-1-3
    row: dispatch epic-1-3 to claude | dispatch_ok | preflight clean
    epic-1-1: in_progress | claude
    epic-1-2: queued
    epic-1-3: in_progress | claude
    epic-1-4: queued
    epic-1-5: queued
    epic in_progress (dispatching); done: dispatch epic-1-3 to claude

tick 5
    row: dispatch epic-1-3 to claude | dispatch_ok | preflight clean [no-op 2026-05-28T20:31:40Z: waits for epic-1-1, epic-1-3]
    epic-1-1: in_progress | claude
    epic-1-2: queued
    epic-1-3: in_progress | claude
    epic-1-4: queued
    epic-1-5: queued
    epic in_progress (dispatching); done: waits for epic-1-1, epic-1-3
