# One decision a tick; the verifier says FAIL, the planner reacts; the third FAIL fires the brake.

woke driven
    wants nothing

start
    mission m begins, policy epic
    stance working: started by a person
    wants nothing

file E1.md {"rows": [], "items": [{"id": "T1", "state": "exited", "deliverable": "PR 7"}]}
    run m-1 opens for /verifier T1, surveying
    run m-1 dispatched: scripted mid, attempt 1: {"deliverable": "PR 7", "id": "T1", "state": "exited"}
    wants m-1 RunAgent

# a second tick at the same time does nothing

file E1.md {"rows": [], "items": [{"id": "T1", "state": "exited", "deliverable": "PR 7"}]}
    wants m-1 RunAgent

exit - 0
    wants m-1.check.0 CheckWork

check - answers {"verdict": "FAIL", "reason": "tests red on docker"}
    run m-1 closed: verify_fail
    note row = verify_fail | verifier T1: tests red on docker
    wants nothing

file E1.md {"rows": ["verify_fail"], "items": [{"id": "T1", "state": "exited", "deliverable": "PR 7"}]}
    run m-2 opens for /planner T1, surveying
    run m-2 dispatched: scripted mid, attempt 1: {"context": "T1 ['verify_fail']", "role": "react"}
    wants m-2 RunAgent

exit - 0
    wants m-2.check.0 CheckWork

check - answers {"action": "file_fix_task", "reason": "pin the image"}
    run m-2 closed: react_filed_fix
    note row = react_filed_fix | planner T1: pin the image
    wants nothing

file E1.md {"rows": ["verify_fail", "react_filed_fix"], "items": [{"id": "T2", "state": "exited", "deliverable": "PR 8"}]}
    run m-3 opens for /verifier T2, surveying
    run m-3 dispatched: scripted mid, attempt 1: {"deliverable": "PR 8", "id": "T2", "state": "exited"}
    wants m-3 RunAgent

exit - 0
    wants m-3.check.0 CheckWork

check - answers Looks good to me!
    run m-3 closed: verdict_fail
    note row = verdict_fail | verifier T2: malformed
    wants nothing

file E1.md {"rows": ["verify_fail", "react_filed_fix", "verify_fail", "verdict_fail"], "items": [{"id": "T2", "state": "in_progress", "deliverable": "none"}]}
    note row = noop | nothing to decide
    wants nothing

file E1.md {"rows": ["verify_fail", "react_filed_fix", "verify_fail", "noop", "verify_fail"], "items": [{"id": "T2", "state": "exited", "deliverable": "PR 8"}]}
    note row = brake_fired | recurring: verify_fail
    note status = review
    wants nothing

# only a person clears it

file E1.md {"rows": ["verify_fail", "verify_fail", "verify_fail", "brake_fired", "reset"], "items": [{"id": "T2", "state": "exited", "deliverable": "PR 8"}]}
    run m-4 opens for /verifier T2, surveying
    run m-4 dispatched: scripted mid, attempt 1: {"deliverable": "PR 8", "id": "T2", "state": "exited"}
    wants m-4 RunAgent

exit - 0
    wants m-4.check.0 CheckWork

check - answers {"verdict": "PASS"}
    run m-4 closed: verify_pass
    note row = verify_pass | verifier T2
    wants nothing
