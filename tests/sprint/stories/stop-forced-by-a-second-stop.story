# The first stop drains, one by who has seen that forces; nothing is charged.
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

active A
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-1 RunAgent (no launch); running

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    wants m-1 RunAgent (no launch); stopping

# said again by who has not heard an answer, it changes nothing

stop
    wants m-1 RunAgent (no launch); stopping

stop --force
    run m-1 to be ended: stop was forced, grace 10 s
    log A/1 Force-terminated: force-terminated during graceful shutdown
    wants m-1 EndAgent; stopping

# a third changes nothing

stop
    wants m-1 EndAgent; stopping

exit A stopped
    sprint A/1: RUNNING -> BACKOFF (killed)
    run m-1 closed: killed
    unit A: STOPPING -> KILLED (killed)
    log A/1 Agent terminated: its whole process tree is gone
    wants nothing; stopped
    needs U1: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    sprint A/1: BACKOFF -> PENDING (resumed)
    run m-2 opens for A/1, checking
    wants m-2.check.0 CheckWork; running
