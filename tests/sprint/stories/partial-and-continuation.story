# Progress with a remainder is continued and never charged.
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

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
