# What a person said is for the order that is judged next, whatever trouble comes between.
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

retry A/1 mind-the-tests
    sprint A/1: FATAL -> PENDING (resumed)
    reopened A/1: fresh, mind-the-tests
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Retried by a person: 1 of 1 attempts had failed
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1, a person adds a word
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 1
    wants m-2.check.0 CheckWork; running

check A fail ends=provider-trouble
    trouble A/1: as scripted; not before 19 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): as scripted
    run m-2 closed: as scripted
    log A/1 Provider trouble: as scripted; not charged
    wants nothing; running

time in 10s
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1, a person adds a word
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running
