# What another unit's sprint waits for is merged when it is done, and its tree catches up (GT-08).
plan: A 1 2
plan: B 1<A/1 2
isolated

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    run m-2 opens for A/1, integrating
    wants m-2.integrate.0 IntegrateWork; running

# the merge comes before A goes on, and B begins only after it

integrated A
    unit A: 1 sprints integrated at tip
    run m-2 closed: integrated
    log A/1 Integrated: merged at tip
    run m-3 opens for A/2, surveying
    run m-4 opens for B/1, surveying
    wants m-3.survey.0 SurveyGround, m-4.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-4.survey.0 SurveyGround; running

survey B conflicts=shared.txt
    run m-4 closed: conflicts with the work of other units
    sprint B/merge-1 added: Merge with the work of other units
    log B/merge-1 Merge conflict: shared.txt
    run m-5 opens for B/merge-1, surveying
    wants m-3 RunAgent, m-5.survey.0 SurveyGround; running

survey B
    run m-5 dispatched: scripted mid, attempt 1
    sprint B/merge-1: PENDING -> DISPATCHED (dispatched)
    log B/merge-1 Model: mid: first tier set in the configuration: sonnet; score 1 (complexity 1, ambiguity 0, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-5 RunAgent; running

exit B 0
    wants m-3 RunAgent, m-5.check.0 CheckWork; running

check B commit
    judged B/merge-1 SUCCESS, newly met, checked
    sprint B/merge-1: DISPATCHED -> COMPLETED (succeeded)
    run m-5 closed: completed
    run m-6 opens for B/1, surveying
    wants m-3 RunAgent, m-6.survey.0 SurveyGround; running

survey B
    run m-6 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-6 RunAgent; running
