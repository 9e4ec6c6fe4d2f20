# stop, killall, a supervisor that dies, a judge that falls over, an edited plan: nobody begins before a verdict, and each round has an id of its own.
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

# aborted: nothing is undone, and nobody begins

stop
    stance stopping: stopped by a person
    wants nothing; stopped
    needs G1: CHECKPOINT-001 after layer 0: blocked: score 0.50; as seen -> topkick reject G1 --unit U --why "..." | topkick resume | topkick accept G1 --why "..."

# who resumes has it judged again

resume
    gate G1 closed, not passed
    log G1/ Judged again: as CHECKPOINT-001-R2, on resume
    stance working: resumed by a person
    gate G2 opened, by topkick checkpoint judge team CHECKPOINT-001-R2 --scope A,B --role-spec builtin
    log G2/ Gate opened: CHECKPOINT-001-R2, of A, B
    wants m-G2.1.0 RunGate(A B); running

# the supervisor dies while it is judged

woke
    wants m-G2.1.1 RunGate(A B); running

killall
    stance killed: user invoked killall
    wants nothing; killed
    needs U3: not begun when the run was stopped -> topkick resume
    needs U4: not begun when the run was stopped -> topkick resume

resume
    stance working: resumed by a person
    wants m-G2.1.1 RunGate(A B); running

# a judge that falls over has judged nothing: the same id is judged by

gate code=2 fails=x
    gate G2 cannot run: `topkick checkpoint judge team CHECKPOINT-001-R2 --scope A,B --role-spec builtin` ended with 2: as seen
    log G2/ Gate cannot run: `topkick checkpoint judge team CHECKPOINT-001-R2 --scope A,B --role-spec builtin` ended with 2: as seen; 1 run
    wants nothing; blocked
    needs G2: CHECKPOINT-001-R2 after layer 0: cannot run: `topkick checkpoint judge team CHECKPOINT-001-R2 --scope A,B --role-spec builtin` ended with 2: as seen -> topkick reject G2 --unit U --why "..." | topkick resume | topkick accept G2 --why "..."

resume
    gate G2 dropped
    gate G3 opened, by topkick checkpoint judge team CHECKPOINT-001-R2 --scope A,B --role-spec builtin
    log G3/ Gate opened: CHECKPOINT-001-R2, of A, B
    wants m-G3.1.0 RunGate(A B); running

gate judged=block
    gate G3 blocked: score 0.50; as seen
    log G3/ Gate blocked: score 0.50; as seen; 1 run
    wants nothing; blocked
    needs G3: CHECKPOINT-001-R2 after layer 0: blocked: score 0.50; as seen -> topkick reject G3 --unit U --why "..." | topkick resume | topkick accept G3 --why "..."

revise A 1 | B 1 | C 1 after A | D 1 after C | E 1 after C
    gate G3 closed, not passed
    log G3/ Judged again: as CHECKPOINT-001-R3, on resume
    PlanRevised
    log / Plan revised: the edited plan was taken over on resume
    gate G4 opened, by topkick checkpoint judge team CHECKPOINT-001-R3 --scope A,B --role-spec builtin
    log G4/ Gate opened: CHECKPOINT-001-R3, of A, B
    wants m-G4.1.0 RunGate(A B); running

gate trouble no tree
    gate G4 cannot run: no tree
    log G4/ Gate cannot run: no tree; 1 run
    wants nothing; blocked
    needs G4: CHECKPOINT-001-R3 after layer 0: cannot run: no tree -> topkick reject G4 --unit U --why "..." | topkick resume | topkick accept G4 --why "..."

# nobody drives; what a person says is kept, and written down by who does

woke undriven
    wants nothing; blocked
    needs G4: CHECKPOINT-001-R3 after layer 0: cannot run: no tree -> topkick reject G4 --unit U --why "..." | topkick resume | topkick accept G4 --why "..."

pass G4 by hand
    gate G4 closed, passed, accepted: by hand
    log G4/ Gate accepted by a person: by hand
    to be added to team/wisdom/decisions.md: - 1970-01-01 CHECKPOINT-001-R3 (cannot run): overridden by a person at G4: by hand
    wants nothing; running

woke
    unit C: NOT_STARTED -> RUNNING (start)
    run m-3 opens for C/1, surveying
    wants m-3.survey.0 SurveyGround, m-edit-1 EditFiles; running

wrote
    wants m-3.survey.0 SurveyGround; running
