# A warning lets pass, and is told.
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

gate judged=warn
    gate G1 warned: score 0.50; as seen
    log G1/ Gate warned: score 0.50; as seen; 1 run
    gate G1 closed, passed
    unit C: NOT_STARTED -> RUNNING (start)
    run m-3 opens for C/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey C
    run m-3 dispatched: scripted mid, attempt 1
    sprint C/1: PENDING -> DISPATCHED (dispatched)
    log C/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running
