# What was done counts, and the limit holds for the account all the same; nobody is begun on it.
plan: A 1 2
plan: B 1+
plan: C 1
set: max_agents=3

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    unit C: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    run m-2 opens for B/1, surveying
    run m-3 opens for C/1, surveying
    wants m-1.survey.0 SurveyGround, m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2.survey.0 SurveyGround, m-3.survey.0 SurveyGround; running

survey B
    run m-2 dispatched: scripted mid, attempt 1
    sprint B/1: PENDING -> DISPATCHED (dispatched)
    log B/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent, m-2 RunAgent, m-3.survey.0 SurveyGround; running

exit A 1
    wants m-1.check.0 CheckWork, m-2 RunAgent, m-3.survey.0 SurveyGround; running

check A commit ends=usage-limit reset=600
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    limit of scripted until 605 s: usage limit of scripted: as scripted
    log A/1 Usage limit: usage limit of scripted: as scripted; not charged
    wants m-2 RunAgent, m-3.survey.0 SurveyGround; running

# C was being looked at when the limit came

survey C
    run m-3 closed: it may not be dispatched any more
    wants m-2 RunAgent; running

exit B 1
    wants m-2.check.0 CheckWork; running

check B fail=lint commit ends=usage-limit
    judged B/1 PARTIAL, newly met
    sprint B/1: DISPATCHED -> PARTIAL (progressed): `lint` ended with 1
    run m-2 closed: partial
    log B/1 PARTIAL: `lint` ended with 1
    limit of scripted until 605 s: usage limit of scripted: as scripted
    log B/1 Usage limit: usage limit of scripted: as scripted; not charged
    wants nothing; running

time in 597s
    run m-4 opens for A/2, surveying
    run m-5 opens for B/1, surveying
    run m-6 opens for C/1, surveying
    wants m-4.survey.0 SurveyGround, m-5.survey.0 SurveyGround, m-6.survey.0 SurveyGround; running

time in 2s
    wants m-4.survey.0 SurveyGround, m-5.survey.0 SurveyGround, m-6.survey.0 SurveyGround; running
