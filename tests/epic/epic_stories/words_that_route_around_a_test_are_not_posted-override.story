tick 1
    asks planner epic-1
    row: planner answer rejected by the prose scan | verdict_fail | only a person may write CRITIC OVERRIDE
    t-1: queued
    epic in_progress (orienting); done: planner answer rejected by the prose scan: only a person may write CRITIC OVERRIDE
