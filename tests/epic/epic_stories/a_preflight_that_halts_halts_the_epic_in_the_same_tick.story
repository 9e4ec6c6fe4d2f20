tick 1
    asks planner epic-1
    row: planner preflight halt | dispatch_halt | The licence server is down.
    t-1: queued
    epic blocked (halted); for a person: epic-1 is halted (blocked): The licence server is down.
