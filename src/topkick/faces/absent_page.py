"""A command that cannot run here, in the words that lint, doctor and the start screen share."""

from topkick.boards import safe
from topkick.wiring.absent_tools import Absent


def cannot_run(absent: Absent) -> str:
    return f"{what(absent)} ({absent.missing.mend})"


def what(absent: Absent) -> str:
    return f"`{safe.line(absent.command, 80)}` cannot run here: {absent.missing.what}"
