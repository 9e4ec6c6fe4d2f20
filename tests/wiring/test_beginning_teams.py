"""A session is begun for somebody, and goes on as it was begun."""

from pathlib import Path

import pytest

from topkick.core.errors import UsageError
from topkick.wiring.teams import Wanted, find_or_begin

SEARCH = Wanted("spec-only", "Search over notes")


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
    "other", [Wanted("full", ""), Wanted("", "Another thing"), Wanted("full", "Search over notes")]
)
def test_what_was_begun_is_not_silently_another_thing(root: Path, other: Wanted) -> None:
    _set_up(root)
    project = find_or_begin(root / "team", SEARCH, None)
    before = project.plan_path.read_bytes()
    with pytest.raises(UsageError, match="goes on as it was begun"):
        find_or_begin(root / "team", other, None)
    assert find_or_begin(root / "team", Wanted("", " Search over notes "), None) == project
    assert project.plan_path.read_bytes() == before
