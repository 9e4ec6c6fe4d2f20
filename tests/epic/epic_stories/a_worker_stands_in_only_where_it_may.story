tick 1
    asks planner epic-1
    row: planner verdict malformed | verdict_fail | claude has a free place, so gemini does not replace it
    t-1: queued
    epic in_progress (orienting); done: planner verdict malformed: claude has a free place, so gemini does not replace it

tick 2
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to gemini | dispatch_ok | preflight clean
    t-1: in_progress | gemini
    t-2: in_progress | claude
    t-3: in_progress | claude
    t-4: in_progress | claude
    t-5: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to gemini
