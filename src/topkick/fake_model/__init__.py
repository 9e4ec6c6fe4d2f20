"""A scripted model on loopback: real agent programs run against it, and only the model is fake.

It speaks the protocols of the programs, takes its script from a scenario or from the prompt, and
fails on demand. Standard library only, independent of the rest of topkick.
"""

from topkick.fake_model.requests import Leak, SeenRequest
from topkick.fake_model.scenarios import (
    BUILTIN,
    Broken,
    Cut,
    Fail,
    Fine,
    Hang,
    Refuse,
    Scenario,
    ScriptText,
    ScriptTool,
    Sh,
    Tokens,
    Truncate,
    Write,
)
from topkick.fake_model.scripts import MARK, BadScenario, load_scenarios, parse_script
from topkick.fake_model.server import ModelServer

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
    "ScriptText",
    "ScriptTool",
    "SeenRequest",
    "Sh",
    "Tokens",
    "Truncate",
    "Write",
    "load_scenarios",
    "parse_script",
]
