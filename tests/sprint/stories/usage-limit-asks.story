# The user wants to be asked: nothing goes on before.
plan: A 1
set: on_limit=ask

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

exit A 1
    wants m-1.check.0 CheckWork; running

check A fail ends=usage-limit reset=600
    trouble A/1: usage limit of scripted: as scripted; not before 604 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): usage limit of scripted: as scripted
    run m-1 closed: usage limit of scripted: as scripted
    limit of scripted until 604 s: usage limit of scripted: as scripted
    log A/1 Usage limit: usage limit of scripted: as scripted; not charged
    agent scripted is down: usage limit of scripted: as scripted; resume when it may continue
    wants nothing; blocked
    needs scripted: usage limit of scripted: as scripted; resume when it may continue -> topkick resume

time in 2h
    wants nothing; blocked
    needs scripted: usage limit of scripted: as scripted; resume when it may continue -> topkick resume

resume
    stance working: resumed by a person
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running
