# A day's budget is free again on the next day; a killed agent's use is counted once.
plan: A 1 2
set: budgets.day.tokens=1000

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

spent A tokens=900
    wants m-1 RunAgent; running

killall
    stance killed: user invoked killall
    run m-1 to be ended: killall, grace 3 s
    wants m-1 EndAgent; killed

exit A stopped
    sprint A/1: DISPATCHED -> BACKOFF (killed)
    run m-1 closed: killed
    unit A: RUNNING -> KILLED (killed)
    log A/1 Agent terminated: its whole process tree is gone
    wants nothing; killed
    needs U1: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    sprint A/1: BACKOFF -> PENDING (resumed)
    run m-2 opens for A/1, checking
    wants m-2.check.0 CheckWork; running

# the same run's output is read again

check A fail ends=interrupted tokens=950
    run m-2 closed: not finished when it was interrupted
    run m-3 opens for A/1, surveying
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

survey A
    (stale: leads nowhere)

spent A tokens=60
    stance stopping: spent: the budget of the day: 1,010 of 1,000.0 tokens
    log / Budget spent: the budget of the day: 1,010 of 1,000.0 tokens
    unit A: RUNNING -> STOPPING (stop)
    wants m-3 RunAgent (no launch); stopping

exit A 0
    wants m-3.check.0 CheckWork; stopping

check A commit ends=finished tokens=60
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit A: STOPPING -> STOPPED (drained)
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume

resume
    CommandRefused(refusal=OrderHeld(asked=<CommandName.RESUME: 'resume'>, handle='', by=BudgetSpent(told='the budget of the day: 1,010 of 1,000.0 tokens is spent', begun=False)))
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume

time in 24h
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume

resume
    stance working: resumed by a person
    unit A: STOPPED -> RUNNING (resume)
    run m-4 opens for A/2, surveying
    wants m-4.survey.0 SurveyGround; running
