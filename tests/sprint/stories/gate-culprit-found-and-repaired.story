# Only whose work turns the gate red mends it; the innocent wait, and nobody is charged (GT-03).
plan: A 1
plan: B 1
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
    run m-2 opens for B/1, surveying
    wants m-1.survey.0 SurveyGround, m-2.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

exit A 0
    wants m-1.check.0 CheckWork, m-2.survey.0 SurveyGround; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    run m-3 opens for A/1, integrating
    wants m-2.survey.0 SurveyGround, m-3.integrate.0 IntegrateWork; running

integrated A
    unit A: 1 sprints integrated at tip
    run m-3 closed: integrated
    log A/1 Integrated: merged at tip
    wants m-2.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    run m-4 opens for B/1, integrating
    wants m-4.integrate.0 IntegrateWork; running

integrated B
    unit B: 1 sprints integrated at tip
    run m-4 closed: integrated
    log B/1 Integrated: merged at tip
    gate G1 opened, of A:1, B:1, the last
    log G1/ Gate opened: of A, B
    wants m-G1.1.0 RunGate(A B); running

gate fails=test_b
    wants m-G1.2.0 RunGate(); running

gate
    wants m-G1.3.0 RunGate(A B); running

gate fails=test_b
    wants m-G1.4.0 RunGate(A B); running

gate fails=test_b
    wants m-G1.5.0 RunGate(A); running

# A alone, then B alone

gate
    wants m-G1.6.0 RunGate(B); running

gate fails=test_b
    gate G1 culprits: `make` ended with 1: B
    log G1/ Gate culprits: `make` ended with 1; B; 6 runs
    sprint B/repair-1 added: Repair what the gate found
    log B/repair-1 To be repaired: `make` ended with 1
    gate G1 closed, not passed
    run m-5 opens for B/repair-1, surveying
    wants m-5.survey.0 SurveyGround; running

survey B
    run m-5 dispatched: scripted mid, attempt 1
    sprint B/repair-1: PENDING -> DISPATCHED (dispatched)
    log B/repair-1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-5 RunAgent; running

exit B 0
    wants m-5.check.0 CheckWork; running

check B commit
    judged B/repair-1 SUCCESS, newly met, checked
    sprint B/repair-1: DISPATCHED -> COMPLETED (succeeded)
    run m-5 closed: completed
    run m-6 opens for B/repair-1, integrating
    wants m-6.integrate.0 IntegrateWork; running

integrated B
    unit B: 2 sprints integrated at tip
    run m-6 closed: integrated
    log B/repair-1 Integrated: merged at tip
    gate G2 opened, of A:1, B:2, the last
    log G2/ Gate opened: of A, B
    wants m-G2.1.0 RunGate(A B); running

gate
    gate G2 passed
    log G2/ Gate passed: 1 run
    gate G2 closed, passed
    unit A: RUNNING -> COMPLETED (finished)
    unit B: RUNNING -> COMPLETED (finished)
    wants nothing; completed
