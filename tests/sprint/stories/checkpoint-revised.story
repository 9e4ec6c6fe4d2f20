# A person has the work revised: COMPLETED stays so, a unit of its own goes over it.
plan: A 1
plan: B 1
plan: C 1 after A
plan: D 1 after C
checkpoint: A B then C D

woke
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

exit A 0
    wants m-1.check.0 CheckWork, m-2.survey.0 SurveyGround; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
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
    unit B: RUNNING -> COMPLETED (finished)
    gate G1 opened, by topkick checkpoint judge team CHECKPOINT-001 --scope A,B --role-spec builtin
    log G1/ Gate opened: CHECKPOINT-001, of A, B
    wants m-G1.1.0 RunGate(A B); running

gate judged=block
    gate G1 blocked: score 0.50; as seen
    log G1/ Gate blocked: score 0.50; as seen; 1 run
    wants nothing; blocked
    needs G1: CHECKPOINT-001 after layer 0: blocked: score 0.50; as seen -> topkick reject G1 --unit U --why "..." | topkick resume | topkick accept G1 --why "..."

refuse G1 the terms differ
    CommandRefused(refusal=GateUnitNeeded(gate='G1', units=('U1', 'U2')))
    wants nothing; blocked
    needs G1: CHECKPOINT-001 after layer 0: blocked: score 0.50; as seen -> topkick reject G1 --unit U --why "..." | topkick resume | topkick accept G1 --why "..."

refuse G1 unit=D the terms differ
    CommandRefused(refusal=GateUnitNeeded(gate='G1', units=('U1', 'U2')))
    wants nothing; blocked
    needs G1: CHECKPOINT-001 after layer 0: blocked: score 0.50; as seen -> topkick reject G1 --unit U --why "..." | topkick resume | topkick accept G1 --why "..."

refuse G1 unit=A the terms differ
    unit Revision 1 added: 1 Revise A for CHECKPOINT-001
    log Revision 1/ Revision begins: what A did, for CHECKPOINT-001
    gate G1 closed, not passed
    log G1/ Gate refused by a person: the terms differ
    unit Revision 1: NOT_STARTED -> RUNNING (start)
    run m-3 opens for Revision 1/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey Revision␣1
    run m-3 dispatched: scripted mid, attempt 1
    sprint Revision 1/1: PENDING -> DISPATCHED (dispatched)
    log Revision 1/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit Revision␣1 0
    wants m-3.check.0 CheckWork; running

check Revision␣1 commit
    judged Revision 1/1 SUCCESS, newly met, checked
    sprint Revision 1/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit Revision 1: RUNNING -> COMPLETED (finished)
    gate G2 opened, by topkick checkpoint judge team CHECKPOINT-001-R2 --scope A,B --role-spec builtin
    log G2/ Gate opened: CHECKPOINT-001-R2, of A, B, Revision 1
    wants m-G2.1.0 RunGate(A B Revision 1); running

# judged again under an id of its own

gate judged=block
    gate G2 blocked: score 0.50; as seen
    log G2/ Gate blocked: score 0.50; as seen; 1 run
    wants nothing; blocked
    needs G2: CHECKPOINT-001-R2 after layer 0: blocked: score 0.50; as seen -> topkick reject G2 --unit U --why "..." | topkick resume | topkick accept G2 --why "..."

# an edit of the plan leaves it there

revise A 1 | B 1 | C 1 after A | D 1 after C | E 1 after C
    gate G2 closed, not passed
    log G2/ Judged again: as CHECKPOINT-001-R3, on resume
    PlanRevised
    log / Plan revised: the edited plan was taken over on resume
    gate G3 opened, by topkick checkpoint judge team CHECKPOINT-001-R3 --scope A,B --role-spec builtin
    log G3/ Gate opened: CHECKPOINT-001-R3, of A, B, Revision 1
    wants m-G3.1.0 RunGate(A B Revision 1); running

gate judged=block
    gate G3 blocked: score 0.50; as seen
    log G3/ Gate blocked: score 0.50; as seen; 1 run
    wants nothing; blocked
    needs G3: CHECKPOINT-001-R3 after layer 0: blocked: score 0.50; as seen -> topkick reject G3 --unit U --why "..." | topkick resume | topkick accept G3 --why "..."

refuse G3 unit=Revision␣1 still
    unit Revision 2 added: 1 Revise Revision 1 for CHECKPOINT-001-R3
    log Revision 2/ Revision begins: what Revision 1 did, for CHECKPOINT-001-R3
    gate G3 closed, not passed
    log G3/ Gate refused by a person: still
    unit Revision 2: NOT_STARTED -> RUNNING (start)
    run m-4 opens for Revision 2/1, surveying
    wants m-4.survey.0 SurveyGround; running

survey Revision␣2
    run m-4 dispatched: scripted mid, attempt 1
    sprint Revision 2/1: PENDING -> DISPATCHED (dispatched)
    log Revision 2/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

exit Revision␣2 0
    wants m-4.check.0 CheckWork; running

check Revision␣2 commit
    judged Revision 2/1 SUCCESS, newly met, checked
    sprint Revision 2/1: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    unit Revision 2: RUNNING -> COMPLETED (finished)
    gate G4 opened, by topkick checkpoint judge team CHECKPOINT-001-R4 --scope A,B --role-spec builtin
    log G4/ Gate opened: CHECKPOINT-001-R4, of A, B, Revision 1, Revision 2
    wants m-G4.1.0 RunGate(A B Revision 1 Revision 2); running

gate judged=pass
    gate G4 passed
    log G4/ Gate passed: 1 run
    gate G4 closed, passed
    unit C: NOT_STARTED -> RUNNING (start)
    run m-5 opens for C/1, surveying
    wants m-5.survey.0 SurveyGround; running
