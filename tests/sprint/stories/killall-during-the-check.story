# The agent was done and being judged: killall runs no command, resume looks again.
plan: A 1
plan: B 1:deferred

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    run m-2 opens for B/1, waiting
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    sprint B/1: DISPATCHED -> RUNNING (first activity)
    wants m-1.survey.0 SurveyGround, m-2.poll.0.1 PollCondition; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.poll.0.1 PollCondition; running

exit A 0
    wants m-1.check.0 CheckWork, m-2.poll.0.1 PollCondition; running

killall
    stance killed: user invoked killall
    sprint A/1: DISPATCHED -> BACKOFF (killed)
    run m-1 closed: killall
    sprint B/1: RUNNING -> BACKOFF (killed)
    run m-2 closed: killall
    unit A: RUNNING -> KILLED (killed)
    unit B: RUNNING -> KILLED (killed)
    wants nothing; killed
    needs U1: KILLED -> topkick resume
    needs U2: KILLED -> topkick resume

check m-1 commit
    (stale: leads nowhere)

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    sprint A/1: BACKOFF -> PENDING (resumed)
    unit B: KILLED -> RUNNING (resume)
    sprint B/1: BACKOFF -> PENDING (resumed)
    run m-3 opens for A/1, checking
    run m-4 opens for B/1, waiting
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    sprint B/1: DISPATCHED -> RUNNING (first activity)
    wants m-3.check.0 CheckWork, m-4.poll.0.1 PollCondition; running
