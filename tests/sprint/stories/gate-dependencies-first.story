# After a sprint that only brings dependencies all is built before anything is built on them (GT-07).
plan: A 1= 2
set: gate=auto gate_commands=make

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

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    gate G1 opened, of A:1
    log G1/ Gate opened: of A
    wants m-G1.1.0 RunGate(A); running

gate
    gate G1 passed
    log G1/ Gate passed: 1 run
    gate G1 closed, passed
    run m-2 opens for A/2, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit
    judged A/2 SUCCESS, newly met, checked
    sprint A/2: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    gate G2 opened, of A:2, the last
    log G2/ Gate opened: of A
    wants m-G2.1.0 RunGate(A); running

gate
    gate G2 passed
    log G2/ Gate passed: 1 run
    gate G2 closed, passed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
