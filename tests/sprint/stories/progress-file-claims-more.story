# A claim of more than the record says is checked, told, and moves nothing by itself.
plan: A 1

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

survey A progress=complete
    log A/1 PROGRESS.md claims it is complete: but not met: `test` passes
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A fail=test progress=complete
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1; PROGRESS.md says it is complete; the checks say otherwise
    run m-1 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1; PROGRESS.md says it is complete; the checks say otherwise
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

survey A progress=complete
    (stale: leads nowhere)

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit progress=blocked
    judged A/1 PARTIAL, newly met
    sprint A/1: DISPATCHED -> PARTIAL (progressed): PROGRESS.md says that it is blocked
    run m-2 closed: partial
    log A/1 PARTIAL: PROGRESS.md says that it is blocked
    run m-3 opens for A/1, surveying
    run m-3 dispatched: scripted big, attempt 2
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

survey A
    (stale: leads nowhere)

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit progress=complete
    judged A/1 SUCCESS, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
