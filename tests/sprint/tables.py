"""The two machines, written down from the specification and not from the code."""

# Written down from the tables of the specification, line by line: from, on, to.
UNIT_TABLE = """
NOT_STARTED                 | start        | RUNNING
RUNNING                     | finished     | COMPLETED
RUNNING                     | stop         | STOPPING
RUNNING                     | sprint fatal | BLOCKED
RUNNING, STOPPING           | killed       | KILLED
STOPPING                    | drained      | STOPPED
STOPPING                    | finished     | COMPLETED
STOPPING                    | sprint fatal | BLOCKED
STOPPED, BLOCKED, KILLED    | resume       | RUNNING
"""
SPRINT_TABLE = """
PENDING                     | dispatched     | DISPATCHED
DISPATCHED                  | first activity | RUNNING
DISPATCHED, RUNNING         | succeeded      | COMPLETED
DISPATCHED, RUNNING         | progressed     | PARTIAL
DISPATCHED, RUNNING         | failed         | BACKOFF
DISPATCHED, RUNNING         | troubled       | BACKOFF
DISPATCHED, RUNNING         | killed         | BACKOFF
BACKOFF                     | exhausted      | FATAL
PARTIAL, BACKOFF            | dispatched     | DISPATCHED
PARTIAL                     | accepted       | COMPLETED
PARTIAL                     | rejected       | BACKOFF
BACKOFF, FATAL              | accepted       | COMPLETED
BACKOFF, FATAL              | late finish    | COMPLETED
BACKOFF, FATAL              | resumed        | PENDING
PENDING                     | found done     | COMPLETED
"""


def read(table: str) -> dict[tuple[str, str], str]:
    moves = {}
    for line in table.strip().splitlines():
        states, cause, now = (part.strip() for part in line.split("|"))
        moves.update({(state.strip(), cause): now for state in states.split(",")})
    return moves


UNITS, SPRINTS = read(UNIT_TABLE), read(SPRINT_TABLE)
