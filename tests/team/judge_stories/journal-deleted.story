# journal deleted

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
    note draft: 3 fields
    log /CHECKPOINT-001 Material read: 1 artifacts, 1 checks done, 2 to run
    note at = checking
    run m1-1 opens for /shell CHECKPOINT-001, checking
    wants m1-1.check.0 CheckWork

found m1-1 false=1
    run m1-1 closed: 0 of 1 passed
    log /shell CHECKPOINT-001 Commands run: 0 of 1 passed
    note draft: 3 fields
    run m1-2 opens for /agent clear, surveying
    run m1-2 dispatched: scripted mid, attempt 1, input d10a6c82
    wants m1-2 RunAgent

exit m1-2 exited 0
    wants m1-2.check.0 CheckWork

found m1-2 I looked. ```json {"result": "warn", "details": "it is a warn", "evidence": ["spec/brief.md: vague"]} ```
    run m1-2 closed: warn
    note troubles = 0
    log /agent clear Check clear: warn: it is a warn
    note draft: 2 fields
    note at = writing
    append to wisdom/issues.md
    make artifacts/CHECKPOINT-001-report.md
    wants m1-edit-1 EditFiles

written
    note at = telling
    look at artifacts/CHECKPOINT-001-report.md
    wants m1-look-4 ReadFiles

read artifacts/CHECKPOINT-001-report.md
    note remembered: 1 fields
    log /CHECKPOINT-001 Verdict warn: 0.50: runs: `false` failed with 1; clear: it is a warn
    say task_complete, after 1: {"task_id":"CHECKPOINT-001"}
    say state_update, after 1: {"status":"task_complete","task_id":"CHECKPOINT-001","ref":"artifacts/CHECKPOINT-001-report.md","key_findings":["runs: `false` failed with 1","clear: it is a warn"],"decisions":["Proceed"],"verification":"self-validated","supervision_verdict":"warn","supervision_score":0.5,"risks_logged":2,"blocks_detected":0}
    say supervision_report, after 1: [supervisor] CHECKPOINT-001 complete. | Verdict: warn (score: 0.50) | Findings: runs: `false` failed with 1, clear: it is a warn | Risks: 2 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-report.md
    wants m1-post-3 PostMessages

said as 4, 5, 6
    note cursor = 1
    note at = listening
    listen for supervisor after 1
    wants m1-hear-supervisor-1 HearBus

coordinator says something

the journal is gone

woke 2

start
    mission m2 begins, policy checkpoint
    stance working: started by a person
    note hello = due
    note hello = listing
    note purpose = hello
    look at team-session.json session.json .msg/meta.json
    wants m2-look-1 ReadFiles

read team-session.json artifacts/CHECKPOINT-001-report.md wisdom/issues.md
    note purpose = wake
    note remembered: 1 fields
    note hello after = 7
    note hello = saying
    note purpose = hello
    say message, after 7: [supervisor] Recovered. Rebuilt context from 1 previous checkpoint reports.
    wants m2-post-1 PostMessages

said as 8
    note purpose = wake
    note hello = said
    log /night Ready: awaiting checkpoints
    listen for supervisor after 0
    wants m2-hear-supervisor-0 HearBus

heard MSG-001 MSG-002 MSG-003 MSG-004 MSG-005 MSG-006 MSG-007 MSG-008
    log /MSG-007 Woken: 
    note wake: 4 fields
    note at = claiming
    say progress, after 7: {"task_id":"CHECKPOINT-001-R2","phase":"claimed","progress_pct":0}
    wants m2-post-2 PostMessages

said as 9
    note at = orienting
    look at team-session.json session.json .msg/meta.json artifacts/CHECKPOINT-001-R2-report.md
    wants m2-look-2 ReadFiles

read team-session.json
    note at = reading
    look at team-session.json session.json .msg/meta.json spec/brief.md
    wants m2-look-3 ReadFiles

read team-session.json spec/brief.md wisdom/issues.md
    note draft: 3 fields
    log /CHECKPOINT-001-R2 Material read: 1 artifacts, 1 checks done, 2 to run
    note at = checking
    run m2-1 opens for /shell CHECKPOINT-001-R2, checking
    wants m2-1.check.0 CheckWork

found m2-1 false=1
    run m2-1 closed: 0 of 1 passed
    log /shell CHECKPOINT-001-R2 Commands run: 0 of 1 passed
    note draft: 3 fields
    run m2-2 opens for /agent clear, surveying
    run m2-2 dispatched: scripted mid, attempt 1, input 1bc088ff
    wants m2-2 RunAgent

exit m2-2 exited 0
    wants m2-2.check.0 CheckWork

found m2-2 I looked. ```json {"result": "warn", "details": "it is a warn", "evidence": ["spec/brief.md: vague"]} ```
    run m2-2 closed: warn
    note troubles = 0
    log /agent clear Check clear: warn: it is a warn
    note draft: 2 fields
    note at = writing
    append to wisdom/issues.md
    make artifacts/CHECKPOINT-001-R2-report.md
    wants m2-edit-1 EditFiles

written
    note at = telling
    look at artifacts/CHECKPOINT-001-R2-report.md
    wants m2-look-4 ReadFiles

read artifacts/CHECKPOINT-001-R2-report.md
    note remembered: 1 fields
    log /CHECKPOINT-001-R2 Verdict warn: 0.50: runs: `false` failed with 1; clear: it is a warn
    say task_complete, after 7: {"task_id":"CHECKPOINT-001-R2"}
    say state_update, after 7: {"status":"task_complete","task_id":"CHECKPOINT-001-R2","ref":"artifacts/CHECKPOINT-001-R2-report.md","key_findings":["runs: `false` failed with 1","clear: it is a warn"],"decisions":["Proceed"],"verification":"self-validated","supervision_verdict":"warn","supervision_score":0.5,"risks_logged":2,"blocks_detected":0}
    say supervision_report, after 7: [supervisor] CHECKPOINT-001-R2 complete. | Verdict: warn (score: 0.50) | Findings: runs: `false` failed with 1, clear: it is a warn | Risks: 2 logged | Quality trend: stable | Artifact: artifacts/CHECKPOINT-001-R2-report.md
    wants m2-post-3 PostMessages

said as 10, 11, 12
    note cursor = 7
    note at = listening
    listen for supervisor after 7
    wants m2-hear-supervisor-7 HearBus
