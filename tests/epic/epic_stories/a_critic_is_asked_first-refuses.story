tick 1
    asks planner epic-1
    row: hold t-1 for the critic | verify_revise | the task says `Deploy`
    t-1: queued | wanted | the task says `Deploy`
    epic in_progress (orienting); done: hold t-1 for the critic: the task says `Deploy`

tick 2
    asks critic t-1
    row: critic DO_NOT_DISPATCH on t-1 | dispatch_halt | t-1: because
    t-1: review | DO_NOT_DISPATCH | because
    epic review (halted); for a person: epic-1 is halted (review): t-1: because

tick 3
    row: critic DO_NOT_DISPATCH on t-1 | dispatch_halt | t-1: because
    t-1: review | DO_NOT_DISPATCH | because
    epic review (halted); for a person: epic-1: only a person can resume it from review: topkick epic clear epic-1
