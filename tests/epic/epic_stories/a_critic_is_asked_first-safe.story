tick 1
    asks planner epic-1
    row: hold t-1 for the critic | verify_revise | the task says `Deploy`
    t-1: queued | wanted | the task says `Deploy`
    epic in_progress (orienting); done: hold t-1 for the critic: the task says `Deploy`

tick 2
    asks critic t-1
    row: critic SAFE_TO_DISPATCH on t-1 | verify_pass | because
    t-1: queued | SAFE_TO_DISPATCH 821452ff
    epic in_progress (orienting); done: critic SAFE_TO_DISPATCH on t-1

tick 3
    asks planner epic-1
    sends worker t-1
    row: dispatch t-1 to claude | dispatch_ok | preflight clean
    t-1: in_progress | claude | SAFE_TO_DISPATCH 821452ff
    epic in_progress (dispatching); done: dispatch t-1 to claude
