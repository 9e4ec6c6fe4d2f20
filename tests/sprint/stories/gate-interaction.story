# Two that fail only together: the one that came last mends it, and is told of the other (GT-03).
plan: A 1
plan: B 1
plan: C 1
isolated
set: gate=auto gate_commands=make

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    unit C: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    run m-2 opens for B/1, surveying
    run m-3 opens for C/1, surveying
    wants m-1.survey.0 SurveyGround, m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround; running

exit A 0
    wants m-1.check.0 CheckWork, m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    run m-4 opens for A/1, integrating
    wants m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround, m-4.integrate.0 IntegrateWork; running

integrated A
    unit A: 1 sprints integrated at tip
    run m-4 closed: integrated
    log A/1 Integrated: merged at tip
    wants m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent, m-3.survey.0 SurveyGround; running

exit B 0
    wants m-2.check.0 CheckWork, m-3.survey.0 SurveyGround; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    run m-5 opens for B/1, integrating
    wants m-3.survey.0 SurveyGround, m-5.integrate.0 IntegrateWork; running

integrated B
    unit B: 1 sprints integrated at tip
    run m-5 closed: integrated
    log B/1 Integrated: merged at tip
    wants m-3.survey.0 SurveyGround; running

survey C
    run m-3 dispatched: scripted mid, attempt 1
    sprint C/1: PENDING -> DISPATCHED (dispatched)
    log C/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit C 0
    wants m-3.check.0 CheckWork; running

check C commit
    judged C/1 SUCCESS, newly met, checked
    sprint C/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    run m-6 opens for C/1, integrating
    wants m-6.integrate.0 IntegrateWork; running

integrated C
    unit C: 1 sprints integrated at tip
    run m-6 closed: integrated
    log C/1 Integrated: merged at tip
    gate G1 opened, of A:1, B:1, C:1, the last
    log G1/ Gate opened: of A, B, C
    wants m-G1.1.0 RunGate(A B C); running

gate fails=test_ac
    wants m-G1.2.0 RunGate(); running

# before the work, and twice again

gate
    wants m-G1.3.0 RunGate(A B C); running

gate fails=test_ac
    wants m-G1.4.0 RunGate(A B C); running

gate fails=test_ac
    wants m-G1.5.0 RunGate(A); running

# A; then A and B

gate
    wants m-G1.6.0 RunGate(A B); running

gate
    wants m-G1.7.0 RunGate(C); running

# C alone; then with B, and with A

gate
    wants m-G1.8.0 RunGate(B C); running

gate
    wants m-G1.9.0 RunGate(A C); running

gate fails=test_ac
    wants m-G1.10.0 RunGate(B); running

# B, which is left

gate
    gate G1 interaction: `make` ended with 1: A with C
    log G1/ Gate interaction: `make` ended with 1; A with C; 10 runs
    sprint C/repair-1 added: Repair what the gate found
    log C/repair-1 To be repaired: `make` ended with 1
    gate G1 closed, not passed
    run m-7 opens for C/repair-1, surveying
    wants m-7.survey.0 SurveyGround; running

survey C
    run m-7 dispatched: scripted mid, attempt 1
    sprint C/repair-1: PENDING -> DISPATCHED (dispatched)
    log C/repair-1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-7 RunAgent; running

exit C 0
    wants m-7.check.0 CheckWork; running

check C commit
    judged C/repair-1 SUCCESS, newly met, checked
    sprint C/repair-1: DISPATCHED -> COMPLETED (succeeded)
    run m-7 closed: completed
    run m-8 opens for C/repair-1, integrating
    wants m-8.integrate.0 IntegrateWork; running

integrated C
    unit C: 2 sprints integrated at tip
    run m-8 closed: integrated
    log C/repair-1 Integrated: merged at tip
    gate G2 opened, of A:1, B:1, C:2, the last
    log G2/ Gate opened: of A, B, C
    wants m-G2.1.0 RunGate(A B C); running

gate
    gate G2 passed
    log G2/ Gate passed: 1 run
    gate G2 closed, passed
    unit A: RUNNING -> COMPLETED (finished)
    unit B: RUNNING -> COMPLETED (finished)
    unit C: RUNNING -> COMPLETED (finished)
    wants nothing; completed
