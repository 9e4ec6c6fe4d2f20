# no room for the report

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

written artifacts/CHECKPOINT-001-report.md cannot be written: full
    note errors = 1
    note last error = artifacts/CHECKPOINT-001-report.md cannot be written: full
    note rests = 1
    limit of the session until 1.78e+09 s: artifacts/CHECKPOINT-001-report.md cannot be written: full
    log /the session Retry later: artifacts/CHECKPOINT-001-report.md cannot be written: full
    wants nothing

TimePassed
    make artifacts/CHECKPOINT-001-report.md
    wants m1-edit-2 EditFiles

written artifacts/CHECKPOINT-001-report.md cannot be written: full
    note errors = 2
    note last error = artifacts/CHECKPOINT-001-report.md cannot be written: full
    note rests = 2
    limit of the session until 1.78e+09 s: artifacts/CHECKPOINT-001-report.md cannot be written: full
    log /the session Retry later: artifacts/CHECKPOINT-001-report.md cannot be written: full
    wants nothing

TimePassed
    make artifacts/CHECKPOINT-001-report.md
    wants m1-edit-3 EditFiles

written artifacts/CHECKPOINT-001-report.md cannot be written: full
    note errors = 3
    note last error = artifacts/CHECKPOINT-001-report.md cannot be written: full
    note rests = 3
    limit of the session until 1.78e+09 s: artifacts/CHECKPOINT-001-report.md cannot be written: full
    log /the session Retry later: artifacts/CHECKPOINT-001-report.md cannot be written: full
    wants nothing

TimePassed
    note purpose = alarm
    say consistency_alert, after 1: [supervisor] Alert: 3 errors so far, the last: artifacts/CHECKPOINT-001-report.md cannot be written: full. The judge is alive and idle.
    wants m1-post-3 PostMessages

said as 4
    note purpose = wake
    note errors told = 3
    make artifacts/CHECKPOINT-001-report.md
    wants m1-edit-4 EditFiles

written artifacts/CHECKPOINT-001-report.md cannot be written: full
    note errors = 4
    note last error = artifacts/CHECKPOINT-001-report.md cannot be written: full
    note rests = 4
    limit of the session until 1.78e+09 s: artifacts/CHECKPOINT-001-report.md cannot be written: full
    log /the session Retry later: artifacts/CHECKPOINT-001-report.md cannot be written: full
    wants nothing

TimePassed
    make artifacts/CHECKPOINT-001-report.md
    wants m1-edit-5 EditFiles

written
    note rests = 0
    note at = telling
    look at artifacts/CHECKPOINT-001-report.md
    wants m1-look-4 ReadFiles

read artifacts/CHECKPOINT-001-report.md
    note remembered: 1 fields
    log /CHECKPOINT-001 Verdict pass: 1.00: artifact-exists: the artifacts of DRAFT-001 exist
    say task_complete, after 1: {"task_id":"CHECKPOINT-001"}
    say state_update, after 1: {"status":"task_complete","task_id":"CHECKPOINT-001","ref":"artifacts/CHECKPOINT-001-report.md","key_findings":["artifact-exists: the artifacts of DRAFT-001 exist"],"decisions":["Proceed"],"verification":"self-validated","supervision_verdict":"pass","supervision_score":1.0,"risks_logged":0,"blocks_detected":0}
    say supervision_report, after 1: [supervisor] CHECKPOINT-001 complete. | Verdict: pass (score: 1.00) | Findings: artifact-exists: the artifacts of DRAFT-001 exist | Risks: 0 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-report.md
    wants m1-post-4 PostMessages

said as 5, 6, 7
    note cursor = 1
    note at = listening
    listen for supervisor after 1
    wants m1-hear-supervisor-1 HearBus
