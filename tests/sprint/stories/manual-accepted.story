# Findings are reported, then it rests until a person has looked.
plan: A 1:manual 2

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
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 3 (complexity 1, ambiguity 3, foundation 0, risk 0, type -1): haiku
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit
    judged A/1 PARTIAL, newly met, rests: a person has to check it
    sprint A/1: DISPATCHED -> PARTIAL (progressed): a person has to check it
    run m-1 closed: partial
    log A/1 PARTIAL: a person has to check it
    wants nothing; blocked
    needs U1/1: a person has to check it -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

resume
    wants nothing; blocked
    needs U1/1: a person has to check it -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

accept A/1 tried it on the machine
    judged A/1 SUCCESS, accepted
    sprint A/1: PARTIAL -> COMPLETED (accepted): tried it on the machine
    log A/1 Accepted by a person: tried it on the machine
    run m-2 opens for A/2, surveying
    wants m-2.survey.0 SurveyGround; running
