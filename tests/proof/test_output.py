"""Agents that print too much, and agents that print what would steer a terminal."""

import os
import re
import sys
from pathlib import Path

import pytest

from proof.output import writer
from proof.output.flood import Flood, run_floods
from proof.output.nasty import NASTY, offences
from proof.output.screens import Screens
from topkick.runner.keeper import output
from topkick.runner.keeper.output import CappedOutput
from topkick.sprint.commands.read.logs import LINE_LIMIT_BYTES, _ready
from topkick.text import escape

MIB = 1 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")


@linux
@pytest.mark.spec("Y3")
def test_a_flood_leaves_memory_and_disk_bounded_and_offsets_true(tmp_path: Path) -> None:
    floods = run_floods(tmp_path, 300 * MIB, 64 * MIB)
    assert [flood.troubles for flood in floods] == [[], []]
    assert [len(flood.peaks_mib) for flood in floods] == [6, 7]
    assert [flood.printed_bytes for flood in floods] == [300 * MIB, 64 * MIB]


def test_more_memory_than_allowed_would_be_noticed() -> None:
    flood = Flood("lines", peaks_mib={"keeper": 151.0}, on_disk_bytes=2, disk_limit_bytes=1)
    flood.judge()
    assert len(flood.troubles) == 2


def test_nothing_that_steers_a_terminal_gets_to_one(tmp_path: Path) -> None:
    screens = Screens(tmp_path)
    try:
        screens.make()
        screens.drive()
    finally:
        left = screens.close()
    assert not left, "still alive:\n" + "\n".join(left)
    assert {what: found for what, found in screens.seen.items() if found} == {}
    shown = {"status", "logs U1/1", "logs U2/1", "logs -f", "watch, blocked", "status --watch"}
    assert screens.evil >= shown | {"SUPERVISOR_STATE.md", "start --foreground", "missing plan"}
    assert offences(screens.raw), "then the judge sees nothing at all"


@pytest.mark.parametrize("kind", NASTY)
def test_every_kind_of_nasty_text_is_seen_raw_and_gone_when_safe(kind: str) -> None:
    assert offences(NASTY[kind])
    text = NASTY[kind].decode("utf-8", "replace")
    for made_safe in (escape.block, escape.line, escape.prose, escape.cell):
        assert offences(made_safe(text).encode()) == []


def test_a_name_that_is_not_text_is_made_safe() -> None:
    name = os.fsdecode(b"\xff\x1b]0;EVIL\x07\x9b31m")
    assert offences(escape.line(name).encode()) == []


@pytest.mark.parametrize(
    "text",
    [
        "é" * 30,
        "Việt Nam",
        "한국어 日本語",
        "👩\u200d👩\u200d👧",
        "🏳\ufe0f\u200d🌈",
        "שָׁלוֹם",
        "नमस्ते",
    ],
)
def test_honest_writing_is_left_as_it_is(text: str) -> None:
    assert escape.block(text) == text
    assert escape.block("e\u0301\u0323") == "e\u0301\u0323"


# --- a line without end, in parts ----------------------------------------------------------


def _shown_in_parts(data: bytes, secrets: tuple[str, ...], step: int) -> list[bytes]:
    parts, held = [], b""
    for at in range(0, len(data), step):
        part, held = _ready(held + data[at : at + step], secrets)
        assert len(held) <= LINE_LIMIT_BYTES + step
        parts.append(part)
    return [*parts, held]


@pytest.mark.parametrize("step", [1 << 16, 10_007])
def test_no_secret_and_no_character_is_cut_where_a_long_line_is(step: int) -> None:
    secret = "open-sesame-" * 3
    line = ("ä€😀" + secret + "\x1b[31mred\x1b[0m").encode() * 6_000
    parts = _shown_in_parts(line, (secret,), step)
    assert b"".join(parts) == line
    assert len([part for part in parts if part]) > 3
    text = "".join(escape.redact(part.decode(), (secret,)) for part in parts)
    assert "sesame" not in text
    assert not [part for part in parts if re.search(rb"\x1b\[?[0-9]*$", part)]


def test_whole_lines_are_shown_at_once() -> None:
    assert _ready(b"one\ntwo\nthr", ()) == (b"one\ntwo\n", b"thr")
    assert _ready(b"x" * LINE_LIMIT_BYTES, ()) == (b"", b"x" * LINE_LIMIT_BYTES)


# --- what is kept --------------------------------------------------------------------------


def test_the_offsets_of_what_is_kept_are_those_of_what_was_printed(tmp_path: Path) -> None:
    cap_bytes, total_bytes = 4 * writer.BLOCK_BYTES, 40 * writer.BLOCK_BYTES
    kept = CappedOutput(str(tmp_path), cap_bytes)
    for offset in range(0, total_bytes, writer.BLOCK_BYTES):
        block = writer.head(offset) + b"." * (writer.BLOCK_BYTES - writer.HEAD_BYTES)
        kept.write(block)
        assert output.size_bytes(tmp_path, cap_bytes) == kept.total_bytes
    on_disk = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert on_disk + kept.dropped_bytes == total_bytes
    assert on_disk <= 3 * cap_bytes
    at = 0
    while (chunk := output.read(tmp_path, cap_bytes, at, writer.BLOCK_BYTES)).data:
        assert chunk.data.startswith(writer.head(chunk.offset))
        at = chunk.next_offset
    assert at == total_bytes
