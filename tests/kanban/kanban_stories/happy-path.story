# happy path

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

answer m-1 I looked around first. ```json {"status": "ok", "message": "it is ok"} ```
    run m-1 closed: ok
    note retries = 0
    note troubles = 0
    log /Architect tasks/1-design.md answered ok: it is ok
    note done = {"log_chars": 0, "status": "ok", "task": "tasks/1-design.md"}
    note in hand =
    look at tasks/0-kanban-lexer.md
    wants m-look-3 ReadFiles

read tasks/0-kanban-lexer.md
    look at tasks/0-kanban-lexer.md tasks/1-design.md
    wants m-look-4 ReadFiles

read tasks/0-kanban-lexer.md tasks/1-design.md
    note rounds = {"board": "509bcebd4bbb38c796b59f646dd9fc75c666d398545748ca04835355c8dbd8f1", "current": "tasks/1-design.md", "ended": false, "next_task": "", "said": "", "still": 0}
    run m-2 opens for /Manager tasks/1-design.md, surveying
    run m-2 dispatched: scripted mid, attempt 1, input 88a084f5
    wants m-2 RunAgent

exit m-2 0
    wants m-2.check.0 CheckWork

answer m-2 {"status": "ok", "message": "it is ok", "next_task": "tasks/2-build.md", "tasks": ["tasks/1-design.md", "tasks/2-build.md"]}
    run m-2 closed: ok
    note retries = 0
    note troubles = 0
    log /Manager tasks/1-design.md answered ok: it is ok
    note done =
    note rounds = {"board": "509bcebd4bbb38c796b59f646dd9fc75c666d398545748ca04835355c8dbd8f1", "current": "tasks/1-design.md", "ended": false, "next_task": "tasks/2-build.md", "said": "ok", "still": 1}
    look at tasks/0-kanban-lexer.md
    wants m-look-5 ReadFiles

read tasks/0-kanban-lexer.md
    look at tasks/0-kanban-lexer.md tasks/2-build.md tasks/tasks/2-build.md
    wants m-look-6 ReadFiles

read tasks/0-kanban-lexer.md tasks/2-build.md
    note in hand = {"log_chars": 0, "task": "tasks/2-build.md"}
    run m-3 opens for /Implementor tasks/2-build.md, surveying
    run m-3 dispatched: scripted mid, attempt 1, input 3c21ae5d
    wants m-3 RunAgent

exit m-3 0
    wants m-3.check.0 CheckWork

answer m-3 I looked around first. ```json {"status": "ok", "message": "it is ok"} ```
    run m-3 closed: ok
    note retries = 0
    note troubles = 0
    log /Implementor tasks/2-build.md answered ok: it is ok
    note done = {"log_chars": 0, "status": "ok", "task": "tasks/2-build.md"}
    note in hand =
    look at tasks/0-kanban-lexer.md
    wants m-look-7 ReadFiles

read tasks/0-kanban-lexer.md
    look at tasks/0-kanban-lexer.md tasks/2-build.md
    wants m-look-8 ReadFiles

read tasks/0-kanban-lexer.md tasks/2-build.md
    note rounds = {"board": "6c61d4860c3aa01f88c6752f0e870406c3dd98cf6f1a39b3b3d26c3cd06ff9dd", "current": "tasks/2-build.md", "ended": false, "next_task": "", "said": "", "still": 0}
    run m-4 opens for /Manager tasks/2-build.md, surveying
    run m-4 dispatched: scripted mid, attempt 1, input e0860aed
    wants m-4 RunAgent

exit m-4 0
    wants m-4.check.0 CheckWork

answer m-4 {"status": "ok", "message": "it is ok", "next_task": null, "tasks": ["tasks/1-design.md", "tasks/2-build.md"]}
    run m-4 closed: ok
    note retries = 0
    note troubles = 0
    log /Manager tasks/2-build.md answered ok: it is ok
    note done =
    note rounds = {"board": "6c61d4860c3aa01f88c6752f0e870406c3dd98cf6f1a39b3b3d26c3cd06ff9dd", "current": "tasks/2-build.md", "ended": true, "next_task": "", "said": "ok", "still": 1}
    look at tasks/0-kanban-lexer.md
    wants m-look-9 ReadFiles

read tasks/0-kanban-lexer.md
    done: the Manager names no next task, and the board is complete
    wants nothing
