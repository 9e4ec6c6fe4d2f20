# A usage limit charges nobody; all units of the account wait until it is over, and then go on.
plan: A 1
plan: B 1 2
set: max_dispatches=1

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

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2 RunAgent; running

exit A 1
    wants m-1.check.0 CheckWork, m-2 RunAgent; running

check A fail ends=usage-limit reset=600 proven
    trouble A/1: usage limit of scripted: as scripted; not before 605 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): usage limit of scripted: as scripted
    run m-1 closed: usage limit of scripted: as scripted
    limit of scripted until 605 s: usage limit of scripted: as scripted
    log A/1 Usage limit: usage limit of scripted: as scripted; not charged
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    wants nothing; running

time in 5min
    wants nothing; running

time in 296s
    wants nothing; running

# the reset time is there

time in 1s
    run m-3 opens for A/1, surveying
    run m-4 opens for B/2, surveying
    wants m-3.survey.0 SurveyGround, m-4.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-4.survey.0 SurveyGround; running

survey B
    run m-4 dispatched: scripted mid, attempt 1
    sprint B/2: PENDING -> DISPATCHED (dispatched)
    log B/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-4 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork, m-4 RunAgent; running

check A commit ends=finished
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants m-4 RunAgent; running

exit B 0
    wants m-4.check.0 CheckWork; running

check B commit ends=finished
    judged B/2 SUCCESS, newly met, checked
    sprint B/2: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    unit B: RUNNING -> COMPLETED (finished)
    wants nothing; completed
