# The user said when: 02:00 in UTC, and the day after where that has passed.
plan: A 1
set: on_limit=wait-until limit_ends_at_minute=120

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

check A fail ends=usage-limit reset=60
    trouble A/1: usage limit of scripted: as scripted; not before 7200 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): usage limit of scripted: as scripted
    run m-1 closed: usage limit of scripted: as scripted
    limit of scripted until 7200 s: usage limit of scripted: as scripted
    log A/1 Usage limit: usage limit of scripted: as scripted; not charged
    wants nothing; running

time in 119min
    wants nothing; running

time in 1min
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 1
    wants m-2.check.0 CheckWork; running

check A fail ends=usage-limit reset=60
    trouble A/1: usage limit of scripted: as scripted; not before 93600 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): usage limit of scripted: as scripted
    run m-2 closed: usage limit of scripted: as scripted
    limit of scripted until 93600 s: usage limit of scripted: as scripted
    log A/1 Usage limit: usage limit of scripted: as scripted; not charged
    wants nothing; running

time in 23h
    wants nothing; running
