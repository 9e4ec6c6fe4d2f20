# Only what the plan declares as failure ends a wait.
plan: A 1:deferred!3

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, waiting
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-1.poll.0.1 PollCondition; running

poll A fail code=1
    wants nothing; running

poll A fail code=3
    judged A/1 FAILURE, the condition failed in the way that the plan declares as failure
    sprint A/1: RUNNING -> BACKOFF (failed): the condition failed in the way that the plan declares as failure
    run m-1 closed: the condition failed in the way that the plan declares as failure
    sprint A/1: BACKOFF -> FATAL (exhausted): the condition failed in the way that the plan declares as failure
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: the condition failed in the way that the plan declares as failure; last: the condition failed in the way that the plan declares as failure
    wants nothing; blocked
    needs U1/1: FATAL: the condition failed in the way that the plan declares as failure -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

retry A/1
    sprint A/1: FATAL -> PENDING (resumed)
    reopened A/1: fresh
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Retried by a person: 0 of 3 attempts had failed
    run m-2 opens for A/1, waiting
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-2.poll.0.1 PollCondition; running

poll A
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: RUNNING -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
