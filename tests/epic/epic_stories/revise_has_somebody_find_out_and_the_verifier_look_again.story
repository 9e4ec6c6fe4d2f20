tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks verifier t-1
    row: verifier REVISE on t-1 | verify_revise | no way to see the colours
    t-1: in_progress | claude | branch topkick/t-1@0000280000 | verify_revise: epic-1-1 | exited with 0: It is there. Next: nothing follows
    epic-1-1: queued
    epic in_progress (dispatching); done: verifier REVISE on t-1; filed epic-1-1

tick 3
    asks planner epic-1
    sends worker epic-1-1
    row: dispatch epic-1-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | branch topkick/t-1@0000280000 | verify_revise: epic-1-1 | exited with 0: It is there. Next: nothing follows
    epic-1-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch epic-1-1 to claude

tick 4
    asks verifier epic-1-1
    row: verifier PASS on epic-1-1 | verify_pass | branch topkick/epic-1-1@00007d0000
    t-1: in_progress | claude | branch topkick/t-1@0000280000 | verify_revise: epic-1-1 | exited with 0: It is there. Next: nothing follows
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@00007d0000
    epic in_progress (verifying); done: verifier PASS on epic-1-1: branch topkick/epic-1-1@00007d0000

tick 5
    asks verifier t-1
    row: verifier PASS on t-1 | verify_pass | branch topkick/t-1@0000280000
    t-1: ready_for_user_review | claude | branch topkick/t-1@0000280000
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@00007d0000
    epic in_progress (verifying); done: verifier PASS on t-1: branch topkick/t-1@0000280000
