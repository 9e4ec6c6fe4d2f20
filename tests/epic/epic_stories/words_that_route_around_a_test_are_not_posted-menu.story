tick 1
    asks planner epic-1
    row: planner answer rejected by the prose scan | verdict_fail | skip by place: skip the test on macos (in: Either fix the parser or skip the test on macos.); menu: either fix the parser or skip (in: Either fix the parser or skip the test on macos.)
    t-1: queued
    epic in_progress (orienting); done: planner answer rejected by the prose scan: skip by place: skip the test on macos (in: Either fix the parser or skip the test on macos.); menu: either fix the parser or skip (in: Either fix the parser or skip the test on macos.)
