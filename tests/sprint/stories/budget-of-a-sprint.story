# An agent over the budget of its sprint is ended and judged; no further order before a person.
plan: A 1
plan: B 1
set: budgets.sprint.usd=2

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

spent A usd=1.5
    wants m-1 RunAgent (no launch), m-2 RunAgent; running

spent A usd=2.25
    run m-1 to be ended: its budget is spent, grace 10 s
    log A/1 Agent ended: its budget is spent: the budget of the sprint is spent ($2.25 of $2.00)
    wants m-1 EndAgent, m-2 RunAgent; running

exit A stopped
    wants m-1.check.0 CheckWork, m-2 RunAgent; running

check A fail commit ends=interrupted usd=2.25
    judged A/1 PARTIAL
    sprint A/1: RUNNING -> PARTIAL (progressed): `test` ended with 1
    run m-1 closed: partial
    log A/1 PARTIAL: `test` ended with 1
    hold A/1: the budget of the sprint is spent ($2.25 of $2.00); raise it in topkick.toml, or accept the sprint
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B commit ends=finished usd=0.5
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit B: RUNNING -> COMPLETED (finished)
    hold A/1 lifted
    hold A/1: the budget of the sprint is spent ($2.25 of $2.00); raise it in topkick.toml, or accept the sprint
    wants nothing; blocked
    needs U1/1: the budget of the sprint is spent ($2.25 of $2.00); raise it in topkick.toml, or accept the sprint -> topkick resume | topkick accept U1/1 --why "..."

resume
    hold A/1 lifted
    hold A/1: the budget of the sprint is spent ($2.25 of $2.00); raise it in topkick.toml, or accept the sprint
    wants nothing; blocked
    needs U1/1: the budget of the sprint is spent ($2.25 of $2.00); raise it in topkick.toml, or accept the sprint -> topkick resume | topkick accept U1/1 --why "..."

resume budgets.sprint.usd=4
    hold A/1 lifted
    settings changed; agent scripted
    log / Settings changed: taken over on resume
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running
