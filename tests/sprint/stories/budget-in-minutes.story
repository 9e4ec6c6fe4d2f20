# Time alone spends it, and that is a moment to wake at; who was away does not count as work.
plan: A 1
set: budgets.sprint.minutes=10

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

active A
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-1 RunAgent (no launch); running

time in 599s
    run m-1 to be ended: its budget is spent, grace 10 s
    log A/1 Agent ended: its budget is spent: the budget of the sprint is spent (10 of 10 minutes)
    wants m-1 EndAgent; running

time in 2s
    wants m-1 EndAgent; running

exit A stopped
    wants m-1.check.0 CheckWork; running

check A fail commit
    judged A/1 PARTIAL
    sprint A/1: RUNNING -> PARTIAL (progressed): `test` ended with 1
    run m-1 closed: partial
    log A/1 PARTIAL: `test` ended with 1
    hold A/1: the budget of the sprint is spent (10 of 10 minutes); raise it in topkick.toml, or accept the sprint
    wants nothing; blocked
    needs U1/1: the budget of the sprint is spent (10 of 10 minutes); raise it in topkick.toml, or accept the sprint -> topkick resume | topkick accept U1/1 --why "..."

resume budgets.sprint.minutes=60
    hold A/1 lifted
    settings changed; agent scripted
    log / Settings changed: taken over on resume
    run m-2 opens for A/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

# eight hours without a supervisor; the agent had ended after a minute

woke driven in 8h
    wants m-2 RunAgent; running

exit A 0 busy=60
    wants m-2.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
