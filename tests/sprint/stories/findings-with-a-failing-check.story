# A failing check is the agent's to mend, and what was found stands in the next order.
plan: A 1+
set: on_finding=ask

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

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit fail=test finding=test_a
    judged A/1 PARTIAL, newly met
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `test` ended with 1; test_a is gone
    run m-1 closed: partial
    log A/1 PARTIAL: `test` ended with 1; test_a is gone
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

waive A/1 test_a too early
    CommandRefused(refusal=NoFindings(handle='U1/1'))
    wants m-2 RunAgent; running

survey A
    (stale: leads nowhere)

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit finding=test_a
    judged A/1 PARTIAL, newly met, rests: a finding: test_a is gone
    sprint A/1: DISPATCHED -> PARTIAL (progressed): a finding: test_a is gone
    run m-2 closed: partial
    log A/1 PARTIAL: a finding: test_a is gone
    wants nothing; blocked
    needs U1/1: a finding: test_a is gone -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fb78e81 --why "..." | topkick accept U1/1 --why "..."

reject A/1 put test_a back
    judged A/1 FAILURE, charged
    sprint A/1: PARTIAL -> BACKOFF (rejected): put test_a back
    log A/1 Rejected by a person: put test_a back
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted big, attempt 2
    sprint A/1: BACKOFF -> DISPATCHED (dispatched)
    log A/1 Model: big: 1 failed so far: a stronger tier; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
