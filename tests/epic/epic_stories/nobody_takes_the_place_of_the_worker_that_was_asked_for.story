tick 1
    asks planner epic-1
    row: no substitute for t-1 | dispatch_halt | t-1 is infeasible. Requested: worker gemini. Failed: the planner named claude instead. Available but not picked: claude.
    t-1: review | t-1 is infeasible. Requested: worker gemini. Failed: the planner named claude instead. Available but not picked: claude.
    epic review (halted); for a person: epic-1 is halted (review): t-1 is infeasible. Requested: worker gemini. Failed: the planner named claude instead. Available but not picked: claude.
