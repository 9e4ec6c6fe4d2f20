tick 1
    asks planner epic-1
    row: filed epic-1-1 for t-1 | dispatch_halt | Refine t-1
    t-1: queued | waits for epic-1-1
    epic-1-1: queued
    epic in_progress (orienting); done: filed epic-1-1: Refine t-1

tick 2
    asks planner epic-1
    sends worker epic-1-1
    row: dispatch epic-1-1 to claude | dispatch_ok | preflight clean
    t-1: queued | waits for epic-1-1
    epic-1-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch epic-1-1 to claude

tick 3
    asks verifier epic-1-1
    row: verifier PASS on epic-1-1 | verify_pass | branch topkick/epic-1-1@00004c0000
    t-1: queued | waits for epic-1-1
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@00004c0000
    epic in_progress (verifying); done: verifier PASS on epic-1-1: branch topkick/epic-1-1@00004c0000

tick 4
    asks planner epic-1
    row: refuse t-1 | dispatch_halt | it failed its pre-flight twice
    t-1: review | it failed its pre-flight twice
    epic-1-1: ready_for_user_review | claude | branch topkick/epic-1-1@00004c0000
    epic in_progress (verifying); for a person: t-1 is refused: it failed its pre-flight twice
