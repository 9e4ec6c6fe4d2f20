"""A plan edited under way is noticed; what does not change it is not."""

import os
from pathlib import Path

import pytest

from topkick.engine import messages as h
from topkick.plan_format.front_matter import content_hash
from topkick.sprint.run import plan_watch

PLAN = "# Plan\n\n### Sprint 1: One\n"


@pytest.mark.spec("LP-05")
def test_an_edit_is_noticed_and_a_new_stamp_alone_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_watch, "EVERY_S", 0.0)
    path = tmp_path / "EXECUTION_PLAN.md"
    path.write_text(PLAN)
    known = content_hash(PLAN)
    watch = plan_watch.PlanWatch(path, content_hash, lambda: known)
    assert watch.poll() == ()
    os.utime(path, (1, 1))
    assert watch.poll() == ()
    path.write_bytes(f"---\nfeature_name: OPERATION X\n---\n{PLAN}".replace("\n", "\r\n").encode())
    assert watch.poll() == ()
    path.write_text(PLAN.replace("One", "Two"))
    (fact,) = watch.poll()
    assert fact == h.PlanEdited(content_hash(PLAN.replace("One", "Two")))
    path.unlink()
    assert watch.poll() == (h.PlanEdited("gone"),)
    known = "gone"
    path.write_text(PLAN)
    assert watch.poll() == (h.PlanEdited(content_hash(PLAN)),)
