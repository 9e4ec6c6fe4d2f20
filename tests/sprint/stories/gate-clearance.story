# What a unit builds on has to verify now; if not it waits, charged to nobody, and is tried again when a unit completes and on resume (GT-01).
plan: A 1 verify make-check
plan: B 1 after A
plan: C 1

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit C: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    run m-2 opens for C/1, surveying
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
    unit A: RUNNING -> COMPLETED (finished)
    gate G1 opened, clears B
    wants m-2.survey.0 SurveyGround, m-G1.1.0 RunGate(); running

gate fails=check
    gate G1 culprits: `make-check` ended with 1
    gate G1 closed, not passed
    unit B held: what it builds on does not verify: `make-check` ended with 1 | as seen
    log B/ Held: what it builds on does not verify: `make-check` ended with 1
    wants m-2.survey.0 SurveyGround; running

survey C
    run m-2 dispatched: scripted mid, attempt 1
    sprint C/1: PENDING -> DISPATCHED (dispatched)
    log C/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit C 0
    wants m-2.check.0 CheckWork; running

check C commit
    judged C/1 SUCCESS, newly met, checked
    sprint C/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit C: RUNNING -> COMPLETED (finished)
    unit B free
    gate G2 opened, clears B
    wants m-G2.1.0 RunGate(); running

gate fails=check
    gate G2 culprits: `make-check` ended with 1
    gate G2 closed, not passed
    unit B held: what it builds on does not verify: `make-check` ended with 1 | as seen
    log B/ Held: what it builds on does not verify: `make-check` ended with 1
    wants nothing; blocked
    needs U2: what it builds on does not verify: `make-check` ended with 1 -> topkick resume

resume
    unit B free
    gate G3 opened, clears B
    wants m-G3.1.0 RunGate(); running

gate
    gate G3 passed
    gate G3 closed, passed
    unit B: NOT_STARTED -> RUNNING (start)
    run m-3 opens for B/1, surveying
    wants m-3.survey.0 SurveyGround; running
