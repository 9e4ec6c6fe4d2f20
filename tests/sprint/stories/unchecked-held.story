# No criterion a machine can check: not without a yes, and then counted as such.
plan: A 1~

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    hold A/1: no exit criterion that a machine can check; resume with --accept-unchecked
    wants nothing; blocked
    needs U1/1: no exit criterion that a machine can check; resume with --accept-unchecked -> topkick resume --accept-unchecked

resume
    hold A/1 lifted
    hold A/1: no exit criterion that a machine can check; resume with --accept-unchecked
    wants nothing; blocked
    needs U1/1: no exit criterion that a machine can check; resume with --accept-unchecked -> topkick resume --accept-unchecked

resume accept_unchecked=yes
    hold A/1 lifted
    settings changed; agent scripted
    log / Settings changed: taken over on resume
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 9 (complexity 1, ambiguity 8, foundation 0, risk 0, type 0): sonnet
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, unchecked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
