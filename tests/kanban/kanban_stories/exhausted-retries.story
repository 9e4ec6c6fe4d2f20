# exhausted retries

woke 1

start
    mission m begins, policy kanban
    stance working: started by a person
    look at tasks/0-kanban-lexer.md
    wants m-look-1 ReadFiles

read tasks/0-kanban-lexer.md
    look at tasks/0-kanban-lexer.md tasks/1-design.md tasks/tasks/1-design.md
    wants m-look-2 ReadFiles

read tasks/0-kanban-lexer.md tasks/1-design.md
    note in hand = {"log_chars": 0, "task": "tasks/1-design.md"}
    run m-1 opens for /Architect tasks/1-design.md, surveying
    run m-1 dispatched: scripted mid, attempt 1, input b823a2a2
    wants m-1 RunAgent

exit m-1 0
    wants m-1.check.0 CheckWork

answer m-1 I am done.
    run m-1 closed: invalid output format: the answer holds no JSON
    note retries = 1
    note retries used = 0 0
    note retry 0 = {"agent": "Architect", "at_us": 0, "attempt": 1, "expected": "kanban-worker", "input_sha256": "b823a2a2cbe555a283034b937252068ba75ed1038e1e9abbd8225bf6988c3d62", "issue": "the answer holds no JSON", "received": "I am done.", "task": "tasks/1-design.md"}
    note retry events = 1
    log /Architect tasks/1-design.md Retry 1/3: the answer holds no JSON; rescheduled with the exact same parameters
    run m-2 opens for /Architect tasks/1-design.md, surveying
    run m-2 dispatched: scripted mid, attempt 1, input b823a2a2
    wants m-2 RunAgent

exit m-2 0
    wants m-2.check.0 CheckWork

answer m-2 I am done.
    run m-2 closed: invalid output format: the answer holds no JSON
    note retries = 2
    note retries used = 0 0
    note retry 1 = {"agent": "Architect", "at_us": 0, "attempt": 2, "expected": "kanban-worker", "input_sha256": "b823a2a2cbe555a283034b937252068ba75ed1038e1e9abbd8225bf6988c3d62", "issue": "the answer holds no JSON", "received": "I am done.", "task": "tasks/1-design.md"}
    note retry events = 2
    log /Architect tasks/1-design.md Retry 2/3: the answer holds no JSON; rescheduled with the exact same parameters
    run m-3 opens for /Architect tasks/1-design.md, surveying
    run m-3 dispatched: scripted mid, attempt 1, input b823a2a2
    wants m-3 RunAgent

exit m-3 0
    wants m-3.check.0 CheckWork

answer m-3 I am done.
    run m-3 closed: invalid output format: the answer holds no JSON
    note retries = 3
    note retries used = 0 0
    note retry 2 = {"agent": "Architect", "at_us": 0, "attempt": 3, "expected": "kanban-worker", "input_sha256": "b823a2a2cbe555a283034b937252068ba75ed1038e1e9abbd8225bf6988c3d62", "issue": "the answer holds no JSON", "received": "I am done.", "task": "tasks/1-design.md"}
    note retry events = 3
    log /Architect tasks/1-design.md Retry 3/3: the answer holds no JSON; rescheduled with the exact same parameters
    run m-4 opens for /Architect tasks/1-design.md, surveying
    run m-4 dispatched: scripted mid, attempt 1, input b823a2a2
    wants m-4 RunAgent

exit m-4 0
    wants m-4.check.0 CheckWork

answer m-4 I am done.
    run m-4 closed: invalid output format: the answer holds no JSON
    note retries = 0
    ended: Architect gave no valid answer for tasks/1-design.md in 4 tries. the answer holds no JSON. Its last answer: I am done.
    wants nothing
    needs run: Architect gave no valid answer for tasks/1-design.md in 4 tries. the answer holds no JSON. Its last answer: I am done. -> topkick kanban run tasks/0-kanban-lexer.md
