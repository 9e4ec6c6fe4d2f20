# What has begun stays; changed, new and removed ones are taken over on resume.
plan: A 1 2 3
plan: B 1
plan: C 1 after A
set: max_agents=1

woke driven
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    unit B: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 6 (complexity 1, ambiguity 3, foundation 2, risk 0, type 0): sonnet
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    run m-2 opens for A/2, surveying
    wants m-2.survey.0 SurveyGround; running

edited two
    wants m-2.survey.0 SurveyGround; running

# A/2 is still being surveyed and goes; so do B and C, in which nothing has begun; D is new

revise A 1 3 4 | D 1
    run m-2 closed: the plan was revised
    PlanRevised
    log / Plan revised: the edited plan was taken over on resume
    unit D: NOT_STARTED -> RUNNING (start)
    run m-3 opens for A/3, surveying
    wants m-3.survey.0 SurveyGround; running

survey A
    run m-3 dispatched: scripted mid, attempt 1
    sprint A/3: PENDING -> DISPATCHED (dispatched)
    log A/3 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-3 RunAgent; running

exit A 0
    wants m-3.check.0 CheckWork; running

check A commit
    judged A/3 SUCCESS, newly met, checked
    sprint A/3: DISPATCHED -> COMPLETED (succeeded)
    run m-3 closed: completed
    run m-4 opens for A/4, surveying
    wants m-4.survey.0 SurveyGround; running

survey A
    run m-4 dispatched: scripted mid, attempt 1
    sprint A/4: PENDING -> DISPATCHED (dispatched)
    log A/4 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-4 RunAgent; running
