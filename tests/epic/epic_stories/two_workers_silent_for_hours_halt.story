tick 1
    row: brake: t-1, t-2 | brake_fired | stalled workers
    t-1: in_progress
    t-2: in_progress
    epic review (halted); for a person: epic-1 is halted (review): stalled workers
