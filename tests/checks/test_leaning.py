"""Work that passes here because of files that are nowhere else."""

import time
from pathlib import Path

import pytest

from topkick.checks.worker.findings import leanings
from topkick.inspection.change import SYMLINK_MODE, File, FileChange

LONG_AGO = 1.0


def _found(change: FileChange, home: str = "", since_s: float = LONG_AGO) -> list[str]:
    return [f.subject for f in leanings((change,), home, since_s)]


def _new(text: str, path: str = "src/a.py", before: str | None = None) -> FileChange:
    old = File(path, before.encode()) if before is not None else None
    return FileChange(old, File(path, text.encode()))


@pytest.mark.spec("VF-03")
def test_a_file_elsewhere_that_new_lines_name_is_found(tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_text("7")
    text = f'return open("{answers}").read()\n'
    assert _found(_new(text)) == [str(answers)]
    assert _found(_new(f"cat {answers}\n", "run.sh")) == [str(answers)]
    assert _found(_new(text, before=text)) == [], "it was there before"
    assert _found(_new(f"See {answers}.", "README.md")) == []
    assert _found(_new(f'open("{tmp_path}/nothing")')) == []
    assert _found(_new(f'mkdir("{tmp_path}")')) == [], "a directory decides nothing"
    assert _found(_new('open("/etc/passwd"); open("/usr/bin/env")')) == []


@pytest.mark.spec("VF-03")
def test_what_lies_at_home_is_found_if_it_is_new(tmp_path: Path) -> None:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "answers").write_text("7")
    text = 'Path.home() / ".cache" / "answers"'
    assert _found(_new(text), str(tmp_path)) == [f"{tmp_path}/.cache/answers"]
    assert _found(_new('open(expanduser("~/.cache/answers"))'), str(tmp_path))
    assert _found(_new(text), str(tmp_path), time.time() + 60) == [], "it lay there before"
    assert _found(_new(text), str(tmp_path), 0.0) == [], "nobody knows since when it lies there"


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "target", "is_found"),
    [
        ("tests/test_a.py", "/dev/null", True),
        ("src/a.py", "../../elsewhere/a.py", True),
        ("src/a.py", "../lib/a.py", False),
        ("src/deep/a.py", "../../lib/a.py", False),
        ("a.py", "../a.py", True),
    ],
)
def test_a_link_that_leaves_the_repository_is_found(path: str, target: str, is_found: bool) -> None:
    link = File(path, target.encode(), SYMLINK_MODE)
    assert bool(_found(FileChange(None, link))) is is_found
    assert _found(FileChange(link, link)) == []
