"""Files that are whole whatever happens, and records that show a flipped byte."""

import os
from pathlib import Path

import pytest

from topkick.outside.ground.files import replace_atomically, seal, unseal


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
