"""Type the commands of CONTRIBUTING.md as a newcomer would."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
AUTHOR = {"NAME": "A Newcomer", "EMAIL": "newcomer@example.org"}


def shell(text: str, tmp_path: Path) -> str:
    """Run it from the clone, with the program that is tested in front of PATH."""
    own = {f"GIT_{who}_{key}": AUTHOR[key] for who in ("AUTHOR", "COMMITTER") for key in AUTHOR}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), **own}
    done = subprocess.run(
        ["sh", "-euc", text], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_event_that_a_newcomer_follows_can_be_followed(tmp_path: Path) -> None:
    (block,) = [b for b in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "/tmp/hour" in b]
    said = shell(block.replace("/tmp/hour", str(tmp_path / "hour")), tmp_path)
    assert (tmp_path / "hour" / "hello.txt").read_text() == "hello\n"
    assert "WorkChecked" in said  # of `journal show`
    assert "[VF-01]" in said  # of `explain`


def test_every_file_that_a_newcomer_opens_is_there() -> None:
    asked = re.findall(r"git ls-files '([^']+)'", PAGE)
    assert asked
    for pattern in asked:
        found = subprocess.run(
            ["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert len(found.stdout.splitlines()) == 1, pattern
