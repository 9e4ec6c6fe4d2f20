# A gate rests where it is while work is stopped, and goes on there; a new supervisor builds again (SD-01, SD-02).
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

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    unit A: STOPPING -> STOPPED (drained)
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume

resume
    stance working: resumed by a person
    unit A: STOPPED -> RUNNING (resume)
    wants m-G1.2.0 RunGate(); running

killall
    stance killed: user invoked killall
    unit A: RUNNING -> KILLED (killed)
    wants nothing; killed
    needs U1: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    wants m-G1.2.0 RunGate(); running

woke driven
    wants m-G1.2.1 RunGate(); running

gate
    wants m-G1.3.1 RunGate(A); running

gate
    gate G1 flaky: `make` ended with 1 once, and not when it was run again
    log G1/ Gate flaky: `make` ended with 1 once, and not when it was run again; 3 runs
    gate G1 closed, passed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
