# Another agent takes over at once, and that is on record; when it is limited too, it waits.
plan: A 1
plan: B 1
set: on_limit=switch other_agent=spare

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

check A fail ends=usage-limit reset=600
    trouble A/1: usage limit of scripted: as scripted; not before 6 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): usage limit of scripted: as scripted
    run m-1 closed: usage limit of scripted: as scripted
    limit of scripted until 605 s: usage limit of scripted: as scripted
    log A/1 Usage limit: usage limit of scripted: as scripted; not charged
    settings changed; agent spare
    log / Agent changed: scripted to spare: usage limit of scripted: as scripted
    run m-3 opens for A/1, surveying
    wants m-2 RunAgent, m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: spare spare-mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: spare-mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent, m-3 RunAgent; running

exit A 1
    wants m-2 RunAgent, m-3.check.0 CheckWork; running

check A fail ends=usage-limit reset=60
    trouble A/1: usage limit of spare: as scripted; not before 69 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): usage limit of spare: as scripted
    run m-3 closed: usage limit of spare: as scripted
    limit of spare until 69 s: usage limit of spare: as scripted
    log A/1 Usage limit: usage limit of spare: as scripted; not charged
    wants m-2 RunAgent; running

# B was with the first agent, and is limited too; it goes on with the other when that may

exit B 1
    wants m-2.check.0 CheckWork; running

check B fail ends=usage-limit reset=900
    trouble B/1: usage limit of scripted: as scripted; not before 11 s
    sprint B/1: DISPATCHED -> BACKOFF (troubled): usage limit of scripted: as scripted
    run m-2 closed: usage limit of scripted: as scripted
    limit of scripted until 910 s: usage limit of scripted: as scripted
    log B/1 Usage limit: usage limit of scripted: as scripted; not charged
    wants nothing; running

time in 1min
    run m-4 opens for A/1, surveying
    run m-5 opens for B/1, surveying
    wants m-4.survey.0 SurveyGround, m-5.survey.0 SurveyGround; running
