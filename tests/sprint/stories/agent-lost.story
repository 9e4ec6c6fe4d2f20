# A lost agent is checked and not charged; each time the rest is longer.
plan: A 1

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

exit A lost
    wants m-1.check.0 CheckWork; running

check A fail
    trouble A/1: the agent was lost (reboot, out of memory, or killed from outside); not before 15 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): the agent was lost (reboot, out of memory, or killed from outside)
    run m-1 closed: the agent was lost (reboot, out of memory, or killed from outside)
    log A/1 Agent lost: the agent was lost (reboot, out of memory, or killed from outside); not charged
    wants nothing; running

time in 9s
    wants nothing; running

time in 1s
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A lost
    wants m-2.check.0 CheckWork; running

check A fail
    trouble A/1: the agent was lost (reboot, out of memory, or killed from outside); not before 38 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): the agent was lost (reboot, out of memory, or killed from outside)
    run m-2 closed: the agent was lost (reboot, out of memory, or killed from outside)
    log A/1 Agent lost: the agent was lost (reboot, out of memory, or killed from outside); not charged
    wants nothing; running

time in 20s
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

# lost, and yet its work is done

exit A lost
    wants m-3.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
