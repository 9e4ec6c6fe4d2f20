tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks verifier t-1
    row: verifier PASS on t-1 | verify_pass | branch topkick/t-1@0000280000
    t-1: in_progress | claude | branch topkick/t-1@0000280000 | verify_pass
    epic in_progress (verifying); done: verifier PASS on t-1: branch topkick/t-1@0000280000, a pull request is next

tick 3
    row: no pull request for t-1 | dispatch_halt | Requested: a pull request for t-1. Failed: no rights. Available but not picked: branch topkick/t-1@0000280000.
    t-1: in_progress | claude | branch topkick/t-1@0000280000 | verify_pass
    epic review (halted); for a person: epic-1 is halted (review): Requested: a pull request for t-1. Failed: no rights. Available but not picked: branch topkick/t-1@0000280000.

tick 4
    row: pull request for t-1 | verify_pass | https://example.org/o/r/pull/1 (branch topkick/t-1@0000280000)
    t-1: ready_for_user_review | claude | https://example.org/o/r/pull/1 (branch topkick/t-1@0000280000)
    epic in_progress (orienting); done: pull request for t-1: https://example.org/o/r/pull/1
