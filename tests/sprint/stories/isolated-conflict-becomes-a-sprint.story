# A conflict is the unit's next sprint, with the unit's checks and the merge itself to be met (GT-06).
plan: A 1
isolated

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
    run m-2 opens for A/1, integrating
    wants m-2.integrate.0 IntegrateWork; running

integrated A conflicts=a.txt,b.txt
    run m-2 closed: conflicts with the work of other units
    sprint A/merge-1 added: Merge with the work of other units
    log A/merge-1 Merge conflict: a.txt, b.txt
    run m-3 opens for A/merge-1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/merge-1: PENDING -> DISPATCHED (dispatched)
    log A/merge-1 Model: mid: first tier set in the configuration: sonnet; score 3 (complexity 3, ambiguity 0, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit
    judged A/merge-1 SUCCESS, newly met, checked
    sprint A/merge-1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    run m-4 opens for A/merge-1, integrating
    wants m-4.integrate.0 IntegrateWork; running

integrated A
    unit A: 2 sprints integrated at tip
    run m-4 closed: integrated
    log A/merge-1 Integrated: merged at tip
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
