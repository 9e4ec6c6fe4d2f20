tick 1
    asks planner epic-1
    row: gemini has no free place for t-2 | noop | 
    t-1: in_progress | gemini
    t-2: queued
    epic in_progress (orienting); done: gemini has no free place for t-2
