# stop: no new order, the agents at work are waited for and judged, then STOPPED.
plan: A 1 2
plan: B 1
plan: C 1
plan: D 1
set: max_agents=2

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    unit C: NOT_STARTED -> RUNNING (start)
    unit D: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    run m-2 opens for B/1, surveying
    wants m-1.survey.0 SurveyGround, m-2.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    run m-2 closed: stopped by a person
    unit B: RUNNING -> STOPPING (stop)
    unit C: RUNNING -> STOPPING (stop)
    unit D: RUNNING -> STOPPING (stop)
    unit B: STOPPING -> STOPPED (drained)
    unit C: STOPPING -> STOPPED (drained)
    unit D: STOPPING -> STOPPED (drained)
    wants m-1 RunAgent (no launch); stopping

exit A 0
    wants m-1.check.0 CheckWork; stopping

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: STOPPING -> STOPPED (drained)
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume
    needs U2: STOPPED -> topkick resume
    needs U3: STOPPED -> topkick resume
    needs U4: STOPPED -> topkick resume

resume
    stance working: resumed by a person
    unit A: STOPPED -> RUNNING (resume)
    unit B: STOPPED -> RUNNING (resume)
    unit C: STOPPED -> RUNNING (resume)
    unit D: STOPPED -> RUNNING (resume)
    run m-3 opens for A/2, surveying
    run m-4 opens for B/1, surveying
    wants m-3.survey.0 SurveyGround, m-4.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-4.survey.0 SurveyGround; running
