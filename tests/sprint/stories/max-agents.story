# Never more at once than allowed; who is first is the plan's order.
plan: A 1 2
plan: B 1
plan: C 1
set: max_agents=2

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    unit C: NOT_STARTED -> RUNNING (start)
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

exit B 0
    wants m-1 RunAgent, m-2.check.0 CheckWork; running

# a check takes a place as well

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit B: RUNNING -> COMPLETED (finished)
    run m-3 opens for C/1, surveying
    wants m-1 RunAgent, m-3.survey.0 SurveyGround; running

exit A 0
    wants m-1.check.0 CheckWork, m-3.survey.0 SurveyGround; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    run m-4 opens for A/2, surveying
    wants m-3.survey.0 SurveyGround, m-4.survey.0 SurveyGround; running
