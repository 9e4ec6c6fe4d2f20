tick 1
    asks planner epic-1
    row: planner answer rejected by the prose scan | verdict_fail | skip by place: skip it on macos (in: For test_colours: skip it on macos.)
    t-1: queued
    epic in_progress (orienting); done: planner answer rejected by the prose scan: skip by place: skip it on macos (in: For test_colours: skip it on macos.)

tick 2
    asks planner epic-1
    row: filed epic-1-1 for t-1 | react_filed_fix | Mend the tool
    t-1: queued | waits for epic-1-1
    epic-1-1: queued
    epic in_progress (orienting); done: filed epic-1-1: Mend the tool

tick 3
    asks planner epic-1
    row: planner answer rejected by the prose scan | verdict_fail | skip by place: skip it on macos (in: For test_shapes: skip it on macos.)
    t-1: queued | waits for epic-1-1
    epic-1-1: queued
    epic in_progress (orienting); done: planner answer rejected by the prose scan: skip by place: skip it on macos (in: For test_shapes: skip it on macos.)
