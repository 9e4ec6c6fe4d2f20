# judged before

coordinator says something

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
    log /MSG-001 Woken: 
    note wake: 4 fields
    note at = claiming
    say progress, after 1: {"task_id":"CHECKPOINT-001","phase":"claimed","progress_pct":0}
    wants m1-post-2 PostMessages

said as 3
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
    say task_complete, after 1: {"task_id":"CHECKPOINT-001"}
    say state_update, after 1: {"status":"task_complete","task_id":"CHECKPOINT-001","ref":"artifacts/CHECKPOINT-001-report.md","key_findings":["artifact-exists: the artifacts of DRAFT-001 exist"],"decisions":["Proceed"],"verification":"self-validated","supervision_verdict":"pass","supervision_score":1.0,"risks_logged":0,"blocks_detected":0}
    say supervision_report, after 1: [supervisor] CHECKPOINT-001 complete. | Verdict: pass (score: 1.00) | Findings: artifact-exists: the artifacts of DRAFT-001 exist | Risks: 0 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-report.md
    wants m1-post-3 PostMessages

said as 4, 5, 6
    note cursor = 1
    note at = listening
    listen for supervisor after 1
    wants m1-hear-supervisor-1 HearBus

coordinator says something

heard MSG-002 MSG-003 MSG-004 MSG-005 MSG-006 MSG-007
    log /MSG-007 Woken: 
    note wake: 4 fields
    note at = claiming
    say progress, after 7: {"task_id":"CHECKPOINT-001","phase":"claimed","progress_pct":0}
    wants m1-post-4 PostMessages

said as 8
    note at = orienting
    look at team-session.json session.json .msg/meta.json artifacts/CHECKPOINT-001-report.md
    wants m1-look-5 ReadFiles

read team-session.json artifacts/CHECKPOINT-001-report.md
    note at = telling
    look at artifacts/CHECKPOINT-001-report.md
    wants m1-look-6 ReadFiles

read artifacts/CHECKPOINT-001-report.md
    log /CHECKPOINT-001 Verdict pass: 1.00: artifact-exists: the artifacts of DRAFT-001 exist
    say supervision_report, after 7: [supervisor] CHECKPOINT-001 complete. | Verdict: pass (score: 1.00) | Findings: artifact-exists: the artifacts of DRAFT-001 exist | Risks: 0 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-report.md | It was judged before. For another judgment, request CHECKPOINT-001-R2.
    wants m1-post-5 PostMessages

said as 9
    note cursor = 7
    note at = listening
    listen for supervisor after 7
    wants m1-hear-supervisor-7 HearBus

coordinator says something

heard MSG-008 MSG-009 MSG-010
    log /MSG-010 Woken: 
    note wake: 4 fields
    note at = claiming
    say progress, after 10: {"task_id":"CHECKPOINT-001","phase":"claimed","progress_pct":0}
    wants m1-post-6 PostMessages

said as 11
    note at = orienting
    look at team-session.json session.json .msg/meta.json artifacts/CHECKPOINT-001-report.md
    wants m1-look-7 ReadFiles

read team-session.json artifacts/CHECKPOINT-001-report.md
    note at = telling
    look at artifacts/CHECKPOINT-001-report.md
    wants m1-look-8 ReadFiles

read artifacts/CHECKPOINT-001-report.md
    log /CHECKPOINT-001 Verdict pass: 1.00: artifact-exists: the artifacts of DRAFT-001 exist
    say supervision_report, after 10: [supervisor] CHECKPOINT-001 complete. | Verdict: pass (score: 1.00) | Findings: artifact-exists: the artifacts of DRAFT-001 exist | Risks: 0 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-report.md | It was judged before. For another judgment, request CHECKPOINT-001-R2.
    wants m1-post-7 PostMessages

said as 12
    note cursor = 10
    note at = listening
    listen for supervisor after 10
    wants m1-hear-supervisor-10 HearBus

coordinator says something

heard MSG-011 MSG-012 MSG-013
    log /MSG-013 Woken: 
    note wake: 4 fields
    note at = claiming
    say progress, after 13: {"task_id":"CHECKPOINT-001-R2","phase":"claimed","progress_pct":0}
    wants m1-post-8 PostMessages

said as 14
    note at = orienting
    look at team-session.json session.json .msg/meta.json artifacts/CHECKPOINT-001-R2-report.md
    wants m1-look-9 ReadFiles

read team-session.json
    note at = reading
    look at team-session.json session.json .msg/meta.json spec/brief.md
    wants m1-look-10 ReadFiles

read team-session.json spec/brief.md
    note draft: 2 fields
    log /CHECKPOINT-001-R2 Material read: 1 artifacts, 1 checks done, 0 to run
    note at = checking
    note at = writing
    make artifacts/CHECKPOINT-001-R2-report.md
    wants m1-edit-2 EditFiles

written
    note at = telling
    look at artifacts/CHECKPOINT-001-R2-report.md
    wants m1-look-11 ReadFiles

read artifacts/CHECKPOINT-001-R2-report.md
    note remembered: 1 fields
    log /CHECKPOINT-001-R2 Verdict pass: 1.00: artifact-exists: the artifacts of DRAFT-001 exist
    say task_complete, after 13: {"task_id":"CHECKPOINT-001-R2"}
    say state_update, after 13: {"status":"task_complete","task_id":"CHECKPOINT-001-R2","ref":"artifacts/CHECKPOINT-001-R2-report.md","key_findings":["artifact-exists: the artifacts of DRAFT-001 exist"],"decisions":["Proceed"],"verification":"self-validated","supervision_verdict":"pass","supervision_score":1.0,"risks_logged":0,"blocks_detected":0}
    say supervision_report, after 13: [supervisor] CHECKPOINT-001-R2 complete. | Verdict: pass (score: 1.00) | Findings: artifact-exists: the artifacts of DRAFT-001 exist | Risks: 0 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-R2-report.md
    wants m1-post-9 PostMessages

said as 15, 16, 17
    note cursor = 13
    note at = listening
    listen for supervisor after 13
    wants m1-hear-supervisor-13 HearBus
