import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.agents.transcript.tail import OutputLines, TooLong


def split(chunks: list[bytes], line_max_bytes: int = 16 << 20) -> list[bytes | TooLong]:
    lines = OutputLines(line_max_bytes)
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    return found + lines.end()


def test_a_line_is_whole_however_its_bytes_come() -> None:
    assert split([b"o", b"ne\ntw", b"o\n", b"\nthr", b"ee"]) == [b"one", b"two", b"", b"three"]


def test_an_end_after_a_newline_is_no_line() -> None:
    assert split([b"one\n"]) == [b"one"]
    assert split([]) == []


def test_a_line_that_is_too_long_is_told_once_and_the_next_one_is_whole() -> None:
    assert split([b"12345", b"678", b"9\nnext\n"], 8) == [TooLong(9), b"next"]
    assert split([b"12345678\nnext"], 8) == [b"12345678", b"next"]
    assert split([b"one\n123456789"], 8) == [b"one", TooLong(9)]


@given(st.lists(st.binary(max_size=40)), st.integers(1, 30))
def test_chunks_make_no_difference(chunks: list[bytes], line_max_bytes: int) -> None:
    whole = b"".join(chunks)
    expected: list[bytes | TooLong] = [
        part if len(part) <= line_max_bytes else TooLong(len(part)) for part in whole.split(b"\n")
    ]
    if expected[-1] == b"":
        expected.pop()
    assert split(chunks, line_max_bytes) == expected


@pytest.mark.spec("DP-06")
def test_memory_does_not_grow_with_a_line_without_end() -> None:
    def endless() -> Iterator[bytes]:
        yield from (b"x" * 65_536 for _ in range(64))

    lines = OutputLines(65_536)
    tracemalloc.start()
    for chunk in endless():
        assert lines.feed(chunk) == []
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 1_000_000
    assert lines.end() == [TooLong(64 * 65_536)]
