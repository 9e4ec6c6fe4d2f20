# A new supervisor reads the stream from its beginning, a part at a time: nothing is counted twice.
plan: A 1
set: budgets.run.tokens=1000

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

active A
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-1 RunAgent (no launch); running

spent A tokens=900
    wants m-1 RunAgent (no launch); running

woke driven
    wants m-1 RunAgent (no launch); running

spent A tokens=300
    wants m-1 RunAgent (no launch); running

spent A tokens=900
    (stale: leads nowhere)

spent A tokens=950
    wants m-1 RunAgent (no launch); running

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit ends=finished tokens=950
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: RUNNING -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
