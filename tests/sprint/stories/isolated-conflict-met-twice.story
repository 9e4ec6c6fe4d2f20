# What conflicts once more is merged once more, and not met again before that is done (GT-06).
plan: A 1 2
plan: B 1<A/1
isolated
set: gate=auto gate_commands=make

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

# B waits for A/1: it is to be merged at once, and conflicts

integrated A conflicts=a.txt
    run m-2 closed: conflicts with the work of other units
    sprint A/merge-1 added: Merge with the work of other units
    log A/merge-1 Merge conflict: a.txt
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

# somebody else was merged meanwhile

integrated A conflicts=b.txt
    run m-4 closed: conflicts with the work of other units
    sprint A/merge-2 added: Merge with the work of other units
    log A/merge-2 Merge conflict: b.txt
    run m-5 opens for A/merge-2, surveying
    wants m-5.survey.0 SurveyGround; running

survey A
    run m-5 dispatched: scripted mid, attempt 1
    sprint A/merge-2: PENDING -> DISPATCHED (dispatched)
    log A/merge-2 Model: mid: first tier set in the configuration: sonnet; score 3 (complexity 3, ambiguity 0, foundation 0, risk 0, type 0): haiku
    wants m-5 RunAgent; running

exit A 0
    wants m-5.check.0 CheckWork; running

check A commit
    judged A/merge-2 SUCCESS, newly met, checked
    sprint A/merge-2: DISPATCHED -> COMPLETED (succeeded)
    run m-5 closed: completed
    run m-6 opens for A/merge-2, integrating
    wants m-6.integrate.0 IntegrateWork; running

integrated A
    unit A: 3 sprints integrated at tip
    run m-6 closed: integrated
    log A/merge-2 Integrated: merged at tip
    run m-7 opens for A/2, surveying
    run m-8 opens for B/1, surveying
    wants m-7.survey.0 SurveyGround, m-8.survey.0 SurveyGround; running
