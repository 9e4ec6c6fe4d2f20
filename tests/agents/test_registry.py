import sys
from pathlib import Path

import pytest
from agent_samples import ASSIGNMENT, program

from topkick.agents.registry import adapter_named, known
from topkick.agents.vocabulary import Said
from topkick.engine.errors import UsageError

OURS = ("claude", "codex", "command", "gemini", "opencode")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place where a package can be as if it were installed."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def install(packages: Path, name: str, module: str, value: str) -> None:
    about = packages / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[topkick.agents]\n{name} = {value}\n")


@pytest.mark.spec("DP-06")
@pytest.mark.parametrize("name", OURS)
def test_every_built_in_adapter_is_known_by_its_name(name: str) -> None:
    adapter = adapter_named(name)
    assert adapter.name == name
    assert name in known()
    assert adapter.permissions(program(name))
    assert adapter.launch(program(name), ASSIGNMENT).argv[0] == f"/opt/{name}"


@pytest.mark.spec("DP-06")
def test_another_package_brings_an_adapter(packages: Path) -> None:
    (packages / "louder_agents.py").write_text(
        "from topkick.agents.command import CommandAdapter\n"
        "class Louder(CommandAdapter):\n    name = 'louder'\n"
    )
    install(packages, "louder", "louder_agents", "louder_agents:Louder")
    assert "louder" in known()
    assert adapter_named("louder").reader().feed(b"hello") == [Said("hello")]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"claude, codex, command, gemini, opencode"):
        adapter_named("cladue")


def test_a_package_that_cannot_be_loaded_is_named(packages: Path) -> None:
    install(packages, "gone", "gone_agents", "gone_agents:Gone")
    with pytest.raises(UsageError, match=r'"gone" \(gone_agents:Gone\) cannot be loaded'):
        adapter_named("gone")


def test_a_thing_that_is_no_adapter_is_named(packages: Path) -> None:
    (packages / "half_agents.py").write_text("class Half:\n    name = 'half'\n")
    install(packages, "half", "half_agents", "half_agents:Half")
    with pytest.raises(UsageError, match=r'"half".*lacks tested, counts_turns.*Update'):
        adapter_named("half")


def test_other_packages_are_not_asked_for_our_own_names(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (packages / "false_claude.py").write_text("raise AssertionError('loaded')\n")
    install(packages, "claude", "false_claude", "false_claude:Claude")
    assert adapter_named("claude").tested
    assert "false_claude" not in sys.modules
