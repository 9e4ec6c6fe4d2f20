tick 1
    asks planner t-1
    row: planner react halt on t-1 | react_halt | no licence
    t-1: blocked | none | no licence
    t-2: in_progress | none | exited
    t-3: queued
    epic in_progress (orienting); done: t-1 is blocked: no licence

tick 2
    asks planner t-2
    row: planner react halt on t-2 | react_halt | which one?
    t-1: blocked | none | no licence
    t-2: review | none | which one?
    t-3: queued
    epic in_progress (orienting); done: t-2 is review: which one?

tick 3
    row: brake: repeated react halt | brake_fired | repeated react halt
    t-1: blocked | none | no licence
    t-2: review | none | which one?
    t-3: queued
    epic review (halted); for a person: epic-1 is halted (review): repeated react halt
