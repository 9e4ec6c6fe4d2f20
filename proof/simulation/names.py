"""The kinds of trouble, with their frequencies."""

AGENT_KINDS = {
    "good": 8.0,  # does all of its work and commits it
    "part": 4.0,  # meets one further criterion, commits
    "idle commit": 2.0,  # commits something, meets nothing
    "lazy": 3.0,  # ends with 0 and has done nothing
    "liar": 1.5,  # likewise, and says that it is done
    "uncommitted": 1.5,  # does its work and does not commit it
    "fails": 2.0,  # ends with 1, nothing done
    "done but 1": 1.5,  # ends with 1, its work done
    "same failure": 1.0,  # likewise, and from then on its checks fail in one way
    "hangs": 1.5,  # silent forever
    "busy": 0.6,  # burns CPU forever
    "floods": 1.0,  # does its work, and has soon printed more than is kept
    "crashes": 1.0,  # killed by a signal
    "cannot start": 0.4,
    "undoes": 0.7,  # breaks a criterion that was met
}

REPORTS = {
    "limit": 3.0,  # the account's usage limit is reached, without a reset time
    "limit until": 3.0,  # ... and the account says it
    "provider": 2.0,  # cannot be reached, or is overloaded
    "auth": 0.7,  # is not let in
}
"""Ends without anyone at fault, which an agent's own program reports."""

LAUNCH_FATES = {
    "ok": 20.0,
    "slow": 2.5,  # the keeper comes later than is waited for
    "never": 1.0,  # asked for, and it never comes
    "before claim": 1.0,  # the keeper dies before it has claimed the run
    "after claim": 1.0,  # ... and after, before the agent
    "launcher dies": 0.7,
    "refused": 0.5,
    "keeper dies": 1.5,  # the agent goes on alone
    "told to end": 2.0,  # by another process, its work nearly done
    "keeper deaf": 0.7,  # alive, and does nothing any more
}

FAULTS = {
    "crash": 8.0,
    "crash at launch": 3.0,  # between intent and claim; now and then a person speaks meanwhile
    "leave": 1.0,
    "reboot": 1.0,
    "disk full": 1.5,
    "fsync error": 1.5,
    "commit lies": 1.5,  # done and reported as failed
    "commit lies twice": 1.0,  # ... and what is stored cannot be read for a while
    "lost tail": 1.0,
    "keeper killed": 2.0,
    "keeper stopped": 0.7,
    "agent killed": 1.0,
    "pid reuse": 1.5,
    "clock forward": 1.0,
    "clock back": 1.0,
    "second supervisor": 2.0,
    "supervisor stopped": 2.0,  # in the middle of a turn, and continued
    "plan edited": 1.0,
    "echo": 4.0,  # earlier facts are delivered again
    "checks cannot run": 0.7,
    "forged progress": 0.5,  # a check passes for a while though nothing was done
}

COMMANDS = {
    "stop": 2.0,
    "stop unit": 1.5,
    "stop twice": 1.0,
    "ctrl-c": 0.7,
    "killall": 2.5,
    "killall twice": 0.4,
    "resume": 4.0,
    "resume twice": 0.7,
    "resume retry blocked": 2.0,
    "resume edited": 1.5,
    "resume other settings": 0.7,
    "retry": 2.0,
    "accept": 2.0,
    "reject": 1.5,
    "end background": 0.5,
    "nonsense": 0.5,
}


def all_figures() -> list[str]:
    """Return the names under which a seed counts what happened."""
    agents = [f"agent {kind}" for kind in (*AGENT_KINDS, *REPORTS)]
    launches = [f"launch {fate}" for fate in LAUNCH_FATES]
    faults = [f"fault {fault}" for fault in FAULTS]
    return [*agents, *launches, *faults, *(f"person {said}" for said in COMMANDS)]
