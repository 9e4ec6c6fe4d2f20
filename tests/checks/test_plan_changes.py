"""A plan that only got its name, or that is gone, is no uncommitted work; an edited one is."""

import subprocess
from pathlib import Path

import pytest

from topkick.checks.request import LookRequest
from topkick.checks.worker.plan_changes import without_named_plan
from topkick.git.read.repository import read_tree
from topkick.plan_format.front_matter import with_feature_name

PLAN = "# Plan\n\n## Sprint 1: One\n"
NAMED = with_feature_name(PLAN, "OPERATION LAST COOKIE")


def _uncommitted(root: Path, directory: Path) -> tuple[str, ...]:
    look = LookRequest(id="x", directory=str(directory), project=str(root), own_files=("PLAN.md",))
    tree = without_named_plan(read_tree(directory, None), look)
    assert tree is not None
    return tree.uncommitted


@pytest.mark.spec("NM-01")
@pytest.mark.parametrize("inside", [".", "sub/project"])
def test_only_the_name_is_passed_over(tmp_path: Path, inside: str) -> None:
    root = tmp_path / inside
    root.mkdir(parents=True, exist_ok=True)
    plan, name = root / "PLAN.md", (Path(inside) / "PLAN.md").as_posix()
    (tmp_path / "a.txt").write_text("a\n")
    _git(tmp_path, "init", "-q")
    plan.write_text(NAMED)
    assert _uncommitted(root, tmp_path) == tuple(sorted(["a.txt", name]))
    plan.write_text(PLAN)
    _git(tmp_path, "add", ".")
    _git(tmp_path, "-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qm", "One")
    plan.write_text(NAMED)
    (tmp_path / "a.txt").write_text("b\n")
    assert _uncommitted(root, tmp_path) == ("a.txt",)
    plan.write_text(f"{NAMED}\nMore.\n")
    assert _uncommitted(root, tmp_path) == tuple(sorted(["a.txt", name]))
    plan.unlink()
    assert _uncommitted(root, tmp_path) == ("a.txt",)


@pytest.mark.spec("NM-01")
def test_another_plan_of_the_same_name_is_not_meant(tmp_path: Path) -> None:
    other = tmp_path / "other" / "PLAN.md"
    other.parent.mkdir()
    other.write_text(PLAN)
    (tmp_path / "PLAN.md").write_text(PLAN)
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qm", "One")
    other.write_text(NAMED)
    assert _uncommitted(tmp_path, tmp_path) == ("other/PLAN.md",)


def _git(at: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=at, check=True, capture_output=True)
