"""Two files of settings, one over the other, and a mistake named where it stands."""

from pathlib import Path

import pytest

from topkick.core.errors import UsageError
from topkick.wiring.config_file import load_config_at, user_config_path


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The user's own, and the project's."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own, here = user_config_path(), tmp_path / "topkick.toml"
    own.parent.mkdir(parents=True)
    for path in (own, here):
        path.write_text("")
    return own, here


def test_the_project_s_settings_go_over_the_user_s_one_by_one(files: tuple[Path, Path]) -> None:
    own, here = files
    own.write_text("ritual = false\n[limits]\nmax_agents = 2\nmax_turns = 9\n")
    here.write_text('gate = "ask"\n[limits]\nmax_agents = 3\n')
    config = load_config_at(here)
    assert (config.limits.max_agents, config.limits.max_turns) == (3, 9)
    assert (config.ritual, config.gate.mode) == (False, "ask")


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_mistake_is_named_in_the_file_in_which_it_stands(
    wrong: int, files: tuple[Path, Path]
) -> None:
    files[wrong].write_text("[limits]\nmax_agent = 2\n")
    files[1 - wrong].write_text("[limits]\nmax_turns = 9\n")
    with pytest.raises(UsageError) as caught:
        load_config_at(files[1])
    said = str(caught.value)
    assert str(files[wrong]) in said
    assert str(files[1 - wrong]) not in said
    assert "limits.max_agent: no such setting; did you mean max_agents?" in said


def test_a_setting_is_suggested_from_tables_at_any_depth(files: tuple[Path, Path]) -> None:
    own, here = files
    here.write_text("[epic.routing]\nmany_file = 2\n[budget.day]\ndollars = 3\n")
    with pytest.raises(UsageError, match=r"many_file: no such setting; did you mean many_files\?"):
        load_config_at(here)
    assert own.read_text() == ""
