"""Print a flood: run as a program of its own, with a kind (`lines`, `line`) and the bytes.

Every 64 KiB of the lines begin with their offset; the single line never ends.
"""

import os
import sys

BLOCK_BYTES = 1 << 16
HEAD_BYTES = 64
_BLOCKS = 16


def head(offset: int) -> bytes:
    return b"at %020d " % offset + b"." * (HEAD_BYTES - 25) + b"\n"


def lines(total_bytes: int) -> None:
    rest = (b"x" * 127 + b"\n") * (BLOCK_BYTES // 128)
    batch = bytearray((b" " * HEAD_BYTES + rest[HEAD_BYTES:]) * _BLOCKS)
    offset = 0
    while offset < total_bytes:
        for number in range(_BLOCKS):
            place = number * BLOCK_BYTES
            batch[place : place + HEAD_BYTES] = head(offset + place)
        put(memoryview(batch)[: total_bytes - offset])
        offset += len(batch)


def line(total_bytes: int) -> None:
    batch = memoryview(b"y" * (1 << 20))
    for offset in range(0, total_bytes, len(batch)):
        put(batch[: total_bytes - offset])


def put(data: memoryview) -> None:
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    {"lines": lines, "line": line}[sys.argv[1]](int(sys.argv[2]))
