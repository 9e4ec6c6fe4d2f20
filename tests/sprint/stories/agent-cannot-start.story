# A program that cannot be started is down for all units until a person has seen to it.
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

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2 RunAgent; running

exit A cannot_start no such program: agent
    agent scripted is down: scripted cannot be started: no such program: agent
    trouble A/1: scripted cannot be started: no such program: agent; not before 5 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled)
    run m-1 closed: scripted cannot be started: no such program: agent
    log A/1 Agent cannot start: scripted cannot be started: no such program: agent
    wants m-2 RunAgent; running

exit B cannot_start no such program: agent
    agent scripted is down: scripted cannot be started: no such program: agent
    trouble B/1: scripted cannot be started: no such program: agent; not before 6 s
    sprint B/1: DISPATCHED -> BACKOFF (troubled)
    run m-2 closed: scripted cannot be started: no such program: agent
    log B/1 Agent cannot start: scripted cannot be started: no such program: agent
    wants nothing; blocked
    needs scripted: scripted cannot be started: no such program: agent -> topkick resume

resume
    stance working: resumed by a person
    run m-3 opens for A/1, surveying
    run m-4 opens for B/1, surveying
    wants m-3.survey.0 SurveyGround, m-4.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-4.survey.0 SurveyGround; running
