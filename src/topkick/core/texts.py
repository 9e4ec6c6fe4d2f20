"""Long texts (prompts, outputs), which records name by hash and the journal keeps once each."""

from dataclasses import dataclass, field
from hashlib import sha256


def to_bytes(body: str) -> bytes:
    """Lossless for every Python string, lone surrogates included."""
    return body.encode("utf-8", "surrogatepass")


def from_bytes(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Text:
    """A text known by its hash; the body is None once it has come back from the journal."""

    sha256: str
    body: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, body: str) -> "Text":
        return cls(sha256(to_bytes(body)).hexdigest(), body)
