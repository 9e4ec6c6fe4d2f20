# What makes no sense is refused with what to do instead; nothing is changed.
plan: A 1 2

woke driven
    wants nothing

resume
    CommandRefused(why='there is no run here; `topkick start` begins one')
    wants nothing

stop
    CommandRefused(why='there is no run here; `topkick start` begins one')
    wants nothing

killall
    CommandRefused(why='there is no run here; `topkick start` begins one')
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

start
    CommandRefused(why='a run is here already; `topkick resume` goes on with it')
    wants m-1.survey.0 SurveyGround; running

stop Z
    CommandRefused(why='unknown here: Z; `topkick status` shows what there is')
    wants m-1.survey.0 SurveyGround; running

accept A/9 because
    CommandRefused(why='unknown here: A/9; `topkick status` shows what there is')
    wants m-1.survey.0 SurveyGround; running

accept A/1 because
    CommandRefused(why='cannot accept U1/1: it has not been given out yet')
    wants m-1.survey.0 SurveyGround; running

reject A/1 because
    CommandRefused(why='cannot reject U1/1: it has not been given out yet')
    wants m-1.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent; running

retry A/1 because
    CommandRefused(why='cannot retry U1/1: an agent has it now: wait for it, or `topkick stop` first')
    wants m-1 RunAgent; running

retry A/2 because
    CommandRefused(why='cannot retry U1/2: it has not been given out yet')
    wants m-1 RunAgent; running

exit A 0
    wants m-1.check.0 CheckWork; running

check A commit
    judged A/1 SUCCESS, newly met, checked
    sprint A/1: DISPATCHED -> COMPLETED (succeeded)
    run m-1 closed: completed
    run m-2 opens for A/2, surveying
    wants m-2.survey.0 SurveyGround; running

accept A/1 because
    CommandRefused(why='cannot accept U1/1: it is completed already')
    wants m-2.survey.0 SurveyGround; running
