"""Changes of the programs that checks use are noticed."""

import os
from pathlib import Path

import pytest

from topkick.checks.tool_marks import changed_tools, editable_paths, tools_of


def _program(at: Path, text: str = "#!/bin/sh\nexit 1\n") -> Path:
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text(text)
    at.chmod(0o755)
    return at


def _changed(before: tuple[str, ...], now: tuple[str, ...]) -> list[str]:
    return [name for name, _, _ in changed_tools(before, now)]


@pytest.mark.spec("VF-03")
def test_a_program_that_becomes_another_one_is_seen(tmp_path: Path) -> None:
    tool = _program(tmp_path / "bin" / "judge")
    path = os.fspath(tool.parent)
    before = tools_of(("judge --all",), path, "")
    assert _changed(before, tools_of(("judge --all",), path, "")) == []
    _program(tool, "#!/bin/sh\nexit 0\n")
    assert _changed(before, tools_of(("judge --all",), path, "")) == ["judge"]


@pytest.mark.spec("VF-03")
def test_a_program_that_now_comes_first_on_path_is_seen(tmp_path: Path) -> None:
    _program(tmp_path / "second" / "judge")
    path = f"{tmp_path}/first:{tmp_path}/second"
    before = tools_of(("judge",), path, "")
    _program(tmp_path / "first" / "judge", "#!/bin/sh\nexit 0\n")
    assert _changed(before, tools_of(("judge",), path, "")) == ["judge"]


@pytest.mark.spec("VF-03")
def test_what_every_python_runs_at_its_start_is_seen(tmp_path: Path) -> None:
    _program(tmp_path / "bin" / "python3")
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    site.mkdir(parents=True)
    path = os.fspath(tmp_path / "bin")
    before = tools_of(("python3 -m pytest",), path, "")
    (site / "__editable__.mine.pth").write_text("import mine_finder")
    (site / "paths.pth").write_text("/somewhere/else")
    assert _changed(before, tools_of(("python3 -m pytest",), path, "")) == []
    (site / "evil.pth").write_text("import os; os._exit(0)")
    assert len(_changed(before, tools_of(("python3 -m pytest",), path, ""))) == 1
    (site / "evil.pth").unlink()
    (site / "sitecustomize.py").write_text("")
    assert len(_changed(before, tools_of(("python3 -m pytest",), path, ""))) == 1


def test_nothing_is_said_of_what_was_not_known_before(tmp_path: Path) -> None:
    _program(tmp_path / "bin" / "judge")
    assert _changed((), tools_of(("judge",), os.fspath(tmp_path / "bin"), "")) == []


def test_packages_that_are_installed_as_links_are_known(tmp_path: Path) -> None:
    _program(tmp_path / "bin" / "python3")
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    site.mkdir(parents=True)
    (site / "mine.pth").write_text(f"{tmp_path}/work/src\nimport x\n")
    assert editable_paths(os.fspath(tmp_path / "bin")) == (f"{tmp_path}/work/src",)
