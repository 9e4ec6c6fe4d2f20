# A stop lets a merge come to its end; after killall it waits for the resume.
plan: A 1
plan: B 1
isolated

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

exit A 0
    wants m-1.check.0 CheckWork, m-2 RunAgent; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    run m-3 opens for A/1, integrating
    wants m-2 RunAgent, m-3.integrate.0 IntegrateWork; running

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    unit B: RUNNING -> STOPPING (stop)
    wants m-2 RunAgent (no launch), m-3.integrate.0 IntegrateWork; stopping

integrated A
    unit A: 1 sprints integrated at tip
    run m-3 closed: integrated
    log A/1 Integrated: merged at tip
    unit A: STOPPING -> COMPLETED (finished)
    wants m-2 RunAgent (no launch); stopping

exit B 0
    wants m-2.check.0 CheckWork; stopping

killall
    stance killed: user invoked killall
    sprint B/1: DISPATCHED -> BACKOFF (killed)
    run m-2 closed: killall
    unit B: STOPPING -> KILLED (killed)
    wants nothing; killed
    needs U2: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit B: KILLED -> RUNNING (resume)
    sprint B/1: BACKOFF -> PENDING (resumed)
    run m-4 opens for B/1, checking
    wants m-4.check.0 CheckWork; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: PENDING -> COMPLETED (found done)
    run m-4 closed: found done
    log B/1 Found done: its checks pass although its agent was interrupted
    run m-5 opens for B/1, integrating
    wants m-5.integrate.0 IntegrateWork; running

integrated B
    unit B: 1 sprints integrated at tip
    run m-5 closed: integrated
    log B/1 Integrated: merged at tip
    unit B: RUNNING -> COMPLETED (finished)
    wants nothing; completed
