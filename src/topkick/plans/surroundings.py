"""What a plan's project is like: its language, how its tests are run, and what is there."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`test_command` is the command for all tests, as the manifests call for it; `module` is the
    name that test directories carry in some languages. `texts` are files that the plan names.
    """

    language: str = ""
    test_command: str = ""
    test_dir: str = ""
    module: str = ""
    paths: frozenset[str] = field(default_factory=frozenset)
    texts: Mapping[str, str] = field(default_factory=dict)
