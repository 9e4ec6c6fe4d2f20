# Finished work is merged once the unit is at its end, one unit after the other; only then COMPLETED.
plan: A 1 2
plan: B 1
plan: C 1 after A B
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
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
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
    run m-3 opens for A/2, surveying
    wants m-2 RunAgent, m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent, m-3 RunAgent; running

exit A 0
    wants m-2 RunAgent, m-3.check.0 CheckWork; running

exit B 0
    wants m-2.check.0 CheckWork, m-3.check.0 CheckWork; running

check A commit
    judged A/2 SUCCESS, newly met, checked
    sprint A/2: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    run m-4 opens for A/2, integrating
    wants m-2.check.0 CheckWork, m-4.integrate.0 IntegrateWork; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    run m-5 opens for B/1, integrating
    wants m-4.integrate.0 IntegrateWork; running

integrated A
    unit A: 2 sprints integrated at tip
    run m-4 closed: integrated
    log A/2 Integrated: merged at tip
    unit A: RUNNING -> COMPLETED (finished)
    wants m-5.integrate.0 IntegrateWork; running

integrated B
    unit B: 1 sprints integrated at tip
    run m-5 closed: integrated
    log B/1 Integrated: merged at tip
    unit B: RUNNING -> COMPLETED (finished)
    unit C: NOT_STARTED -> RUNNING (start)
    run m-6 opens for C/1, surveying
    wants m-6.survey.0 SurveyGround; running

survey C
    run m-6 dispatched: scripted mid, attempt 1
    sprint C/1: PENDING -> DISPATCHED (dispatched)
    log C/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-6 RunAgent; running
