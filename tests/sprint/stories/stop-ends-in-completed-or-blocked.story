# The last sprint done while STOPPING: COMPLETED wins. The last attempt failed: BLOCKED wins.
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

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    unit B: RUNNING -> STOPPING (stop)
    wants m-1 RunAgent (no launch), m-2 RunAgent (no launch); stopping

exit A 0
    wants m-1.check.0 CheckWork, m-2 RunAgent (no launch); stopping

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: STOPPING -> COMPLETED (finished)
    wants m-2 RunAgent (no launch); stopping

exit B 0
    wants m-2.check.0 CheckWork; stopping

check B fail
    judged B/1 FAILURE, charged
    sprint B/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-2 closed: failed
    log B/1 Attempt 1 failed: `test` ended with 1
    sprint B/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit B: STOPPING -> BLOCKED (sprint fatal)
    log B/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 1
    wants nothing; stopped
    needs U2/1: FATAL: failed 1 of 1 attempts -> topkick retry U2/1 --note "..." | topkick accept U2/1 --why "..."
