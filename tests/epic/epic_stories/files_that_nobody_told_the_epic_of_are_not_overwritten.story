tick 1
    asks planner epic-1
    row: filed epic-1-2 for t-1 | react_filed_fix | Mend the tool
    t-1: queued | waits for epic-1-2
    epic-1-2: queued
    epic in_progress (orienting); done: filed epic-1-2: Mend the tool
