# Three continuations in a row without a newly met criterion: the third is a failure.
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

check A commit fail
    judged A/1 PARTIAL
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `test` ended with 1; `lint` ended with 1
    run m-1 closed: partial
    log A/1 PARTIAL: `test` ended with 1; `lint` ended with 1
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit fail
    judged A/1 PARTIAL
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `test` ended with 1; `lint` ended with 1
    run m-2 closed: partial
    log A/1 PARTIAL: `test` ended with 1; `lint` ended with 1
    run m-3 opens for A/1, surveying
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit fail
    judged A/1 PARTIAL
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `test` ended with 1; `lint` ended with 1
    run m-3 closed: partial
    log A/1 PARTIAL: `test` ended with 1; `lint` ended with 1
    run m-4 opens for A/1, surveying
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

exit A 0
    wants m-4.check.0 CheckWork; running

check A commit fail
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1; `lint` ended with 1; 3 continuations in a row met no further criterion
    run m-4 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1; `lint` ended with 1; 3 continuations in a row met no further criterion
    run m-5 opens for A/1, surveying
    run m-5 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-5 RunAgent; running

exit A 0
    wants m-5.check.0 CheckWork; running

# and one that changes nothing at all fails at once

check A commit fail=lint
    judged A/1 PARTIAL, newly met
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-5 closed: partial
    log A/1 PARTIAL: `lint` ended with 1
    run m-6 opens for A/1, surveying
    run m-6 dispatched: scripted big, attempt 2
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-6 RunAgent; running

exit A 0
    wants m-6.check.0 CheckWork; running

check A fail=lint
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `lint` ended with 1
    run m-6 closed: failed
    log A/1 Attempt 2 failed: `lint` ended with 1
    run m-7 opens for A/1, surveying
    run m-7 dispatched: scripted big, attempt 3
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 2 failed attempts: opus; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-7 RunAgent; running
