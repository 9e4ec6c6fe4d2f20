# Only a person leaves FATAL: the counter starts again, the count of a lifetime stays.
plan: A 1
set: max_retries=1

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A fail
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-1 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1
    sprint A/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 1
    wants nothing; blocked
    needs U1/1: FATAL: failed 1 of 1 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

# resume alone buys no new tries

resume
    wants nothing; blocked
    needs U1/1: FATAL: failed 1 of 1 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

retry A/1 the port is taken, use another
    sprint A/1: FATAL -> PENDING (resumed)
    reopened A/1: fresh, the port is taken, use another
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Retried by a person: 1 of 1 attempts had failed
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1, a person adds a word
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
