# A person may take it as it is, also while all is stopped.
plan: A 1 2
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

accept A/1 good enough for now
    judged A/1 SUCCESS, accepted
    sprint A/1: FATAL -> COMPLETED (accepted): good enough for now
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Accepted by a person: good enough for now
    run m-3 opens for A/2, surveying
    wants m-2 RunAgent, m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent, m-3 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork, m-3 RunAgent; running

check B fail code=2
    judged B/1 FAILURE, charged
    sprint B/1: DISPATCHED -> BACKOFF (failed): `test` ended with 2
    run m-2 closed: failed
    log B/1 Attempt 1 failed: `test` ended with 2
    sprint B/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit B: RUNNING -> BLOCKED (sprint fatal)
    log B/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 2
    wants m-3 RunAgent; running

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    wants m-3 RunAgent (no launch); stopping

exit A 0
    wants m-3.check.0 CheckWork; stopping

check A commit
    judged A/2 SUCCESS, newly met, checked
    sprint A/2: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit A: STOPPING -> COMPLETED (finished)
    wants nothing; stopped
    needs U2/1: FATAL: failed 1 of 1 attempts -> topkick retry U2/1 --note "..." | topkick accept U2/1 --why "..."

accept B/1 done by hand
    judged B/1 SUCCESS, accepted
    sprint B/1: FATAL -> COMPLETED (accepted): done by hand
    unit B: BLOCKED -> RUNNING (resume)
    unit B: RUNNING -> STOPPING (stop)
    log B/1 Accepted by a person: done by hand
    unit B: STOPPING -> COMPLETED (finished)
    wants nothing; completed
