# Turns are counted where the program does not; the limit itself is no verdict.
plan: A 1
set: max_turns=3

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

spent A turns=3 counted
    wants m-1 RunAgent (no launch); running

spent A turns=4 counted
    run m-1 to be ended: the limit of turns was reached, grace 10 s
    log A/1 Agent ended: the limit of turns was reached: 4 turns, 3 allowed
    wants m-1 EndAgent; running

exit A stopped
    wants m-1.check.0 CheckWork; running

check A fail commit ends=interrupted turns=4 talk=c1
    judged A/1 PARTIAL
    sprint A/1: RUNNING -> PARTIAL (progressed): `test` ended with 1
    run m-1 closed: partial
    log A/1 PARTIAL: `test` ended with 1
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted mid, attempt 1, goes on with c1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

# a program that ends itself at its own limit is not ended by us; files alone are no progress

spent A turns=9
    wants m-2 RunAgent; running

exit A 1
    wants m-2.check.0 CheckWork; running

check A fail uncommitted=draft.py ends=turn-limit turns=9
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1; the agent ended by turn limit: as scripted
    run m-2 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1; the agent ended by turn limit: as scripted
    run m-3 opens for A/1, surveying
    run m-3 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running
