# Trouble with the merge is nobody's fault: it is held, told, and tried again on resume.
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

integrated A trouble topkick/op is checked out
    hold A/1: topkick/op is checked out
    run m-2 closed: not integrated
    log A/1 Not integrated: topkick/op is checked out
    wants nothing; blocked
    needs U1: topkick/op is checked out -> topkick resume

resume
    hold A/1 lifted
    run m-3 opens for A/1, integrating
    wants m-3.integrate.0 IntegrateWork; running

integrated A
    unit A: 1 sprints integrated at tip
    run m-3 closed: integrated
    log A/1 Integrated: merged at tip
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
