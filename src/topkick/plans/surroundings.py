"""Facts about a plan's project: its language, its test command, its files."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Facts about a project. `test_command` runs all tests, according to the manifests; `module` is
    the name that test directories have in some languages; `texts` are files that the plan names.
    """

    language: str = ""
    test_command: str = ""
    test_dir: str = ""
    module: str = ""
    paths: frozenset[str] = field(default_factory=frozenset)
    texts: Mapping[str, str] = field(default_factory=dict)
