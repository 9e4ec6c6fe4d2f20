# The limit over a life outlives every name an order was given, and retries by a person.
plan: A 1+
set: max_dispatches=2

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

check A commit fail=lint
    judged A/1 PARTIAL, newly met
    sprint A/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-1 closed: partial
    log A/1 PARTIAL: `lint` ended with 1
    run m-2 opens for A/1, surveying
    run m-2 dispatched: scripted mid, attempt 1
    sprint A/1: PARTIAL -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2 RunAgent; running

exit A 0
    wants m-2.check.0 CheckWork; running

check A commit fail=lint
    judged A/1 FAILURE, charged
    sprint A/1: DISPATCHED -> BACKOFF (failed): `lint` ended with 1; dispatched 2 times, still not done
    run m-2 closed: failed
    log A/1 Attempt 1 failed: `lint` ended with 1; dispatched 2 times, still not done
    sprint A/1: BACKOFF -> FATAL (exhausted): dispatched 2 times, still not done
    unit A: RUNNING -> BLOCKED (sprint fatal)
    log A/1 FATAL: dispatched 2 times, still not done; last: `lint` ended with 1
    wants nothing; blocked
    needs U1/1: FATAL: dispatched 2 times, still not done -> topkick accept U1/1 --why "..."

retry A/1 once more
    CommandRefused(refusal=OrderHeld(asked=<CommandName.RETRY: 'retry'>, handle='U1/1', by=DispatchesUsed(used=2, begun=True)))
    wants nothing; blocked
    needs U1/1: FATAL: dispatched 2 times, still not done -> topkick accept U1/1 --why "..."

killall
    stance killed: user invoked killall
    wants nothing; killed
    needs U1/1: FATAL: dispatched 2 times, still not done -> topkick accept U1/1 --why "..."

# refused: nothing is changed, not even the stance

retry A/1 once more
    CommandRefused(refusal=OrderHeld(asked=<CommandName.RETRY: 'retry'>, handle='U1/1', by=DispatchesUsed(used=2, begun=True)))
    wants nothing; killed
    needs U1/1: FATAL: dispatched 2 times, still not done -> topkick accept U1/1 --why "..."

resume --retry-blocked max_dispatches=3
    settings changed; agent scripted
    log / Settings changed: taken over on resume
    stance working: resumed by a person
    sprint A/1: FATAL -> PENDING (resumed)
    reopened A/1: fresh
    unit A: BLOCKED -> RUNNING (resume)
    log A/1 Retried by a person: 1 of 3 attempts had failed
    run m-3 opens for A/1, surveying
    wants m-3.survey.0 SurveyGround; running
