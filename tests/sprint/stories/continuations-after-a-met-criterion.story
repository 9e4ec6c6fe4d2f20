# A criterion that was newly met begins the count of idle continuations anew, at nought.
plan: A 1+

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

check A commit fail=lint
    judged A/1 PARTIAL, newly met
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-1 closed: partial
    log A/1 PARTIAL: `lint` ended with 1
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit fail=lint
    judged A/1 PARTIAL
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-2 closed: partial
    log A/1 PARTIAL: `lint` ended with 1
    run m-3 opens for A/1, surveying
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit fail=lint
    judged A/1 PARTIAL
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-3 closed: partial
    log A/1 PARTIAL: `lint` ended with 1
    run m-4 opens for A/1, surveying
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

exit A 0
    wants m-4.check.0 CheckWork; running

check A commit fail=lint
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `lint` ended with 1; 3 continuations in a row met no further criterion
    run m-4 closed: failed
    log A/1 Attempt 1 failed: `lint` ended with 1; 3 continuations in a row met no further criterion
    run m-5 opens for A/1, surveying
    run m-5 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-5 RunAgent; running
