# Without a command there is nothing that could pass: asked, a person decides; else no gate (GT-02).
plan: A 1
set: gate=ask

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

gate
    gate G1 not run: no build or test command is known: [gate] command in topkick.toml, or in the plan
    log G1/ Gate not run: no build or test command is known: [gate] command in topkick.toml, or in the plan; 1 run
    wants nothing; blocked
    needs G1: gate of A: not run: no build or test command is known: [gate] command in topkick.toml, or in the plan -> topkick reject G1 --why "..." | topkick accept G1 --why "..."

pass G1 nothing to build here
    gate G1 closed, passed, accepted: nothing to build here
    log G1/ Gate accepted by a person: nothing to build here
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
