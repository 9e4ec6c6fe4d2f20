"""Parts of a refusal that all supervisors share.

A supervisor refuses a command with a value: the command, what it is about, and the reason.
`engine/messages/events.py` has the union of all of them, `engine/views/refusal_lines.py` turns
them into words, and nothing depends on those words.
"""

from dataclasses import dataclass
from enum import StrEnum

from topkick.engine.blockers import Offer, go_on


class CommandName(StrEnum):
    """The words after `topkick` that give the command."""

    START = "start"
    RESUME = "resume"
    STOP = "stop"
    KILLALL = "killall"
    ACCEPT = "accept"
    REJECT = "reject"
    WAIVE = "waive"
    RETRY = "retry"
    BACKGROUND_RUN = "background run"
    BACKGROUND_STOP = "background stop"
    OVERRIDE = "checkpoint override"
    APPROVE = "checkpoint approve"
    REVISE = "checkpoint revise"
    ABORT = "checkpoint abort"


@dataclass(frozen=True, slots=True)
class CommandUnfit:
    """This kind of run does not take the command, or not now. `command` continues the run."""

    policy: str
    asked: CommandName
    command: str


def offers(refusal: CommandUnfit) -> tuple[Offer, ...]:
    return (go_on(*refusal.command.split(" ")[1:]),)
