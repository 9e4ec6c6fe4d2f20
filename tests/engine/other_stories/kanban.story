# A malformed answer is asked for again with the same bytes; then ok; then the Manager ends it.

woke driven
    wants nothing

start
    mission m begins, policy kanban
    stance working: started by a person
    wants nothing

file board.md {"phase": "execute", "current": "tasks/1.md", "role": "Architect", "tasks": ["tasks/1.md"]}
    note board = {"phase": "execute", "current": "tasks/1.md", "role": "Architect", "tasks": ["tasks/1.md"]}
    run m-1 opens for /Architect tasks/1.md, surveying
    run m-1 dispatched: scripted mid, attempt 1: {"task_file": "tasks/1.md"}
    wants m-1 RunAgent

exit - 0
    wants m-1.check.0 CheckWork

check - answers I think I am done.
    run m-1 closed: invalid form
    note retries = 1
    log /Architect tasks/1.md Retry 1/3: exact same parameters
    run m-2 opens for /Architect tasks/1.md, surveying
    run m-2 dispatched: scripted mid, attempt 2: {"task_file": "tasks/1.md"}
    wants m-2 RunAgent

exit - 0
    wants m-2.check.0 CheckWork

check - answers {"status": "fine", "message": "not a status"}
    run m-2 closed: invalid form
    note retries = 2
    log /Architect tasks/1.md Retry 2/3: exact same parameters
    run m-3 opens for /Architect tasks/1.md, surveying
    run m-3 dispatched: scripted mid, attempt 3: {"task_file": "tasks/1.md"}
    wants m-3 RunAgent

# killed in between: the answers so far are in the journal

woke driven
    wants m-3 RunAgent

exit - 0
    wants m-3.check.0 CheckWork

check - answers {"status": "ok", "message": "designed"}
    run m-3 closed: ok
    note retries = 0
    note done_task = tasks/1.md
    run m-4 opens for /Manager tasks/1.md, surveying
    run m-4 dispatched: scripted mid, attempt 1: {"done_task": "tasks/1.md", "kanban_file": "board.md", "tasks": ["tasks/1.md"]}
    wants m-4 RunAgent

# the Manager forgets next_task; only the Manager is asked again

exit - 0
    wants m-4.check.0 CheckWork

check - answers {"status": "ok", "message": "noted"}
    run m-4 closed: invalid form
    note retries = 1
    log /Manager tasks/1.md Retry 1/3: exact same parameters
    run m-5 opens for /Manager tasks/1.md, surveying
    run m-5 dispatched: scripted mid, attempt 2: {"done_task": "tasks/1.md", "kanban_file": "board.md", "tasks": ["tasks/1.md"]}
    wants m-5 RunAgent

exit - 0
    wants m-5.check.0 CheckWork

check - answers {"status": "ok", "message": "noted", "next_task": "tasks/2.md", "tasks": ["tasks/2.md"]}
    run m-5 closed: ok
    note retries = 0
    note done_task =
    note board =
    wants nothing

file board.md {"phase": "execute", "current": "tasks/2.md", "tasks": ["tasks/2.md"]}
    note board = {"phase": "execute", "current": "tasks/2.md", "tasks": ["tasks/2.md"]}
    run m-6 opens for /Implementor tasks/2.md, surveying
    run m-6 dispatched: scripted mid, attempt 1: {"task_file": "tasks/2.md"}
    wants m-6 RunAgent

# a crash counts as invalid form, whatever it said

exit - 1
    wants m-6.check.0 CheckWork

check - answers {"status": "ok", "message": "built"}
    run m-6 closed: invalid form
    note retries = 1
    log /Implementor tasks/2.md Retry 1/3: exact same parameters
    run m-7 opens for /Implementor tasks/2.md, surveying
    run m-7 dispatched: scripted mid, attempt 2: {"task_file": "tasks/2.md"}
    wants m-7 RunAgent

exit - 0
    wants m-7.check.0 CheckWork

check - answers {"status": "blocked", "message": "no compiler"}
    run m-7 closed: blocked
    note retries = 0
    note done_task = tasks/2.md
    run m-8 opens for /Manager tasks/2.md, surveying
    run m-8 dispatched: scripted mid, attempt 1: {"done_task": "tasks/2.md", "kanban_file": "board.md", "tasks": ["tasks/2.md"]}
    wants m-8 RunAgent

exit - 0
    wants m-8.check.0 CheckWork

check - answers {"status": "ok", "message": "all done", "next_task": null, "tasks": []}
    run m-8 closed: ok
    note retries = 0
    note done_task =
    note board =
    note end = ok
    stance idle: the Manager sees no task
    wants nothing
