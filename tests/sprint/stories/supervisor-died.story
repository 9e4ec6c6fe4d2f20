# A supervisor that follows another: nothing is started twice, looks are taken again.
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

woke driven
    wants m-1 RunAgent, m-2.survey.1 SurveyGround; running

exit A 0
    wants m-1.check.0 CheckWork, m-2.survey.1 SurveyGround; running

woke driven
    wants m-1.check.1 CheckWork, m-2.survey.2 SurveyGround; running

# without a driver it attends to commands and dispatches nothing

woke undriven
    wants nothing; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; running

woke driven
    wants m-2.survey.4 SurveyGround; running
