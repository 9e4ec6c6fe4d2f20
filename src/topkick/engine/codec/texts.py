"""Long texts (prompts, outputs): records name them by hash, and the journal stores each once."""

from dataclasses import dataclass, field
from hashlib import sha256


def to_bytes(body: str) -> bytes:
    """Encode any Python string without loss, lone surrogates included."""
    return body.encode("utf-8", "surrogatepass")


def from_bytes(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Text:
    """A text identified by its hash; the body is None when it comes from the journal."""

    sha256: str
    body: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, body: str) -> "Text":
        return cls(sha256(to_bytes(body)).hexdigest(), body)
