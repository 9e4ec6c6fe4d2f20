# Several in one tree hold what builds; it is run once, for all, and only then are they done (GT-02, GT-04).
plan: A 1*
plan: B 1*
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
    run m-1 dispatched: scripted mid, attempt 1, holds build
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1, holds build
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork, m-2 RunAgent; running

check A commit
    judged A/1 SUCCESS, newly met, held
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B commit
    judged B/1 SUCCESS, newly met, held
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    gate G1 opened, of A:1, B:1, held: build, build, the last
    log G1/ Gate opened: of A, B
    wants m-G1.1.0 RunGate(A B); running

gate
    gate G1 passed
    log G1/ Gate passed: 1 run
    gate G1 closed, passed
    unit A: RUNNING -> COMPLETED (finished)
    unit B: RUNNING -> COMPLETED (finished)
    wants nothing; completed
