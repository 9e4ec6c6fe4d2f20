# unreadable

coordinator says Hello

woke 1

start
    mission m1 begins, policy checkpoint
    stance working: started by a person
    note hello = due
    note hello = listing
    note purpose = hello
    look at team-session.json session.json .msg/meta.json
    wants m1-look-1 ReadFiles

read team-session.json
    note purpose = wake
    note remembered: 0 fields
    note hello after = 1
    note hello = saying
    note purpose = hello
    say message, after 1: [supervisor] Resident supervisor ready. Baseline loaded for session night. Awaiting checkpoint assignments.
    wants m1-post-1 PostMessages

said as 2
    note purpose = wake
    note hello = said
    log /night Ready: awaiting checkpoints
    listen for supervisor after 0
    wants m1-hear-supervisor-0 HearBus

heard MSG-001 MSG-002
    log /MSG-001 Woken: Hello
    note wake: 2 fields
    note errors = 1
    note last error = the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    note at = replying
    say error, after 1: [supervisor] MSG-001 is not done: the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    wants m1-post-2 PostMessages

said as 3
    note cursor = 1
    note at = listening
    listen for supervisor after 1
    wants m1-hear-supervisor-1 HearBus
