# Killed while it rests: resume tries at once, and nothing waits for ever.
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

exit A 1
    wants m-1.check.0 CheckWork, m-2 RunAgent; running

check A fail ends=usage-limit reset=36000
    trouble A/1: usage limit of scripted: as scripted; not before 36005 s
    sprint A/1: DISPATCHED -> BACKOFF (troubled): usage limit of scripted: as scripted
    run m-1 closed: usage limit of scripted: as scripted
    limit of scripted until 36005 s: usage limit of scripted: as scripted
    log A/1 Usage limit: usage limit of scripted: as scripted; not charged
    wants m-2 RunAgent; running

killall
    stance killed: user invoked killall
    run m-2 to be ended: killall, grace 3 s
    unit A: RUNNING -> KILLED (killed)
    wants m-2 EndAgent; killed

exit B stopped
    sprint B/1: DISPATCHED -> BACKOFF (killed)
    run m-2 closed: killed
    unit B: RUNNING -> KILLED (killed)
    log B/1 Agent terminated: its whole process tree is gone
    wants nothing; killed
    needs U1: KILLED -> topkick resume
    needs U2: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    sprint A/1: BACKOFF -> PENDING (resumed)
    unit B: KILLED -> RUNNING (resume)
    sprint B/1: BACKOFF -> PENDING (resumed)
    run m-3 opens for A/1, surveying
    run m-4 opens for B/1, checking
    wants m-3.survey.0 SurveyGround, m-4.check.0 CheckWork; running

check B fail
    run m-4 closed: not finished when it was interrupted
    run m-5 opens for B/1, surveying
    run m-5 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3.survey.0 SurveyGround, m-5 RunAgent; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent, m-5 RunAgent; running

survey B
    (stale: leads nowhere)

stop
    stance stopping: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    unit B: RUNNING -> STOPPING (stop)
    wants m-3 RunAgent (no launch), m-5 RunAgent (no launch); stopping

exit A stopped
    sprint A/1: DISPATCHED -> BACKOFF (killed)
    run m-3 closed: killed
    unit A: STOPPING -> KILLED (killed)
    log A/1 Agent terminated: its whole process tree is gone
    wants m-5 RunAgent (no launch); stopping

exit B stopped
    sprint B/1: DISPATCHED -> BACKOFF (killed)
    run m-5 closed: killed
    unit B: STOPPING -> KILLED (killed)
    log B/1 Agent terminated: its whole process tree is gone
    wants nothing; stopped
    needs U1: KILLED -> topkick resume
    needs U2: KILLED -> topkick resume
