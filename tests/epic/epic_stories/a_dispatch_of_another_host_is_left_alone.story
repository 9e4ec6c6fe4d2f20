tick 1
    row: waits for t-1 | noop | 
    t-1: in_progress
    epic in_progress (orienting); done: waits for t-1
