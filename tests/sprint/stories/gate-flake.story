# What fails once and not again is nobody's; the gate is passed as flaky (GT-03).
plan: A 1
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
    gate G1 opened, of A:1, the last
    log G1/ Gate opened: of A
    wants m-G1.1.0 RunGate(A); running

gate fails=test_a
    wants m-G1.2.0 RunGate(); running

gate
    wants m-G1.3.0 RunGate(A); running

gate
    gate G1 flaky: `make` ended with 1 once, and not when it was run again
    log G1/ Gate flaky: `make` ended with 1 once, and not when it was run again; 3 runs
    gate G1 closed, passed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
