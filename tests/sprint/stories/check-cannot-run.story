# A check that cannot run here charges nobody.
plan: A 1

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

check A commit fail code=127
    judged A/1 PARTIAL, rests: a check cannot run here: test
    sprint A/1: DISPATCHED -> PARTIAL (progressed): a check cannot run here: test
    run m-1 closed: partial
    log A/1 PARTIAL: a check cannot run here: test
    wants nothing; blocked
    needs U1/1: a check cannot run here: test -> topkick reject U1/1 --why "..." | topkick retry U1/1 --note "..." | topkick accept U1/1 --why "..."

accept A/1 ran it elsewhere
    judged A/1 SUCCESS, accepted
    sprint A/1: PARTIAL -> COMPLETED (accepted): ran it elsewhere
    log A/1 Accepted by a person: ran it elsewhere
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
