"""Everything that the Makefile installs from outside is pinned by a hash."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_install_of_the_makefile_requires_hashes() -> None:
    """`make lock` installed uv, which writes all the hashes, without one."""
    lines = (ROOT / "Makefile").read_text().splitlines()
    installs = [line.partition("pip install")[2] for line in lines if "pip install" in line]
    assert installs
    local = re.compile(r"(-\S+ )*(-e )?\.")
    assert [x for x in installs if "--require-hashes" not in x and not local.match(x.strip())] == []


def test_the_locked_tool_that_locks_is_the_one_that_is_asked_for() -> None:
    asked = (ROOT / "tools" / "lock" / "requirements.txt").read_text().split()
    locked = (ROOT / "tools" / "lock" / "requirements.lock").read_text()
    assert asked
    assert all(f"{one} \\\n    --hash=sha256:" in locked for one in asked)
