tick 1
    asks planner epic-1
    row: decomposed into 3 subtasks | decompose_ok | epic-1-1, epic-1-2, epic-1-3
    epic-1-1: ready
    epic-1-2: ready
    epic-1-3: ready
    epic ready (reviewing); for a person: epic-1: 3 subtasks proposed; review, then: topkick epic clear epic-1

tick 2
    row: decomposed into 3 subtasks | decompose_ok | epic-1-1, epic-1-2, epic-1-3
    epic-1-1: ready
    epic-1-2: ready
    epic-1-3: ready
    epic ready (reviewing); for a person: epic-1: the plan waits for a person's approval: topkick epic clear epic-1

tick 3
    asks planner epic-1
    sends worker epic-1-1
    row: dispatch epic-1-1 to claude | dispatch_ok | preflight clean
    epic-1-1: in_progress | claude
    epic-1-2: queued
    epic-1-3: queued
    epic in_progress (dispatching); done: dispatch epic-1-1 to claude

tick 4
    asks verifier epic-1-1
    row: verifier PASS on epic-1-1 | verify_pass | branch topkick/epic-1-1@0000670000
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@0000670000
    epic-1-2: queued
    epic-1-3: queued
    epic in_progress (verifying); done: verifier PASS on epic-1-1: branch topkick/epic-1-1@0000670000

tick 5
    asks planner epic-1
    sends worker epic-1-2
    row: dispatch epic-1-2 to claude | dispatch_ok | preflight clean
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@0000670000
    epic-1-2: in_progress | claude
    epic-1-3: queued
    epic in_progress (dispatching); done: dispatch epic-1-2 to claude

tick 6
    asks verifier epic-1-2
    row: verifier PASS on epic-1-2 | verify_pass | branch topkick/epic-1-2@0000bc0000
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@0000670000
    epic-1-2: ready_for_user_review | claude | branch topkick/epic-1-2@0000bc0000
    epic-1-3: queued
    epic in_progress (verifying); done: verifier PASS on epic-1-2: branch topkick/epic-1-2@0000bc0000

tick 7
    asks planner epic-1
    sends worker epic-1-3
    row: dispatch epic-1-3 to claude | dispatch_ok | preflight clean
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@0000670000
    epic-1-2: ready_for_user_review | claude | branch topkick/epic-1-2@0000bc0000
    epic-1-3: in_progress | claude
    epic in_progress (dispatching); done: dispatch epic-1-3 to claude

tick 8
    asks verifier epic-1-3
    row: verifier PASS on epic-1-3 | verify_pass | branch topkick/epic-1-3@0001110000
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@0000670000
    epic-1-2: ready_for_user_review | claude | branch topkick/epic-1-2@0000bc0000
    epic-1-3: ready_for_user_review | claude | branch topkick/epic-1-3@0001110000
    epic in_progress (verifying); done: verifier PASS on epic-1-3: branch topkick/epic-1-3@0001110000

tick 9
    row: verifier PASS on epic-1-3 | verify_pass | branch topkick/epic-1-3@0001110000 [no-op 2026-05-28T20:35:40Z: final summary]
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@0000670000
    epic-1-2: ready_for_user_review | claude | branch topkick/epic-1-2@0000bc0000
    epic-1-3: ready_for_user_review | claude | branch topkick/epic-1-3@0001110000
    epic ready_for_user_review (halted); done: epic-1 is at its review surface: 3 items

tick 10
    row: verifier PASS on epic-1-3 | verify_pass | branch topkick/epic-1-3@0001110000 [no-op 2026-05-28T20:35:40Z: final summary]
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@0000670000
    epic-1-2: ready_for_user_review | claude | branch topkick/epic-1-2@0000bc0000
    epic-1-3: ready_for_user_review | claude | branch topkick/epic-1-3@0001110000
    epic ready_for_user_review (halted); done: epic-1: only a person can resume it from ready_for_user_review: topkick epic clear epic-1
