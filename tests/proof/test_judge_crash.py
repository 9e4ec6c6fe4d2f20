"""A small share of the judge's crash points; `make judge` has all of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from proof.judge.__main__ import Point, try_point
from proof.judge.findings import findings
from proof.judge.session import REPORT, Try

SHARE = (
    Point("link", 1),
    Point("bus.after-append", 4, again="fdatasync.4"),
    Point("files.before-edit", 2, lost_journal=True),
)


@pytest.mark.spec("CK-05", "T1", "T2", "T3")
@pytest.mark.parametrize("point", SHARE, ids=str)
def test_killed_there_it_comes_back_to_the_same_end(
    point: Point, tmp_path: Path, need: Callable[[str], str]
):
    need("strace")
    verdict = try_point(tmp_path, point)
    assert verdict.hit
    assert verdict.findings == ()


def test_who_looks_at_a_try_is_not_blind(tmp_path: Path):
    tried = Try(tmp_path / "try").make()
    assert tried.serve() == 0
    assert [*findings(tried)] == []
    wisdom, report = tried.session / "wisdom/issues.md", tried.session / REPORT
    wisdom.write_text(wisdom.read_text() * 2)
    report.write_text(report.read_text()[:-200])
    (tried.notes / "starts").write_text("one\none\n")
    answer = next(m for m in tried.bus.messages() if m.type == "supervision_report")
    tried.bus.post(answer)
    said = " ".join(findings(tried))
    for word in ("in wisdom", "begun twice", "said: Counter", "is not what the reports say"):
        assert word in said
    tried.remove()
