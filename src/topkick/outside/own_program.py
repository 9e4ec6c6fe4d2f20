"""Identify topkick's own source files, to notice that they changed while a run goes on."""

from hashlib import sha256
from pathlib import Path

import topkick

SHOWN = 12


def fingerprint() -> str:
    """Return the version with a hash over every source file; empty if they cannot be read."""
    place = Path(topkick.__file__).parent
    whole = sha256()
    try:
        for path in sorted(place.rglob("*.py")):
            whole.update(f"{path.relative_to(place)}\n".encode("utf-8", "surrogateescape"))
            whole.update(sha256(path.read_bytes()).digest())
    except OSError:  # an upgrade may be under way
        return ""
    return f"{topkick.__version__} ({whole.hexdigest()[:SHOWN]})"
