tick 1
    row: final summary | noop | 
    t-1: blocked | no licence
    t-2: blocked | waits for t-1, which is stuck
    t-3: blocked | waits for t-2, which is stuck
    t-4: blocked | waits for t-9, which is stuck
    epic ready_for_user_review (halted); done: epic-1 is at its review surface: 4 items
