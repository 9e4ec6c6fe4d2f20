# After stop_patience without any completion the agent is ended.
plan: A 1
plan: B 1
set: stop_patience_s=1800

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    run m-2 opens for B/1, surveying
    wants m-1.survey.0 SurveyGround, m-2.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2 RunAgent; running

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    unit B: RUNNING -> STOPPING (stop)
    wants m-1 RunAgent (no launch), m-2 RunAgent (no launch); stopping

time in 20min
    wants m-1 RunAgent (no launch), m-2 RunAgent (no launch); stopping

exit B 0
    wants m-1 RunAgent (no launch), m-2.check.0 CheckWork; stopping

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit B: STOPPING -> COMPLETED (finished)
    wants m-1 RunAgent (no launch); stopping

# B's end gave A new time

time in 20min
    wants m-1 RunAgent (no launch); stopping

time in 11min
    run m-1 to be ended: stop was forced, grace 10 s
    log A/1 Force-terminated: force-terminated during graceful shutdown
    wants m-1 EndAgent; stopping

exit A stopped
    sprint A/1: DISPATCHED -> BACKOFF (killed)
    run m-1 closed: killed
    unit A: STOPPING -> KILLED (killed)
    log A/1 Agent terminated: its whole process tree is gone
    wants nothing; stopped
    needs U1: KILLED -> topkick resume
