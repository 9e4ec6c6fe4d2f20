"""Files that are whole whatever happens, and records that show a flipped byte."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from topkick.engine.io.files import replace_atomically, seal, unseal


def test_a_file_is_replaced_as_a_whole_with_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "state"
    replace_atomically(path, b"old")
    reader = path.open("rb")
    replace_atomically(path, b"new" * 100_000, mode=0o644)
    assert reader.read() == b"old"
    assert path.read_bytes() == b"new" * 100_000
    assert path.stat().st_mode & 0o777 == 0o644
    assert os.listdir(tmp_path) == ["state"]
    reader.close()


def test_a_failed_replacement_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        replace_atomically(path, b"new")
    assert os.listdir(tmp_path) == ["state"]


def test_every_flipped_byte_and_every_truncation_of_a_record_shows() -> None:
    record = {"how": "exited", "code": 1, "env": {"A": "\udcff\u00e9"}, "survivors": [1, 2]}
    text = seal(record)
    assert unseal(text) == record
    for place in range(len(text)):
        assert unseal(text[:place]) is None
        for bit in range(8):
            flipped = bytes([*text[:place], text[place] ^ (1 << bit), *text[place + 1 :]])
            assert unseal(flipped) is None


def test_a_draft_lies_where_it_was_told_to(tmp_path: Path) -> None:
    path, drafts = tmp_path / "tree" / "board", tmp_path / "drafts"
    path.parent.mkdir()
    with pytest.raises(FileNotFoundError):
        replace_atomically(path, b"new", drafts=drafts)
    drafts.mkdir()
    replace_atomically(path, b"new", drafts=drafts)
    assert path.read_bytes() == b"new"
    assert list(drafts.iterdir()) == []


def _synced(code: str, place: Path, need: Callable[[str], str]) -> set[str]:
    """Run the code in its own process, and return the paths that it synced."""
    log = place / "strace.log"
    words = [need("strace"), "-y", "-o", log, "-e", "trace=fsync", sys.executable, "-c", code]
    subprocess.run(words, cwd=place, check=True)
    return set(re.findall(r"^fsync\(\d+<(.+?)>\)", log.read_text(), re.MULTILINE))


def test_the_name_of_a_file_that_is_made_by_appending_is_synced(
    tmp_path: Path, need: Callable[[str], str]
) -> None:
    code = "from topkick.engine.io.files import append_durably as a; a('log', b'word')"
    assert _synced(code, tmp_path, need) == {str(tmp_path), str(tmp_path / "log")}
    assert _synced(code, tmp_path, need) == {str(tmp_path / "log")}


@pytest.mark.spec("D1")
def test_a_first_claim_is_synced_up_to_the_directory_that_the_runs_are_in(
    tmp_path: Path, need: Callable[[str], str]
) -> None:
    run = tmp_path / "current" / "runs" / "r1"
    run.mkdir(parents=True)
    code = f"from topkick.engine.io.sealed_records import take_claim as t; t({str(run)!r}, {{}})"
    assert _synced(code, tmp_path, need) == {str(run), str(run.parent), str(run.parent.parent)}


@pytest.mark.spec("D3")
def test_a_claim_that_cannot_be_synced_is_let_go_again(
    tmp_path: Path, need: Callable[[str], str]
) -> None:
    """A leaked descriptor kept its lock, so the run seemed to have a keeper."""
    (tmp_path / "run").mkdir()
    code = """\
import os
from topkick.engine.io.sealed_records import take_claim
before = os.listdir("/proc/self/fd")
try:
    take_claim("run", {})
except OSError as error:
    print(error.strerror, os.listdir("/proc/self/fd") == before)
"""
    fault = ["-f", "-o", "/dev/null", "--inject=fsync:error=EIO"]
    words = [need("strace"), *fault, sys.executable, "-c", code]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "Input/output error True\n"
