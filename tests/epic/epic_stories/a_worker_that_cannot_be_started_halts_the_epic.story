tick 1
    asks planner epic-1
    row: no substitute for t-1 | dispatch_halt | t-1 is infeasible. Requested: worker claude. Failed: no such program. Available but not picked: gemini.
    t-1: review | claude | none | t-1 is infeasible. Requested: worker claude. Failed: no such program. Available but not picked: gemini.
    epic review (halted); for a person: epic-1 is halted (review): t-1 is infeasible. Requested: worker claude. Failed: no such program. Available but not picked: gemini.
