"""A scripted model on loopback: real agent programs run against it, and only the model is fake.

It speaks the protocols of the programs, takes its script from a scenario or from the prompt, and
fails on demand. Standard library only, independent of the rest of topkick.
"""

from topkick.outside.rehearsal.builtin import BUILTIN
from topkick.outside.rehearsal.loading import MARK, BadScenario, load_scenarios, parse_script
from topkick.outside.rehearsal.requests import Leak, Seen
from topkick.outside.rehearsal.scenarios import (
    Broken,
    Cut,
    Fail,
    Fine,
    Hang,
    Refuse,
    Scenario,
    Sh,
    Text,
    Tokens,
    Tool,
    Truncate,
    Write,
)
from topkick.outside.rehearsal.server import ModelServer

__all__ = [
    "BUILTIN",
    "MARK",
    "BadScenario",
    "Broken",
    "Cut",
    "Fail",
    "Fine",
    "Hang",
    "Leak",
    "ModelServer",
    "Refuse",
    "Scenario",
    "Seen",
    "Sh",
    "Text",
    "Tokens",
    "Tool",
    "Truncate",
    "Write",
    "load_scenarios",
    "parse_script",
]
