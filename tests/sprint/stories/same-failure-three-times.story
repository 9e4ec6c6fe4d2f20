# The same failure three times over a life, although a person set the counter back between.
plan: A 1
set: max_retries=2

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
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A fail
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-2 closed: failed
    log A/1 Attempt 2 failed: `test` ended with 1
    sprint A/1: BACKOFF -> FATAL (exhausted): failed 2 of 2 attempts
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: failed 2 of 2 attempts; last: `test` ended with 1
    wants nothing; blocked
    needs U1/1: FATAL: failed 2 of 2 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

retry A/1 look at the fixture
    sprint A/1: FATAL -> PENDING (resumed)
    reopened A/1: fresh, look at the fixture
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Retried by a person: 2 of 2 attempts had failed
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted big, attempt 1, a person adds a word
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: big: 2 failed attempts: opus; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A fail
    judged A/1 FAILURE, charged, the same failure 3 times (39cb53cbaa92)
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-3 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1
    sprint A/1: BACKOFF -> FATAL (exhausted): the same failure 3 times (39cb53cbaa92)
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: the same failure 3 times (39cb53cbaa92); last: `test` ended with 1
    wants nothing; blocked
    needs U1/1: FATAL: the same failure 3 times (39cb53cbaa92) -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."
