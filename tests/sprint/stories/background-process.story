# Done once the process is confirmed running; it outlives its agent, stop and the end of its unit.
plan: A 1:background~ 2
plan: B 1:background~

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
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 8, foundation 0, risk 0, type -3): sonnet
    wants m-1 RunAgent, m-2.survey.0 SurveyGround; running

background A server serve --port 0
    background m-3 server opened for A/1
    log A/1 Background: server: serve --port 0
    wants m-1 RunAgent, m-2.survey.0 SurveyGround, m-3 KeepBackground; running

exit A 0
    wants m-1.check.0 CheckWork, m-2.survey.0 SurveyGround, m-3 KeepBackground; running

# not yet seen running: that is no success

check A
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): no background process is confirmed running; start it with `topkick background run`
    run m-1 closed: failed
    log A/1 Attempt 1 failed: no background process is confirmed running; start it with `topkick background run`
    run m-4 opens for A/1, surveying
    run m-4 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 6 (complexity 1, ambiguity 8, foundation 0, risk 0, type -3): sonnet
    wants m-2.survey.0 SurveyGround, m-4 RunAgent, m-3 KeepBackground; running

seen m-3
    wants m-2.survey.0 SurveyGround, m-4 RunAgent, m-3 KeepBackground; running

exit A 0
    wants m-2.survey.0 SurveyGround, m-4.check.0 CheckWork, m-3 KeepBackground; running

check A
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    run m-5 opens for A/2, surveying
    wants m-2.survey.0 SurveyGround, m-5.survey.0 SurveyGround, m-3 KeepBackground; running

stop
    stance stopping: stopped by a person
    run m-5 closed: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    run m-2 closed: stopped by a person
    unit B: RUNNING -> STOPPING (stop)
    unit A: STOPPING -> STOPPED (drained)
    unit B: STOPPING -> STOPPED (drained)
    wants m-3 KeepBackground; stopped

resume
    stance working: resumed by a person
    unit A: STOPPED -> RUNNING (resume)
    unit B: STOPPED -> RUNNING (resume)
    run m-6 opens for A/2, surveying
    run m-7 opens for B/1, surveying
    wants m-6.survey.0 SurveyGround, m-7.survey.0 SurveyGround, m-3 KeepBackground; running

survey B
    run m-7 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 8, foundation 0, risk 0, type -3): sonnet
    wants m-6.survey.0 SurveyGround, m-7 RunAgent, m-3 KeepBackground; running

# an agent that is being ended leaves nothing more behind

killall
    stance killed: user invoked killall
    run m-6 closed: killall
    run m-7 to be ended: killall, grace 3 s
    background m-3 to be ended, grace 3 s
    unit A: RUNNING -> KILLED (killed)
    wants m-7 EndAgent, m-3 EndAgent; killed

background B late serve
    CommandRefused(refusal=RunNotAtWork(run_id='m-7'))
    wants m-7 EndAgent, m-3 EndAgent; killed

exit B stopped
    sprint B/1: DISPATCHED -> BACKOFF (killed)
    run m-7 closed: killed
    unit B: RUNNING -> KILLED (killed)
    log B/1 Agent terminated: its whole process tree is gone
    wants m-3 EndAgent; killed

ended m-3
    wants nothing; killed
    needs U1: KILLED -> topkick resume
    needs U2: KILLED -> topkick resume
