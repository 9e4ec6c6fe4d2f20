# All checks pass and yet a test is gone: nobody is sent again, until a person has waived it all.
plan: A 1 2
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

check A commit finding=test_a,test_b,test_c!
    judged A/1 PARTIAL, newly met, rests: a finding: test_a is gone (and 1 more)
    sprint A/1: DISPATCHED -> PARTIAL (progressed): a finding: test_a is gone (and 1 more)
    run m-1 closed: partial
    log A/1 PARTIAL: a finding: test_a is gone (and 1 more)
    wants nothing; blocked
    needs U1/1: a finding: test_a is gone (and 1 more) -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fb78e81 --why "..." | topkick waive U1/1 fa28405 --why "..." | topkick accept U1/1 --why "..."

resume
    wants nothing; blocked
    needs U1/1: a finding: test_a is gone (and 1 more) -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fb78e81 --why "..." | topkick waive U1/1 fa28405 --why "..." | topkick accept U1/1 --why "..."

waive A/1 test_x no such
    CommandRefused(refusal=FindingUnknown(handle='U1/1', finding='fc66fc2', known=('fb78e81', 'fa28405')))
    wants nothing; blocked
    needs U1/1: a finding: test_a is gone (and 1 more) -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fb78e81 --why "..." | topkick waive U1/1 fa28405 --why "..." | topkick accept U1/1 --why "..."

waive A/1 test_c! is permitted
    CommandRefused(refusal=FindingUnknown(handle='U1/1', finding='f7b28e6', known=('fb78e81', 'fa28405')))
    wants nothing; blocked
    needs U1/1: a finding: test_a is gone (and 1 more) -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fb78e81 --why "..." | topkick waive U1/1 fa28405 --why "..." | topkick accept U1/1 --why "..."

waive A/1 test_a it moved to the other suite
    finding fb78e81 of A/1 waived by me: it moved to the other suite
    log A/1 Waived by a person: test_a is gone: it moved to the other suite
    wants nothing; blocked
    needs U1/1: a finding: test_b is gone -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fa28405 --why "..." | topkick accept U1/1 --why "..."

waive A/1 test_a once more
    CommandRefused(refusal=FindingUnknown(handle='U1/1', finding='fb78e81', known=('fa28405',)))
    wants nothing; blocked
    needs U1/1: a finding: test_b is gone -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick waive U1/1 fa28405 --why "..." | topkick accept U1/1 --why "..."

waive A/1 test_b so did that one
    finding fa28405 of A/1 waived by me: so did that one
    log A/1 Waived by a person: test_b is gone: so did that one
    judged A/1 SUCCESS, checked
    sprint A/1: PARTIAL -> COMPLETED (accepted): waived: so did that one
    run m-2 opens for A/2, surveying
    wants m-2.survey.0 SurveyGround; running

waive A/1 test_b it is done
    CommandRefused(refusal=NoFindings(handle='U1/1'))
    wants m-2.survey.0 SurveyGround; running

survey A
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit
    judged A/2 SUCCESS, newly met, checked
    sprint A/2: DISPATCHED -> COMPLETED (succeeded)
    run m-2 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
