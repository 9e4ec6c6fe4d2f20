tick 1
    asks planner epic-1
    row: planner answer rejected by the prose scan | verdict_fail | CRITIC OVERRIDE is a person's word
    t-1: queued
    epic in_progress (orienting); done: planner answer rejected by the prose scan: CRITIC OVERRIDE is a person's word
