# All criteria pass before the order and the agent changes nothing: no second order is paid for.
plan: A 1

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

survey A passing=test
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A
    judged A/1 PARTIAL, rests: all criteria passed before the order and the agent changed nothing
    sprint A/1: DISPATCHED -> PARTIAL (progressed): all criteria passed before the order and the agent changed nothing
    run m-1 closed: partial
    log A/1 PARTIAL: all criteria passed before the order and the agent changed nothing
    wants nothing; blocked
    needs U1/1: all criteria passed before the order and the agent changed nothing -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

retry A/1 do it properly
    reopened A/1: do it properly
    log A/1 Retried by a person: do it properly
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A passing=test
    run m-2 dispatched: scripted mid, attempt 1, a person adds a word
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, unchecked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
