tick 1
    row: nothing can be dispatched now | noop | 
    t-1: queued
    epic in_progress (orienting); done: nothing can be dispatched now
