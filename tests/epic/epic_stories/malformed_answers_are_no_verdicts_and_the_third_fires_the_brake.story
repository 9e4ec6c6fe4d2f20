tick 1
    asks planner epic-1
    row: planner verdict malformed | verdict_fail | the answer is not object
    t-1: queued
    epic in_progress (orienting); done: planner verdict malformed: the answer is not object

tick 2
    asks planner epic-1
    row: planner verdict malformed | verdict_fail | the answer has no worker; the answer has no project; the answer has no command
    t-1: queued
    epic in_progress (orienting); done: planner verdict malformed: the answer has no worker; the answer has no project; the answer has no command

tick 3
    asks planner epic-1
    row: planner verdict malformed | verdict_fail | the answer is not object
    t-1: queued
    epic in_progress (orienting); done: planner verdict malformed: the answer is not object

tick 4
    row: brake: recurring: verdict_fail | brake_fired | recurring: verdict_fail
    t-1: queued
    epic review (halted); for a person: epic-1 is halted (review): recurring: verdict_fail
