# Three repairs that did not help are enough: the gate waits for a person (GT-03).
plan: A 1
set: gate=auto gate_commands=make

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
    gate G1 opened, of A:1, the last
    log G1/ Gate opened: of A
    wants m-G1.1.0 RunGate(A); running

gate fails=test_a
    wants m-G1.2.0 RunGate(); running

gate
    wants m-G1.3.0 RunGate(A); running

gate fails=test_a
    wants m-G1.4.0 RunGate(A); running

gate fails=test_a
    gate G1 culprits: `make` ended with 1: A
    log G1/ Gate culprits: `make` ended with 1; A; 4 runs
    sprint A/repair-1 added: Repair what the gate found
    log A/repair-1 To be repaired: `make` ended with 1
    gate G1 closed, not passed
    run m-2 opens for A/repair-1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/repair-1: PENDING -> DISPATCHED (dispatched)
    log A/repair-1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit
    judged A/repair-1 SUCCESS, newly met, checked
    sprint A/repair-1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    gate G2 opened, of A:2, the last
    log G2/ Gate opened: of A
    wants m-G2.1.0 RunGate(A); running

gate fails=test_a
    wants m-G2.2.0 RunGate(); running

gate
    wants m-G2.3.0 RunGate(A); running

gate fails=test_a
    wants m-G2.4.0 RunGate(A); running

gate fails=test_a
    gate G2 culprits: `make` ended with 1: A
    log G2/ Gate culprits: `make` ended with 1; A; 4 runs
    sprint A/repair-2 added: Repair what the gate found
    log A/repair-2 To be repaired: `make` ended with 1
    gate G2 closed, not passed
    run m-3 opens for A/repair-2, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/repair-2: PENDING -> DISPATCHED (dispatched)
    log A/repair-2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit
    judged A/repair-2 SUCCESS, newly met, checked
    sprint A/repair-2: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    gate G3 opened, of A:3, the last
    log G3/ Gate opened: of A
    wants m-G3.1.0 RunGate(A); running

gate fails=test_a
    wants m-G3.2.0 RunGate(); running

gate
    wants m-G3.3.0 RunGate(A); running

gate fails=test_a
    wants m-G3.4.0 RunGate(A); running

gate fails=test_a
    gate G3 culprits: `make` ended with 1: A
    log G3/ Gate culprits: `make` ended with 1; A; 4 runs
    sprint A/repair-3 added: Repair what the gate found
    log A/repair-3 To be repaired: `make` ended with 1
    gate G3 closed, not passed
    run m-4 opens for A/repair-3, surveying
    wants m-4.survey.0 SurveyGround; running

survey A
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/repair-3: PENDING -> DISPATCHED (dispatched)
    log A/repair-3 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

exit A 0
    wants m-4.check.0 CheckWork; running

check A commit
    judged A/repair-3 SUCCESS, newly met, checked
    sprint A/repair-3: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    gate G4 opened, of A:4, the last
    log G4/ Gate opened: of A
    wants m-G4.1.0 RunGate(A); running

gate fails=test_a
    wants m-G4.2.0 RunGate(); running

gate
    wants m-G4.3.0 RunGate(A); running

gate fails=test_a
    wants m-G4.4.0 RunGate(A); running

gate fails=test_a
    gate G4 culprits: `make` ended with 1: A
    log G4/ Gate culprits: `make` ended with 1; A; 4 runs
    log G4/ Gate waits for a person: the unit to blame cannot repair it, or has no repairs left
    wants nothing; blocked
    needs G4: gate of A: culprits: `make` ended with 1 -> topkick reject G4 --why "..." | topkick resume | topkick accept G4 --why "..."

time in 1h
    wants nothing; blocked
    needs G4: gate of A: culprits: `make` ended with 1 -> topkick reject G4 --why "..." | topkick resume | topkick accept G4 --why "..."

pass G4 it is the machine
    gate G4 closed, passed, accepted: it is the machine
    log G4/ Gate accepted by a person: it is the machine
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
