tick 1
    asks planner epic-1
    row: planner answer rejected by the prose scan | verdict_fail | softer check: relax the assertion (in: Relax the assertion until it passes.)
    t-1: queued
    epic in_progress (orienting); done: planner answer rejected by the prose scan: softer check: relax the assertion (in: Relax the assertion until it passes.)
