# stop and killall let go of a wait, resume takes it up; unmet it never fails.
plan: A 1:deferred

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, waiting
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-1.poll.0.1 PollCondition; running

poll A fail code=1
    wants nothing; running

stop
    stance stopping: stopped by a person
    run m-1 closed: stopped by a person
    unit A: RUNNING -> STOPPING (stop)
    unit A: STOPPING -> STOPPED (drained)
    wants nothing; stopped
    needs U1: STOPPED -> topkick resume

resume
    stance working: resumed by a person
    unit A: STOPPED -> RUNNING (resume)
    run m-2 opens for A/1, waiting
    wants m-2.poll.0.1 PollCondition; running

poll A fail code=1
    wants nothing; running

killall
    stance killed: user invoked killall
    sprint A/1: RUNNING -> BACKOFF (killed)
    run m-2 closed: killall
    unit A: RUNNING -> KILLED (killed)
    wants nothing; killed
    needs U1: KILLED -> topkick resume

resume
    stance working: resumed by a person
    unit A: KILLED -> RUNNING (resume)
    sprint A/1: BACKOFF -> PENDING (resumed)
    run m-3 opens for A/1, waiting
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    sprint A/1: DISPATCHED -> RUNNING (first activity)
    wants m-3.poll.0.1 PollCondition; running

poll A fail code=1
    wants nothing; running
