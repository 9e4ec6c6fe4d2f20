tick 1
    asks planner epic-1
    row: planner answer rejected by the prose scan | verdict_fail | menu of fixes: adjust the test (in: - adjust the test)
    t-1: queued
    epic in_progress (orienting); done: planner answer rejected by the prose scan: menu of fixes: adjust the test (in: - adjust the test)
