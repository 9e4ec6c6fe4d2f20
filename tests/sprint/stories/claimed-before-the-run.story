# What others say was done is looked at first; only its checks complete it (ST-02, ST-04).
plan: A 1 2 3
plan: B 1~ 2~ 3:manual
set: accept_unchecked=yes

woke driven
    wants nothing

start A/1 A/2 B/1! B/2 B/3!
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, checking
    run m-2 opens for B/1, checking
    wants m-1.check.0 CheckWork, m-2.check.0 CheckWork; running

# A/1 is done, as its checks say; A/2 is not, and is given out

check A
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: PENDING -> COMPLETED (found done)
    run m-1 closed: found done
    log A/1 Found done: its checks pass (a file says so)
    run m-3 opens for A/2, checking
    wants m-2.check.0 CheckWork, m-3.check.0 CheckWork; running

check A fail
    run m-3 closed: claimed to be done, and it is not
    log A/2 Claim not confirmed: a file says so; `test` ended with 1
    run m-4 opens for A/2, surveying
    wants m-2.check.0 CheckWork, m-4.survey.0 SurveyGround; running

survey A
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/2: PENDING -> DISPATCHED (dispatched)
    log A/2 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-2.check.0 CheckWork, m-4 RunAgent; running

# B/1 has no check: a person took it over. B/2 has none, and nobody did

check B
    judged B/1 SUCCESS, accepted
    sprint B/1: PENDING -> COMPLETED (found done)
    run m-2 closed: found done
    log B/1 Found done: no machine can check it; taken on a person's word (a file says so)
    run m-5 opens for B/2, checking
    wants m-4 RunAgent, m-5.check.0 CheckWork; running

check B
    run m-5 closed: claimed to be done, and it is not
    log B/2 Claim not confirmed: a file says so; nothing shows that it was done
    run m-6 opens for B/2, surveying
    wants m-4 RunAgent, m-6.survey.0 SurveyGround; running

survey B
    run m-6 dispatched: scripted mid, attempt 1
    sprint B/2: PENDING -> DISPATCHED (dispatched)
    log B/2 Model: mid: first tier set in the configuration: sonnet; score 9 (complexity 1, ambiguity 8, foundation 0, risk 0, type 0): sonnet
    wants m-4 RunAgent, m-6 RunAgent; running

exit B 0
    wants m-4 RunAgent, m-6.check.0 CheckWork; running

check B commit
    judged B/2 SUCCESS, unchecked
    sprint B/2: DISPATCHED -> COMPLETED (succeeded)
    run m-6 closed: completed
    run m-7 opens for B/3, checking
    wants m-4 RunAgent, m-7.check.0 CheckWork; running

check B
    judged B/3 SUCCESS, newly met, accepted
    sprint B/3: PENDING -> COMPLETED (found done)
    run m-7 closed: found done
    log B/3 Found done: no machine can check it; taken on a person's word (a file says so)
    unit B: RUNNING -> COMPLETED (finished)
    wants m-4 RunAgent; running

exit A 0
    wants m-4.check.0 CheckWork; running

check A commit
    judged A/2 SUCCESS, newly met, checked
    sprint A/2: DISPATCHED -> COMPLETED (succeeded)
    run m-4 closed: completed
    run m-8 opens for A/3, surveying
    wants m-8.survey.0 SurveyGround; running

survey A
    run m-8 dispatched: scripted mid, attempt 1
    sprint A/3: PENDING -> DISPATCHED (dispatched)
    log A/3 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-8 RunAgent; running

exit A 0
    wants m-8.check.0 CheckWork; running

check A commit
    judged A/3 SUCCESS, newly met, checked
    sprint A/3: DISPATCHED -> COMPLETED (succeeded)
    run m-8 closed: completed
    unit A: RUNNING -> COMPLETED (finished)
    wants nothing; completed
