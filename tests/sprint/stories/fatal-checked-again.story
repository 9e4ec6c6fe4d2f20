# A gate of a shared tree has passed: FATAL sprints are checked once more, without an agent, one at a time.
plan: A 1
plan: B 1
plan: C 1
plan: D 1:manual
set: max_agents=1 max_retries=1 gate=auto gate_commands=make

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    unit C: NOT_STARTED -> RUNNING (start)
    unit D: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A fail
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-1 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1
    sprint A/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 1
    run m-2 opens for B/1, surveying
    wants m-2.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit B 0
    wants m-2.check.0 CheckWork; running

check B fail
    judged B/1 FAILURE, charged
    sprint B/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-2 closed: failed
    log B/1 Attempt 1 failed: `test` ended with 1
    sprint B/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit B: RUNNING -> BLOCKED (sprint fatal)
    log B/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 1
    run m-3 opens for C/1, surveying
    wants m-3.survey.0 SurveyGround; running

survey C
    run m-3 dispatched: scripted mid, attempt 1
    sprint C/1: PENDING -> DISPATCHED (dispatched)
    log C/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit C 0
    wants m-3.check.0 CheckWork; running

check C commit
    judged C/1 SUCCESS, newly met, checked
    sprint C/1: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    run m-4 opens for D/1, surveying
    wants m-4.survey.0 SurveyGround; running

survey D
    run m-4 dispatched: scripted mid, attempt 1
    sprint D/1: PENDING -> DISPATCHED (dispatched)
    log D/1 Model: mid: first tier set in the configuration: sonnet; score 3 (complexity 1, ambiguity 3, foundation 0, risk 0, type -1): haiku
    wants m-4 RunAgent; running

exit D 0
    wants m-4.check.0 CheckWork; running

check D commit
    judged D/1 PARTIAL, newly met, rests: a person has to check it
    sprint D/1: DISPATCHED -> PARTIAL (progressed): a person has to check it
    run m-4 closed: partial
    log D/1 PARTIAL: a person has to check it
    gate G1 opened, of C:1
    log G1/ Gate opened: of C
    wants m-G1.1.0 RunGate(C); running

reject D/1 no
    judged D/1 FAILURE, charged
    sprint D/1: PARTIAL -> BACKOFF (rejected): no
    log D/1 Rejected by a person: no
    sprint D/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit D: RUNNING -> BLOCKED (sprint fatal)
    log D/1 FATAL: failed 1 of 1 attempts; last: rejected by a person: no
    wants m-G1.1.0 RunGate(C); running

gate
    gate G1 passed
    log G1/ Gate passed: 1 run
    gate G1 closed, passed
    unit C: RUNNING -> COMPLETED (finished)
    run m-5 opens for A/1, checking
    wants m-5.check.0 CheckWork; running

# A stop and a killall end the look; it begins again on resume. What a person rejected is not looked at.

stop
    stance stopping: stopped by a person
    run m-5 closed: stopped by a person
    wants nothing; stopped
    needs U1/1: FATAL: failed 1 of 1 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."
    needs U2/1: FATAL: failed 1 of 1 attempts -> topkick retry U2/1 --note "..." | topkick accept U2/1 --why "..."
    needs U4/1: FATAL: failed 1 of 1 attempts -> topkick retry U4/1 --note "..." | topkick accept U4/1 --why "..."

resume
    stance working: resumed by a person
    run m-6 opens for A/1, checking
    wants m-6.check.0 CheckWork; running

killall
    stance killed: user invoked killall
    run m-6 closed: killall
    wants nothing; killed
    needs U1/1: FATAL: failed 1 of 1 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."
    needs U2/1: FATAL: failed 1 of 1 attempts -> topkick retry U2/1 --note "..." | topkick accept U2/1 --why "..."
    needs U4/1: FATAL: failed 1 of 1 attempts -> topkick retry U4/1 --note "..." | topkick accept U4/1 --why "..."

resume
    stance working: resumed by a person
    run m-7 opens for A/1, checking
    wants m-7.check.0 CheckWork; running

# Stopped by name, A is left alone; B is checked, and a person is faster.

stop A
    run m-7 closed: stopped by a person
    run m-8 opens for B/1, checking
    wants m-8.check.0 CheckWork; running

retry B/1 mended
    run m-8 closed: settled by a person
    sprint B/1: FATAL -> PENDING (resumed)
    reopened B/1: fresh, mended
    unit B: BLOCKED -> RUNNING (resume)
    log B/1 Retried by a person: 1 of 1 attempts had failed
    run m-9 opens for B/1, surveying
    wants m-9.survey.0 SurveyGround; running

check B
    (stale: leads nowhere)

survey B
    run m-9 dispatched: scripted mid, attempt 1, a person adds a word
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-9 RunAgent; running

exit B 0
    wants m-9.check.0 CheckWork; running

check B commit
    judged B/1 SUCCESS, newly met, checked
    sprint B/1: DISPATCHED -> COMPLETED (succeeded)
    run m-9 closed: completed
    gate G2 opened, of B:1
    log G2/ Gate opened: of B
    wants m-G2.1.0 RunGate(B); running

gate
    gate G2 passed
    log G2/ Gate passed: 1 run
    gate G2 closed, passed
    unit B: RUNNING -> COMPLETED (finished)
    run m-10 opens for A/1, checking
    wants m-10.check.0 CheckWork; running

# The next gate: A is looked at again. A person retries it, then it fails again.

resume A
    run m-10 closed: settled by a person
    sprint A/1: FATAL -> PENDING (resumed)
    reopened A/1: fresh
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Retried by a person: 1 of 1 attempts had failed
    run m-11 opens for A/1, surveying
    wants m-11.survey.0 SurveyGround; running

survey A
    run m-11 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-11 RunAgent; running

exit A 0
    wants m-11.check.0 CheckWork; running

check A fail
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `test` ended with 1
    run m-11 closed: failed
    log A/1 Attempt 1 failed: `test` ended with 1
    sprint A/1: BACKOFF -> FATAL (exhausted): failed 1 of 1 attempts
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: failed 1 of 1 attempts; last: `test` ended with 1
    wants nothing; blocked
    needs U1/1: FATAL: failed 1 of 1 attempts -> topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."
    needs U4/1: FATAL: failed 1 of 1 attempts -> topkick retry U4/1 --note "..." | topkick accept U4/1 --why "..."
