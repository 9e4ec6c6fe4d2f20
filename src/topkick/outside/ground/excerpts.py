"""Keep an excerpt of a command's output, with secrets redacted even where it is cut."""

import os

from topkick.boards import safe

HEAD_BYTES = 600
TAIL_BYTES = 1800
LONGEST_SECRET_BYTES = 1 << 14


class Excerpt:
    """The beginning and the end of an output; the middle is dropped.

    A little more is kept than is shown, so that a secret at the cut is still recognised. `paths`
    are directories that mean nothing to a reader, each with the text to show instead.
    """

    def __init__(self, secrets: tuple[str, ...], paths: tuple[tuple[str, str], ...] = ()) -> None:
        self._secrets = secrets
        self._paths = paths
        hidden = (*secrets, *(path for path, _ in paths))
        longest = max((len(os.fsencode(text)) for text in hidden), default=0)
        self._more = min(longest, LONGEST_SECRET_BYTES)
        self._head = b""
        self._tail = b""
        self._bytes = 0

    def write(self, data: bytes) -> None:
        self._bytes += len(data)
        room = HEAD_BYTES + self._more - len(self._head)
        self._head, rest = self._head + data[:room], data[room:]
        self._tail = (self._tail + rest)[-TAIL_BYTES - self._more :]

    def text(self) -> str:
        head = tail = self._without_secrets(self._head + self._tail)
        if len(self._head) + len(self._tail) < self._bytes:
            # The margin beyond the shown part may hold half a secret.
            head = self._without_secrets(self._head)
            tail = self._without_secrets(self._tail)
            head, tail = head[: len(head) - self._more], tail[self._more :]
        elif len(head) < HEAD_BYTES + TAIL_BYTES:
            return _decoded(head).strip()
        return f"{_decoded(head[:HEAD_BYTES])}\n[...]\n{_decoded(tail[-TAIL_BYTES:])}".strip()

    def _without_secrets(self, data: bytes) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        for path, shown in self._paths:
            text = text.replace(path, shown)
        return safe.redact(text, self._secrets).encode("utf-8", "surrogateescape")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")
