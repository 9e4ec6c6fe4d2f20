"""The checks of documents and of the tree, and the fixtures that all suites share."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(tool: str, project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / tool), str(project)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(project: Path, name: str, text: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_documents_whose_links_resolve(tmp_path: Path) -> None:
    write(tmp_path, "README.md", "[docs](docs/index.md#the-one-two)\n")
    write(tmp_path, "docs/index.md", "# The *one*, two\n[a](how/a.md) [web](https://example.org)\n")
    write(tmp_path, "docs/how/a.md", "[back](../index.md) `[no](link.md)`\n")
    assert run("check_docs.py", tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("link", "told"),
    [
        ("[x](missing.md)", "docs/index.md:3: missing.md does not exist"),
        ("[x](a.md#nowhere)", "docs/index.md:3: a.md#nowhere has no such heading"),
        ("", "docs/a.md: no link leads here from docs/index.md"),
    ],
)
def test_documents_with_a_broken_link(tmp_path: Path, link: str, told: str) -> None:
    write(tmp_path, "docs/index.md", f"# Title\n\n{link}\n")
    write(tmp_path, "docs/a.md", "# A\n")
    done = run("check_docs.py", tmp_path)
    assert done.returncode == 1
    assert told in done.stderr


def test_a_map_that_names_what_is_not_there(tmp_path: Path) -> None:
    write(tmp_path, "docs/index.md", "# Title\n")
    write(tmp_path, "src/topkick/engine/loop.py", "")
    write(tmp_path, "ARCHITECTURE.md", "`engine/loop.py`, `docs/`, `engine/`, `topkick start`\n")
    assert run("check_docs.py", tmp_path).returncode == 0
    write(tmp_path, "ARCHITECTURE.md", "# Map\n\n| `core/kernel.py` | `engine/journal/` |\n|-|-|\n")
    done = run("check_docs.py", tmp_path)
    assert done.returncode == 1
    assert "ARCHITECTURE.md:3: core/kernel.py does not exist" in done.stderr
    assert "ARCHITECTURE.md:3: engine/journal/ does not exist" in done.stderr


def test_two_tests_of_one_name(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path, "tests/a/test_x.py", "")
    write(tmp_path, "tests/b/test_y.py", "")
    assert run("check_tree.py", tmp_path).returncode == 0
    write(tmp_path, "tests/b/test_x.py", "")
    done = run("check_tree.py", tmp_path)
    assert done.returncode == 1
    assert "tests/b/test_x.py: has the name of tests/a/test_x.py" in done.stderr


@pytest.mark.parametrize(
    ("line", "clean"),
    [
        ("see docs/work/root/home", True),
        ("https://example.org/home/page", True),
        ("cd /" + "root/project", False),
        ("'/" + "home/ada'", False),
        ("https://py" + "pi.org/simple", False),
    ],
)
def test_stray_paths_and_registries(tmp_path: Path, line: str, clean: bool) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path, "a.txt", f"first\n{line}\n")
    write(tmp_path, ".gitignore", "b.txt\n")
    write(tmp_path, "b.txt", "/" + "root/ignored")
    done = run("check_tree.py", tmp_path)
    assert done.returncode == (0 if clean else 1)
    assert ("a.txt:2: " in done.stderr) is not clean


def test_a_missing_tool_skips_at_home_and_fails_in_ci(
    need: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert need("git").endswith("git")
    monkeypatch.delenv("TOPKICK_REQUIRE_TOOLS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no-such-tool is not installed"):
        need("no-such-tool")
    monkeypatch.setenv("TOPKICK_REQUIRE_TOOLS", "1")
    with pytest.raises(pytest.fail.Exception, match="no-such-tool is not installed"):
        need("no-such-tool")
