# Three failures block A; B goes on; C, which waits for A, is not begun.
plan: A 1 2
plan: B 1 2
plan: C 1 after A

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    run m-2 opens for B/1, surveying
    wants m-1.survey.0 SurveyGround, m-2.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2 RunAgent; running

exit A 1
    wants m-1.check.0 CheckWork, m-2 RunAgent; running

check A fail code=1
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1; the agent ended with 1
    run m-1 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1; the agent ended with 1
    run m-3 opens for A/1, surveying
    run m-3 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
    wants m-2 RunAgent, m-3 RunAgent; running

exit A 1
    wants m-2 RunAgent, m-3.check.0 CheckWork; running

check A fail code=2
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 2; the agent ended with 1
    run m-3 closed: failed
    log A/1 Attempt 2 failed: `test` ended with 2; the agent ended with 1
    run m-4 opens for A/1, surveying
    run m-4 dispatched: scripted big, attempt 3
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 2 failed attempts: opus; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
    wants m-2 RunAgent, m-4 RunAgent; running

exit A 1
    wants m-2 RunAgent, m-4.check.0 CheckWork; running

check A fail code=3
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 3; the agent ended with 1
    run m-4 closed: failed
    log A/1 Attempt 3 failed: `test` ended with 3; the agent ended with 1
    sprint A/1: BACKOFF -> FATAL (exhausted): failed 3 of 3 attempts
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: failed 3 of 3 attempts; last: `test` ended with 3
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    run m-5 opens for B/2, surveying
    wants m-5.survey.0 SurveyGround; running

survey B
    run m-5 dispatched: scripted mid, attempt 1
    sprint B/2: PENDING -> DISPATCHED (dispatched)
    log B/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-5 RunAgent; running

exit B 0
    wants m-5.check.0 CheckWork; running

check B commit
    judged B/2 SUCCESS, newly met, checked
    sprint B/2: DISPATCHED -> COMPLETED (succeeded)
    run m-5 closed: completed
    unit B: RUNNING -> COMPLETED (finished)
    wants nothing; blocked
    needs U1/1: FATAL: failed 3 of 3 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."
