# A killed attempt keeps its number; its work is looked at before the next order.
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

check A fail
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-1 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

active A
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-2 RunAgent (no launch); running

killall
    stance killed: user invoked killall
    run m-2 to be ended: killall, grace 3 s
    wants m-2 EndAgent; killed

exit A stopped
    sprint A/1: RUNNING -> BACKOFF (killed)
    run m-2 closed: killed
    unit A: RUNNING -> KILLED (killed)
    log A/1 Agent terminated: its whole process tree is gone
    wants nothing; killed
    needs U1: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    sprint A/1: BACKOFF -> PENDING (resumed)
    run m-3 opens for A/1, checking
    wants m-3.check.0 CheckWork; running

check A fail
    run m-3 closed: not finished when it was interrupted
    run m-4 opens for A/1, surveying
    run m-4 dispatched: scripted big, attempt 2
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

exit A 0
    wants m-4.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
