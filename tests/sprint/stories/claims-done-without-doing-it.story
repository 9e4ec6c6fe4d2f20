# Words raise nothing.
plan: A 1

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

check A fail claims=done
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1; the agent said it was done; the checks say otherwise
    run m-1 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1; the agent said it was done; the checks say otherwise
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A claims=done empty-commit fail
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1; the agent said it was done; the checks say otherwise
    run m-2 closed: failed
    log A/1 Attempt 2 failed: `test` ended with 1; the agent said it was done; the checks say otherwise
    run m-3 opens for A/1, surveying
    run m-3 dispatched: scripted big, attempt 3
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 2 failed attempts: opus; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
