# What an interrupted agent had finished is found at resume, before any new order.
plan: A 1 2
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

active A
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-1 RunAgent (no launch), m-2.survey.0 SurveyGround; running

killall
    stance killed: user invoked killall
    run m-1 to be ended: killall, grace 3 s
    run m-2 closed: killall
    unit B: RUNNING -> KILLED (killed)
    wants m-1 EndAgent; killed

exit A stopped
    sprint A/1: RUNNING -> BACKOFF (killed)
    run m-1 closed: killed
    unit A: RUNNING -> KILLED (killed)
    log A/1 Agent terminated: its whole process tree is gone
    wants nothing; killed
    needs U1: KILLED -> topkick resume
    needs U2: KILLED -> topkick resume

# with nothing left alive a second killall changes nothing

killall
    stance killed: user invoked killall
    wants nothing; killed
    needs U1: KILLED -> topkick resume
    needs U2: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    sprint A/1: BACKOFF -> PENDING (resumed)
    unit B: KILLED -> RUNNING (resume)
    run m-3 opens for A/1, checking
    run m-4 opens for B/1, surveying
    wants m-3.check.0 CheckWork, m-4.survey.0 SurveyGround; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: PENDING -> COMPLETED (found done)
    run m-3 closed: found done
    log A/1 Found done: its checks pass although its agent was interrupted
    run m-5 opens for A/2, surveying
    wants m-4.survey.0 SurveyGround, m-5.survey.0 SurveyGround; running
