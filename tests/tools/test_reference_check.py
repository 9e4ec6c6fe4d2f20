"""The check that every cited rule has an entry, and that every glossary word is used."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "check_reference.py"
RULES = "# Rules\n\n## Gates (GT)\n\n### GT-01\n\nA gate.\n\n## State (S)\n\n### S1\n\nOne state.\n"
GLOSSARY = "# Glossary\n\n### gate\n\nA check.\n\n### waive, waiver\n\nTo let pass.\n"
UNKNOWN = "GT-" + "02"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, "docs/reference/rules.md", RULES)
    write(tmp_path, "docs/reference/glossary.md", GLOSSARY)
    write(tmp_path, "src/gates.py", '"""Open gates by GT-01; a person may waive them."""\n')
    return tmp_path


def write(project: Path, name: str, text: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), str(project)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_tree_that_agrees_with_its_pages(project: Path) -> None:
    done = run(project)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("src/a.py", f"# see {UNKNOWN}\n", f"src/a.py:1: {UNKNOWN}"),
        ("docs/a.md", f"\nBy {UNKNOWN}.\n", f"docs/a.md:2: {UNKNOWN}"),
        ("tests/a.story", f"held [{UNKNOWN}]\n", f"tests/a.story:1: {UNKNOWN}"),
        ("README.md", f"By {UNKNOWN}.\n", f"README.md:1: {UNKNOWN}"),
        ("src/a.py", 'WHY = "S1, S2: two states"\n', "src/a.py:1: S2"),
        ("src/a.py", 'def f(u):\n    return f"S3: {u}"\n', "src/a.py:2: S3"),
        ("tests/test_a.py", "@pytest.mark.spec('S4')\ndef f(): ...\n", "test_a.py:1: S4"),
    ],
)
def test_a_cited_id_without_an_entry(project: Path, name: str, text: str, place: str) -> None:
    write(project, name, text)
    done = run(project)
    assert done.returncode == 1
    assert f"{place} has no entry in docs/reference/rules.md" in done.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs/a.md", "MAX-02 GT-012 FR-02 S2\n"),
        ("src/a.py", 'HANDLE = "S2 is a size"\nOTHER = "U2: a unit"\n'),
    ],
)
def test_what_only_looks_like_an_id(project: Path, name: str, text: str) -> None:
    write(project, name, text)
    assert run(project).returncode == 0


def test_an_id_with_two_entries_and_one_without_text(project: Path) -> None:
    write(project, "docs/reference/rules.md", RULES + "\n### GT-01\n\nAgain.\n\n### S2\n")
    done = run(project)
    assert done.returncode == 1
    assert "docs/reference/rules.md: GT-01 has 2 entries" in done.stderr
    assert "S2 has no text" in done.stderr


def test_a_word_that_nothing_says_and_one_with_two_entries(project: Path) -> None:
    write(
        project,
        "docs/reference/glossary.md",
        GLOSSARY + "\n### clearance\n\nA gate.\n\n### gate\n\nAgain.\n",
    )
    done = run(project)
    assert done.returncode == 1
    assert "nothing in the tree says clearance" in done.stderr
    assert "docs/reference/glossary.md: gate has 2 entries" in done.stderr
