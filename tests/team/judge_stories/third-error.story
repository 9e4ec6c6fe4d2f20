# third error

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
    note hello after = 0
    note hello = saying
    note purpose = hello
    say message, after 0: [supervisor] Resident supervisor ready. Baseline loaded for session night. Awaiting checkpoint assignments.
    wants m1-post-1 PostMessages

said as 1
    note purpose = wake
    note hello = said
    log /night Ready: awaiting checkpoints
    listen for supervisor after 0
    wants m1-hear-supervisor-0 HearBus

coordinator says something

heard MSG-001 MSG-002
    log /MSG-002 Woken: 
    note wake: 2 fields
    note errors = 1
    note last error = the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    note at = replying
    say error, after 2: [supervisor] MSG-002 is not done: the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    wants m1-post-2 PostMessages

said as 3
    note cursor = 2
    note at = listening
    listen for supervisor after 2
    wants m1-hear-supervisor-2 HearBus

coordinator says something

heard MSG-003 MSG-004
    log /MSG-004 Woken: 
    note wake: 2 fields
    note errors = 2
    note last error = the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    note at = replying
    say error, after 4: [supervisor] MSG-004 is not done: the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    wants m1-post-3 PostMessages

said as 5
    note cursor = 4
    note at = listening
    listen for supervisor after 4
    wants m1-hear-supervisor-4 HearBus

coordinator says something

heard MSG-005 MSG-006
    log /MSG-006 Woken: 
    note wake: 2 fields
    note errors = 3
    note last error = the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    note at = replying
    say error, after 6: [supervisor] MSG-006 is not done: the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    wants m1-post-4 PostMessages

said as 7
    note cursor = 6
    note at = listening
    note purpose = alarm
    say consistency_alert, after 6: [supervisor] Alert: 3 errors so far, the last: the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed. The judge is alive and idle.
    wants m1-post-5 PostMessages

said as 8
    note purpose = wake
    note errors told = 3
    listen for supervisor after 6
    wants m1-hear-supervisor-6 HearBus

coordinator says something

heard MSG-007 MSG-008 MSG-009
    log /MSG-009 Woken: 
    note wake: 2 fields
    note errors = 4
    note last error = the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    note at = replying
    say error, after 9: [supervisor] MSG-009 is not done: the message has no task_id. Write: task_id: CHECKPOINT-001, scope: [DRAFT-001], pipeline_progress: 3/10 tasks completed
    wants m1-post-6 PostMessages

said as 10
    note cursor = 9
    note at = listening
    listen for supervisor after 9
    wants m1-hear-supervisor-9 HearBus

coordinator says something

heard MSG-010 MSG-011
    log /MSG-011 Woken: 
    note wake: 4 fields
    note at = claiming
    say progress, after 11: {"task_id":"CHECKPOINT-001","phase":"claimed","progress_pct":0}
    wants m1-post-7 PostMessages

said as 12
    note at = orienting
    look at team-session.json session.json .msg/meta.json artifacts/CHECKPOINT-001-report.md
    wants m1-look-2 ReadFiles

read team-session.json
    note at = reading
    look at team-session.json session.json .msg/meta.json spec/brief.md
    wants m1-look-3 ReadFiles

read team-session.json spec/brief.md
    note draft: 2 fields
    log /CHECKPOINT-001 Material read: 1 artifacts, 1 checks done, 0 to run
    note at = checking
    note at = writing
    make artifacts/CHECKPOINT-001-report.md
    wants m1-edit-1 EditFiles

written
    note at = telling
    look at artifacts/CHECKPOINT-001-report.md
    wants m1-look-4 ReadFiles

read artifacts/CHECKPOINT-001-report.md
    note remembered: 1 fields
    log /CHECKPOINT-001 Verdict pass: 1.00: artifact-exists: the artifacts of DRAFT-001 exist
    say task_complete, after 11: {"task_id":"CHECKPOINT-001"}
    say state_update, after 11: {"status":"task_complete","task_id":"CHECKPOINT-001","ref":"artifacts/CHECKPOINT-001-report.md","key_findings":["artifact-exists: the artifacts of DRAFT-001 exist"],"decisions":["Proceed"],"verification":"self-validated","supervision_verdict":"pass","supervision_score":1.0,"risks_logged":0,"blocks_detected":0}
    say supervision_report, after 11: [supervisor] CHECKPOINT-001 complete. | Verdict: pass (score: 1.00) | Findings: artifact-exists: the artifacts of DRAFT-001 exist | Risks: 0 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-report.md
    wants m1-post-8 PostMessages

said as 13, 14, 15
    note cursor = 11
    note at = listening
    listen for supervisor after 11
    wants m1-hear-supervisor-11 HearBus
