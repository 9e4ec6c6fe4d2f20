"""The session of a checkpoint in topkick's tree: files copied there, and files copied back."""

from pathlib import Path

import pytest

from topkick.checks.worker.gate import bring, take_home, wisdom_of


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return filled(tmp_path / "home", {"spec/prd.md": "mine", "notes.md": "mine"})


def filled(top: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def texts(top: Path) -> dict[str, str]:
    files = (path for path in sorted(top.rglob("*")) if path.is_file())
    return {path.relative_to(top).as_posix(): path.read_text() for path in files}


@pytest.mark.spec("CK-14")
def test_artifacts_are_those_of_the_commit_and_memory_is_the_persons(
    home: Path, tmp_path: Path
) -> None:
    memory = {".msg/messages.jsonl": "live", "wisdom/issues.md": "live\n"}
    filled(home, {**memory, "artifacts/CHECKPOINT-001-report.md": "first"})
    (home / "link.md").symlink_to("/etc/hostname")
    here = filled(tmp_path / "here", {"spec/prd.md": "merged", "wisdom/issues.md": "stale\n"})
    bring(home, here)
    assert texts(here) == {
        **memory,
        "artifacts/CHECKPOINT-001-report.md": "first",
        "notes.md": "mine",
        "spec/prd.md": "merged",
    }


@pytest.mark.spec("CK-14")
def test_what_the_judge_adds_comes_home_once_and_nothing_else_does(
    home: Path, tmp_path: Path
) -> None:
    filled(home, {"wisdom/issues.md": "old\n", "artifacts/CHECKPOINT-001-report.md": "first"})
    here = tmp_path / "here"
    bring(home, here)
    before = wisdom_of(here)
    filled(
        here,
        {
            "wisdom/issues.md": "old\nrisk\n",
            "wisdom/learnings.md": "new\n",
            "artifacts/CHECKPOINT-001-report.md": "forged",
            "artifacts/CHECKPOINT-001-R2-report.md": "second",
            "spec/prd.md": "changed",
        },
    )
    filled(home, {"wisdom/issues.md": "old\nby another\n"})
    for _ in range(2):
        take_home(here, home, before)
    assert texts(home) == {
        "artifacts/CHECKPOINT-001-R2-report.md": "second",
        "artifacts/CHECKPOINT-001-report.md": "first",
        "notes.md": "mine",
        "spec/prd.md": "mine",
        "wisdom/issues.md": "old\nby another\nrisk\n",
        "wisdom/learnings.md": "new\n",
    }
