# A green gate waits for a yes; a no becomes a repair sprint with its why (GT-02).
plan: A 1
plan: B 1 after A
set: gate=ask gate_commands=make

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
    gate G1 opened, of A:1
    log G1/ Gate opened: of A
    wants m-G1.1.0 RunGate(A); running

pass G1 too early
    CommandRefused(refusal=GateNotAsking(asked=<CommandName.ACCEPT: 'accept'>, gate='G1', asking=()))
    wants m-G1.1.0 RunGate(A); running

gate
    gate G1 passed
    log G1/ Gate passed: 1 run
    wants nothing; blocked
    needs G1: gate of A: passed; a person decides whether the run continues -> topkick reject G1 --why "..." | topkick accept G1 --why "..."

resume
    wants nothing; blocked
    needs G1: gate of A: passed; a person decides whether the run continues -> topkick reject G1 --why "..." | topkick accept G1 --why "..."

refuse G1 the names are wrong
    sprint A/repair-1 added: Repair what the gate found
    gate G1 closed, not passed
    log G1/ Gate refused by a person: the names are wrong
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
    gate G2 opened, of A:2
    log G2/ Gate opened: of A
    wants m-G2.1.0 RunGate(A); running

gate
    gate G2 passed
    log G2/ Gate passed: 1 run
    wants nothing; blocked
    needs G2: gate of A: passed; a person decides whether the run continues -> topkick reject G2 --why "..." | topkick accept G2 --why "..."

pass G2 better
    gate G2 closed, passed, accepted: better
    log G2/ Gate accepted by a person: better
    unit A: RUNNING -> COMPLETED (finished)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-3 opens for B/1, surveying
    wants m-3.survey.0 SurveyGround; running
