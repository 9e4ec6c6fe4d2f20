# Waits in RUNNING without an agent, takes no agent's place, and goes on when it is met.
plan: A 1:deferred 2
plan: B 1
set: max_agents=1

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, waiting
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    run m-2 opens for B/1, surveying
    wants m-1.poll.0.1 PollCondition, m-2.survey.0 SurveyGround; running

poll A fail
    wants m-2.survey.0 SurveyGround; running

time in 60s
    wants m-1.poll.0.2 PollCondition, m-2.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1.poll.0.2 PollCondition, m-2 RunAgent; running

poll A
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: RUNNING -> COMPLETED (succeeded)
    run m-1 closed: completed
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit B: RUNNING -> COMPLETED (finished)
    run m-3 opens for A/2, surveying
    wants m-3.survey.0 SurveyGround; running
