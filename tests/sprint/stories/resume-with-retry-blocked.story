# --retry-blocked, or naming the unit, is what resume needs for a blocked one.
plan: A 1
plan: B 1
set: max_retries=1

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
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork, m-2 RunAgent; running

check A fail code=1
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-1 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1
    sprint A/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 1
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B fail code=2
    judged B/1 FAILURE, charged
    sprint B/1: DISPATCHED -> BACKOFF (failed): `test` ended with 2
    run m-2 closed: failed
    log B/1 Attempt 1 failed: `test` ended with 2
    sprint B/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit B: RUNNING -> BLOCKED (sprint fatal)
    log B/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 2
    wants nothing; blocked
    needs U1/1: FATAL: failed 1 of 1 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."
    needs U2/1: FATAL: failed 1 of 1 attempts -> topkick retry U2/1 --note "..." | topkick accept U2/1 --why "..."

resume B
    sprint B/1: FATAL -> PENDING (resumed)
    reopened B/1: fresh
    unit B: BLOCKED -> RUNNING (resume)
    log B/1 Retried by a person: 1 of 1 attempts had failed
    run m-3 opens for B/1, surveying
    wants m-3.survey.0 SurveyGround; running

resume --retry-blocked
    sprint A/1: FATAL -> PENDING (resumed)
    reopened A/1: fresh
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Retried by a person: 1 of 1 attempts had failed
    run m-4 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround, m-4.survey.0 SurveyGround; running
