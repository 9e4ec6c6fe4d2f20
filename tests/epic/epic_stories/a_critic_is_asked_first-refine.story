tick 1
    asks planner epic-1
    row: hold t-1 for the critic | verify_revise | the task says `Deploy`
    t-1: queued | wanted | the task says `Deploy`
    epic in_progress (orienting); done: hold t-1 for the critic: the task says `Deploy`

tick 2
    asks critic t-1
    row: filed epic-1-1 for t-1 | react_filed_fix | Refine t-1
    t-1: queued | waits for epic-1-1
    epic-1-1: queued
    epic in_progress (orienting); done: filed epic-1-1: Refine t-1

tick 3
    asks planner epic-1
    sends worker epic-1-1
    row: dispatch epic-1-1 to claude | dispatch_ok | preflight clean
    t-1: queued | waits for epic-1-1
    epic-1-1: in_progress | claude
    epic in_progress (dispatching); done: dispatch epic-1-1 to claude
