# A failing entry criterion holds the sprint; it is tried again when a unit completes.
plan: A 1^
plan: B 1

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

survey A not-ready
    hold A/1: entry criterion not met: `ready` ended with 1 | not yet
    run m-1 closed: held by an entry criterion
    log A/1 Held: entry criterion not met: `ready` ended with 1
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
    hold A/1 lifted
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A not-ready
    hold A/1: entry criterion not met: `ready` ended with 1 | not yet
    run m-3 closed: held by an entry criterion
    log A/1 Held: entry criterion not met: `ready` ended with 1
    wants nothing; blocked
    needs U1/1: entry criterion not met: `ready` ended with 1 -> topkick resume

resume
    hold A/1 lifted
    run m-4 opens for A/1, surveying
    wants m-4.survey.0 SurveyGround; running

survey A
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running
