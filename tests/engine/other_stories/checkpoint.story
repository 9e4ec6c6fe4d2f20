# Woken by a request, it judges and sleeps; a request that comes meanwhile waits and is not lost.

woke driven
    wants nothing

start
    mission m begins, policy checkpoint
    stance working: started by a person
    wants nothing

file inbox ## Checkpoint Request task_id: CHECKPOINT-001 scope: [DRAFT-001, DRAFT-002] pipeline_progress: 3/10 tasks completed
    note queue = CHECKPOINT-001 DRAFT-001, DRAFT-002
    run m-1 opens for /CHECKPOINT-001, surveying
    run m-1 dispatched: scripted mid, attempt 1: {"checks": "role spec", "scope": "DRAFT-001, DRAFT-002"}
    wants m-1 RunAgent

exit - 0
    wants m-1.check.0 CheckWork

file inbox ## Checkpoint Request task_id: CHECKPOINT-002 scope: [SPEC-001]
    note queue = CHECKPOINT-001 DRAFT-001, DRAFT-002 | CHECKPOINT-002 SPEC-001
    wants m-1.check.0 CheckWork

woke driven
    wants m-1.check.1 CheckWork

check - answers {"checks": {"terms": "pass", "goals": "warn", "artifacts": "warn", "trend": "pass"}}
    run m-1 closed: warn
    note CHECKPOINT-001 = warn 0.75
    note queue = CHECKPOINT-002 SPEC-001
    log /CHECKPOINT-001 [supervisor] warn: score 0.75
    run m-2 opens for /CHECKPOINT-002, surveying
    run m-2 dispatched: scripted mid, attempt 1: {"checks": "role spec", "scope": "SPEC-001"}
    wants m-2 RunAgent

exit - 0
    wants m-2.check.0 CheckWork

check - answers {"checks": {"terms": "pass", "graph": "pass"}, "critical": ["a cycle in the task graph"]}
    run m-2 closed: block
    note CHECKPOINT-002 = block 1.00
    note queue =
    log /CHECKPOINT-002 [supervisor] block: score 1.00
    wants nothing

# it stays alive whatever is said to it

file inbox hello?
    note errors = 1
    log / [supervisor]: error: not a checkpoint request
    wants nothing

file inbox ## Checkpoint Request task_id: DRAFT-003 scope: []
    note errors = 2
    log / [supervisor]: error: not a checkpoint request
    wants nothing

file inbox
    note errors = 3
    log / [supervisor]: alert: three errors
    wants nothing

stop
    stance stopping: stopped by a person
    wants nothing
