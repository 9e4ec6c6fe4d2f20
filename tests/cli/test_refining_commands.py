"""`plan prioritize` and `plan evaluate` as a person types them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import topkick

from topkick.cli.setup.init import config_text, own

LEAF_FIRST = """# Plan

### Sprint 1: Leaf

**Entry criteria**:
- [ ] Sprint 2 complete

**Tasks**:
1. Create `src/leaf.py`

### Sprint 2: Core types

**Entry criteria**:
- [ ] First sprint — no prerequisites

**Tasks**:
1. Create `src/types.py`

**Exit criteria**:
- [ ] File exists: `src/types.py`
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    path = tmp_path / "EXECUTION_PLAN.md"
    path.write_text(LEAF_FIRST)
    return path


@pytest.mark.spec("PR-03")
@pytest.mark.parametrize("words", [("plan", "prioritize"), ("prioritize",)])
def test_prioritize_writes_and_tells_what_moved(plan: Path, words: tuple[str, ...]) -> None:
    said = topkick(*words, cwd=plan.parent, check_code=0).stdout
    assert "was 2" in said
    assert "Sprints reordered: 2" in said
    assert "Next: topkick plan evaluate" in said
    assert plan.read_text().index("### Sprint 1: Core types") < plan.read_text().index(": Leaf")
    once = plan.read_bytes()
    again = topkick(*words, cwd=plan.parent, check_code=0).stdout
    assert "the plan is in this order already" in again
    assert plan.read_bytes() == once


@pytest.mark.parametrize("verb", ["prioritize", "evaluate"])
def test_a_preview_writes_nothing(plan: Path, verb: str) -> None:
    said = topkick("plan", verb, "--diff", cwd=plan.parent, check_code=0).stdout
    assert "+++ b/EXECUTION_PLAN.md" in said
    assert plan.read_text() == LEAF_FIRST


def test_as_json(plan: Path) -> None:
    found = json.loads(topkick("plan", "prioritize", "--json", cwd=plan.parent).stdout)
    assert found["written"] is True
    assert [(s["id"], s["was"], s["priority"]) for s in found["sprints"]] == [
        ("1", "2", 4.6667),
        ("2", "1", 1.5),
    ]


@pytest.mark.spec("EV-03")
def test_evaluate_tells_before_and_after(plan: Path) -> None:
    said = topkick("plan", "evaluate", cwd=plan.parent, check_code=0).stdout
    assert "Testability      2       1             1" in said
    assert "Sprints with a check: 1 of 2 (50%) before, 2 of 2 (100%) after." in said
    assert "- [ ] File exists: `src/leaf.py` (proposed)" in plan.read_text()
    assert "topkick found nothing that it can fix" in topkick("evaluate", cwd=plan.parent).stdout


@pytest.mark.spec("EV-02")
def test_check_only_looks(plan: Path) -> None:
    said = topkick("plan", "evaluate", "--check", cwd=plan.parent, check_code=1).stdout
    assert (
        "line 3: Sprint 1: machine-verifiable: A machine can check none of its exit criteria"
        in said
    )
    assert plan.read_text() == LEAF_FIRST
    topkick("plan", "evaluate", cwd=plan.parent, check_code=0)
    assert "nothing to fix" in topkick("evaluate", "--check", cwd=plan.parent, check_code=0).stdout


def test_turns_are_a_sensible_number(plan: Path) -> None:
    said = topkick("plan", "evaluate", "--max-turns", "3", cwd=plan.parent, check_code=2)
    assert "--max-turns" in said.stderr


@pytest.mark.parametrize("verb", ["prioritize", "evaluate"])
def test_a_file_that_is_meant_to_stay_stays(plan: Path, verb: str) -> None:
    os.chmod(plan, 0o444)
    said = topkick("plan", verb, cwd=plan.parent, check_code=2).stderr
    assert "was not written: it is read-only" in said
    assert plan.read_text() == LEAF_FIRST


def test_mode_links_and_line_ends_stay(plan: Path) -> None:
    target = plan.parent / "real.md"
    target.write_bytes(LEAF_FIRST.replace("\n", "\r\n").encode())
    os.chmod(target, 0o640)
    plan.unlink()
    plan.symlink_to(target)
    topkick("plan", "prioritize", cwd=plan.parent, check_code=0)
    assert plan.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert b"\n" not in target.read_bytes().replace(b"\r\n", b"")


@pytest.mark.spec("PR-02", "EV-02")
def test_a_run_keeps_the_numbers_it_goes_by(plan: Path) -> None:
    (plan.parent / "topkick.toml").write_text(config_text(own("true", ["true"])))
    command = [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"]
    env = {**os.environ, "XDG_CONFIG_HOME": str(plan.parent / ".none")}
    ended = subprocess.run(command, cwd=plan.parent, env=env, capture_output=True, check=False)
    assert ended.returncode == 3, ended.stderr  # nothing is written by such an agent
    before = plan.read_bytes()
    for verb in ("prioritize", "evaluate"):
        said = topkick("plan", verb, cwd=plan.parent, check_code=2).stderr
        assert "A run of this plan exists" in said
        assert f"topkick plan {verb} --diff" in said
        assert "+++" in topkick("plan", verb, "--diff", cwd=plan.parent, check_code=0).stdout
    assert plan.read_bytes() == before


def test_no_plan(tmp_path: Path) -> None:
    said = topkick("plan", "prioritize", cwd=tmp_path, check_code=2).stderr
    assert "Cannot find EXECUTION_PLAN.md" in said
