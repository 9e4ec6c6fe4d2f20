"""A session begins only where an agent is set up, and continues as it began."""

from pathlib import Path

import pytest

from topkick.engine.errors import UsageError
from topkick.team.run.pipeline_project import WantedSession, find_or_begin

SEARCH = WantedSession("spec-only", "Search over notes")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path


def _set_up(root: Path) -> None:
    (root / "topkick.toml").write_text('agent = "me"\n[agents.me]\ncommand = ["true"]\n')


def test_nothing_is_begun_where_nobody_could_work(root: Path) -> None:
    with pytest.raises(UsageError, match="No agent is set up"):
        find_or_begin(root / "team", SEARCH, None)
    assert not (root / "team").exists()


@pytest.mark.parametrize(
    "other",
    [
        WantedSession("full", ""),
        WantedSession("", "Another thing"),
        WantedSession("full", "Search over notes"),
    ],
)
def test_what_was_begun_is_not_silently_another_thing(root: Path, other: WantedSession) -> None:
    _set_up(root)
    project = find_or_begin(root / "team", SEARCH, None)
    before = project.plan_path.read_bytes()
    with pytest.raises(UsageError, match="cannot change"):
        find_or_begin(root / "team", other, None)
    assert find_or_begin(root / "team", WantedSession("", " Search over notes "), None) == project
    assert project.plan_path.read_bytes() == before
