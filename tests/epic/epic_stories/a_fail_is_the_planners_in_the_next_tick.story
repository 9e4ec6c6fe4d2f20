tick 1
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch t-1 to claude

tick 2
    asks verifier t-1
    row: verifier FAIL on t-1 | verify_fail | tests red on docker
    t-1: in_progress | claude | branch topkick/t-1@0000280000 | verify_fail: tests red on docker | exited with 0: It is there. Next: nothing follows
    epic in_progress (reacting); done: verifier FAIL on t-1: tests red on docker

tick 3
    asks planner t-1
    row: filed epic-1-1 for t-1 | react_filed_fix | Mend the tool
    t-1: queued | claude | branch topkick/t-1@0000280000 | waits for epic-1-1
    epic-1-1: queued
    epic in_progress (reacting); done: filed epic-1-1: Mend the tool
