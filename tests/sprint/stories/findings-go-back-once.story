# A finding goes back to the agent first; only one that stays is shown to a person.
plan: A 1 2

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

check A commit finding=test_a,test_b
    judged A/1 PARTIAL, newly met, returned
    sprint A/1: DISPATCHED -> PARTIAL (progressed): test_a is gone; test_b is gone
    run m-1 closed: partial
    log A/1 Finding returned: test_a is gone; test_b is gone; the agent gets one more order to fix it, then a person decides
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A finding=test_b
    judged A/1 PARTIAL, rests: a finding: test_b is gone
    sprint A/1: DISPATCHED -> PARTIAL (progressed): a finding: test_b is gone
    run m-2 closed: partial
    log A/1 PARTIAL: a finding: test_b is gone
    wants nothing; blocked
    needs U1/1: a finding: test_b is gone -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fa28405 --why "..." | topkick accept U1/1 --why "..."

retry A/1 put test_b back
    reopened A/1: put test_b back
    log A/1 Retried by a person: put test_b back
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1, a person adds a word
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    run m-4 opens for A/2, surveying
    wants m-4.survey.0 SurveyGround; running

survey A
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running

exit A 0
    wants m-4.check.0 CheckWork; running

check A commit finding=test_c
    judged A/2 PARTIAL, newly met, returned
    sprint A/2: DISPATCHED -> PARTIAL (progressed): test_c is gone
    run m-4 closed: partial
    log A/2 Finding returned: test_c is gone; the agent gets one more order to fix it, then a person decides
    run m-5 opens for A/2, surveying
    run m-5 dispatched: scripted mid, attempt 1
    sprint A/2: PARTIAL -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-5 RunAgent; running

exit A 0
    wants m-5.check.0 CheckWork; running

check A commit
    judged A/2 SUCCESS, checked
    sprint A/2: DISPATCHED -> COMPLETED (succeeded)
    run m-5 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
