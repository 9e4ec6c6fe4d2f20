# Trouble of the provider rests and is not charged; a wrong key stops the agent at once.
plan: A 1
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

check A fail ends=provider-trouble
    trouble A/1: as scripted; not before 16 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): as scripted
    run m-1 closed: as scripted
    log A/1 Provider trouble: as scripted; not charged
    wants m-2 RunAgent; running

time in 10s
    run m-3 opens for A/1, surveying
    wants m-2 RunAgent, m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent, m-3 RunAgent; running

exit A 1
    wants m-2 RunAgent, m-3.check.0 CheckWork; running

check A fail ends=provider-trouble
    trouble A/1: as scripted; not before 39 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): as scripted
    run m-3 closed: as scripted
    log A/1 Provider trouble: as scripted; not charged
    wants m-2 RunAgent; running

exit B 1
    wants m-2.check.0 CheckWork; running

check B fail ends=authentication
    agent scripted is down: scripted cannot work: authentication: as scripted
    trouble B/1: scripted cannot work: authentication: as scripted; not before 21 s
    sprint B/1: DISPATCHED -> BACKOFF (troubled): scripted cannot work: authentication: as scripted
    run m-2 closed: scripted cannot work: authentication: as scripted
    log B/1 Agent cannot work: scripted cannot work: authentication: as scripted; not charged
    wants nothing; blocked
    needs scripted: scripted cannot work: authentication: as scripted -> topkick resume

time in 1h
    wants nothing; blocked
    needs scripted: scripted cannot work: authentication: as scripted -> topkick resume

resume
    stance working: resumed by a person
    run m-4 opens for A/1, surveying
    run m-5 opens for B/1, surveying
    wants m-4.survey.0 SurveyGround, m-5.survey.0 SurveyGround; running

survey A
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent, m-5.survey.0 SurveyGround; running

# what was done before the trouble counts

exit A 1
    wants m-4.check.0 CheckWork, m-5.survey.0 SurveyGround; running

check A commit ends=provider-trouble
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants m-5.survey.0 SurveyGround; running
