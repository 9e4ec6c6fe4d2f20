# All of it: nothing new is begun; a tenth more: what works is ended. Only a larger one goes on.
plan: A 1 2
plan: B 1
set: budgets.run.usd=10

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

active A
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-1 RunAgent (no launch), m-2 RunAgent; running

active B
    sprint B/1: DISPATCHED -> RUNNING (first activity)
    wants m-1 RunAgent (no launch), m-2 RunAgent (no launch); running

spent A usd=9
    wants m-1 RunAgent (no launch), m-2 RunAgent (no launch); running

spent B usd=1
    stance stopping: spent: the budget of the run: $10.00 of $10.00
    log / Budget spent: the budget of the run: $10.00 of $10.00
    unit A: RUNNING -> STOPPING (stop)
    unit B: RUNNING -> STOPPING (stop)
    wants m-1 RunAgent (no launch), m-2 RunAgent (no launch); stopping

exit A 0
    wants m-1.check.0 CheckWork, m-2 RunAgent (no launch); stopping

check A commit ends=finished usd=9
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: RUNNING -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: STOPPING -> STOPPED (drained)
    wants m-2 RunAgent (no launch); stopping

spent B usd=2.5
    run m-2 to be ended: stop was forced, grace 10 s
    log B/1 Force-terminated: force-terminated during graceful shutdown
    wants m-2 EndAgent; stopping

exit B stopped
    sprint B/1: RUNNING -> BACKOFF (killed)
    run m-2 closed: killed
    unit B: STOPPING -> KILLED (killed)
    log B/1 Agent terminated: its whole process tree is gone
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume
    needs U2: KILLED -> topkick resume

resume
    CommandRefused(refusal=OrderHeld(asked=<CommandName.RESUME: 'resume'>, handle='', by=BudgetSpent(told='the budget of the run: $11.50 of $10.00 is spent', begun=False)))
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume
    needs U2: KILLED -> topkick resume

retry A/2 now
    CommandRefused(refusal=OrderHeld(asked=<CommandName.RETRY: 'retry'>, handle='U1/2', by=BudgetSpent(told='the budget of the run: $11.50 of $10.00 is spent', begun=False)))
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume
    needs U2: KILLED -> topkick resume

resume budgets.run.usd=20
    settings changed; agent scripted
    log / Settings changed: taken over on resume
    stance working: resumed by a person
    unit A: STOPPED -> RUNNING (resume)
    unit B: KILLED -> RUNNING (resume)
    sprint B/1: BACKOFF -> PENDING (resumed)
    run m-3 opens for A/2, surveying
    run m-4 opens for B/1, checking
    wants m-3.survey.0 SurveyGround, m-4.check.0 CheckWork; running
