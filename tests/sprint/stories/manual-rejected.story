# Rejected: charged, and the why is in the next order.
plan: A 1:manual
set: max_retries=2

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
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 3 (complexity 1, ambiguity 3, foundation 0, risk 0, type -1): haiku
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit
    judged A/1 PARTIAL, newly met, rests: a person has to check it
    sprint A/1: DISPATCHED -> PARTIAL (progressed): a person has to check it
    run m-1 closed: partial
    log A/1 PARTIAL: a person has to check it
    wants nothing; blocked
    needs U1/1: a person has to check it -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

reject A/1 the button is missing
    judged A/1 FAILURE, charged
    sprint A/1: PARTIAL -> BACKOFF (rejected): the button is missing
    log A/1 Rejected by a person: the button is missing
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 3 (complexity 1, ambiguity 3, foundation 0, risk 0, type -1): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit
    judged A/1 PARTIAL, newly met, rests: a person has to check it
    sprint A/1: DISPATCHED -> PARTIAL (progressed): a person has to check it
    run m-2 closed: partial
    log A/1 PARTIAL: a person has to check it
    wants nothing; blocked
    needs U1/1: a person has to check it -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

reject A/1 still missing
    judged A/1 FAILURE, charged
    sprint A/1: PARTIAL -> BACKOFF (rejected): still missing
    log A/1 Rejected by a person: still missing
    sprint A/1: BACKOFF -> FATAL (exhausted): failed 2 of 2 attempts
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: failed 2 of 2 attempts; last: rejected by a person: still missing
    wants nothing; blocked
    needs U1/1: FATAL: failed 2 of 2 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."
