# What cannot be built says nothing about anybody; a resume tries again (GT-02, GT-03).
plan: A 1
set: gate=auto gate_commands=make

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
    gate G1 opened, of A:1, the last
    log G1/ Gate opened: of A
    wants m-G1.1.0 RunGate(A); running

gate trouble the branch is in use
    gate G1 cannot run: the branch is in use
    log G1/ Gate cannot run: the branch is in use; 1 run
    wants nothing; blocked
    needs G1: gate of A: cannot run: the branch is in use -> topkick reject G1 --why "..." | topkick resume | topkick accept G1 --why "..."

resume
    gate G1 dropped
    gate G2 opened, of A:1, the last
    log G2/ Gate opened: of A
    wants m-G2.1.0 RunGate(A); running

gate fails=make code=127
    gate G2 cannot run: `make` cannot run here (127)
    log G2/ Gate cannot run: `make` cannot run here (127); 1 run
    wants nothing; blocked
    needs G2: gate of A: cannot run: `make` cannot run here (127) -> topkick reject G2 --why "..." | topkick resume | topkick accept G2 --why "..."

pass G2 seen by hand
    gate G2 closed, passed, accepted: seen by hand
    log G2/ Gate accepted by a person: seen by hand
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
