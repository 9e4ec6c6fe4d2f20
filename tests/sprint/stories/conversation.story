# A continuation goes on in the same conversation; a lost one is begun anew and charges nobody.
plan: A 1+

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

exit A 0
    wants m-1.check.0 CheckWork; running

check A fail=lint commit ends=finished talk=c1
    judged A/1 PARTIAL, newly met
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-1 closed: partial
    log A/1 PARTIAL: `lint` ended with 1
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted mid, attempt 1, goes on with c1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

survey A passing=test
    (stale: leads nowhere)

exit A 1
    wants m-2.check.0 CheckWork; running

check A fail=lint ends=conversation-lost
    trouble A/1: as scripted; not before 8 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): as scripted
    run m-2 closed: as scripted
    log A/1 Conversation lost: as scripted; not charged
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

time in 1s
    wants m-3.survey.0 SurveyGround; running

survey A passing=test
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A fail=lint commit ends=context-exhausted talk=c2
    judged A/1 PARTIAL
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-3 closed: partial
    log A/1 PARTIAL: `lint` ended with 1
    run m-4 opens for A/1, surveying
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

survey A passing=test
    (stale: leads nowhere)

exit A 0
    wants m-4.check.0 CheckWork; running

check A commit ends=finished talk=c3
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
