# --only: the rest is left alone on purpose, and says so.
plan: A 1
plan: B 1
plan: C 1 after B
set: only=A

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

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; stopped
    needs U2: left out by --only -> topkick resume
    needs U3: left out by --only -> topkick resume

resume only=C
    settings changed; agent scripted
    log / Settings changed: taken over on resume
    wants nothing; blocked
    needs U3: waits for B, left out by --only -> topkick resume

resume only=
    settings changed; agent scripted
    log / Settings changed: taken over on resume
    unit B: NOT_STARTED -> RUNNING (start)
    run m-2 opens for B/1, surveying
    wants m-2.survey.0 SurveyGround; running
