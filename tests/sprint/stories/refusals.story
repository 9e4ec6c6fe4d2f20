# What makes no sense is refused with what to do instead; nothing is changed.
plan: A 1 2

woke driven
    wants nothing

resume
    CommandRefused(refusal=NoRun())
    wants nothing

stop
    CommandRefused(refusal=NoRun())
    wants nothing

killall
    CommandRefused(refusal=NoRun())
    wants nothing

start
    mission m begins, policy sprint
    stance working: started by a person
    unit A: NOT_STARTED -> RUNNING (start)
    run m-1 opens for A/1, surveying
    wants m-1.survey.0 SurveyGround; running

start
    CommandRefused(refusal=RunExists())
    wants m-1.survey.0 SurveyGround; running

stop Z
    CommandRefused(refusal=NameUnknown(kind=<NamedKind.UNIT: 'unit'>, names=('Z',)))
    wants m-1.survey.0 SurveyGround; running

accept A/9 because
    CommandRefused(refusal=NameUnknown(kind=<NamedKind.SPRINT: 'sprint'>, names=('A/9',)))
    wants m-1.survey.0 SurveyGround; running

accept A/1 because
    CommandRefused(refusal=SprintUnready(asked=<CommandName.ACCEPT: 'accept'>, handle='U1/1', state=<SprintState.PENDING: 'PENDING'>))
    wants m-1.survey.0 SurveyGround; running

reject A/1 because
    CommandRefused(refusal=SprintUnready(asked=<CommandName.REJECT: 'reject'>, handle='U1/1', state=<SprintState.PENDING: 'PENDING'>))
    wants m-1.survey.0 SurveyGround; running

survey A
    run m-1 dispatched: scripted mid, attempt 1
    sprint A/1: PENDING -> DISPATCHED (dispatched)
    log A/1 Model: mid: first tier set in the configuration: sonnet; score 4 (complexity 1, ambiguity 3, foundation 0, risk 0, type 0): haiku
    wants m-1 RunAgent; running

retry A/1 because
    CommandRefused(refusal=SprintUnready(asked=<CommandName.RETRY: 'retry'>, handle='U1/1', state=<SprintState.DISPATCHED: 'DISPATCHED'>))
    wants m-1 RunAgent; running

retry A/2 because
    CommandRefused(refusal=SprintUnready(asked=<CommandName.RETRY: 'retry'>, handle='U1/2', state=<SprintState.PENDING: 'PENDING'>))
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
    CommandRefused(refusal=SprintUnready(asked=<CommandName.ACCEPT: 'accept'>, handle='U1/1', state=<SprintState.COMPLETED: 'COMPLETED'>))
    wants m-2.survey.0 SurveyGround; running
