tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks verifier t-1
    row: verifier PASS on t-1 | verify_pass | branch topkick/t-1@0000280000
    t-1: ready_for_user_review | claude | branch topkick/t-1@0000280000
    epic in_progress (verifying); done: verifier PASS on t-1: branch topkick/t-1@0000280000

tick 3
    row: verifier PASS on t-1 | verify_pass | branch topkick/t-1@0000280000 [no-op 2026-05-28T20:29:40Z: final summary]
    t-1: ready_for_user_review | claude | branch topkick/t-1@0000280000
    epic ready_for_user_review (halted); done: epic-1 is at its review surface: 1 item
