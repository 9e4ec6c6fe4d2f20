"""Prepare a recording for the repository: no path of a machine, and not too long."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEPT_ENTRIES = 2
KEPT_TEXT = 2_000
MAX_FILE_BYTES = 40_000
_LONG_LISTS = frozenset(
    {
        *("tools", "slash_commands", "terminal_slash_commands", "skills", "agents", "plugins"),
        "capabilities",
    }
)


@dataclass(frozen=True, slots=True)
class Scrub:
    home: Path
    repo: Path
    program: Path

    def text(self, raw: str) -> str:
        for place, name in self._names():
            raw = raw.replace(place, name)
        raw = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", raw)
        raw = re.sub(r"/cc-socks/\d+\.sock", "/cc-socks/1.sock", raw)
        return re.sub(r"/(claude|codex|gemini|opencode)-[0-9a-f]{8}\b", r"/\1-1", raw)

    def stream(self, raw: str) -> str:
        text = "".join(f"{self._line(line)}\n" for line in raw.splitlines())
        if len(text.encode()) > MAX_FILE_BYTES:
            raise ValueError(f"{len(text.encode())} bytes are too many for a fixture")
        return text

    def _names(self) -> list[tuple[str, str]]:
        names = [(str(self.repo), "/srv/project"), (str(self.home), "/srv/home")]
        # Claude Code turns paths into directory names.
        names += [
            (re.sub(r"[^A-Za-z0-9]", "-", place), name.replace("/", "-")) for place, name in names
        ]
        installed = str(self.program).partition("/node_modules/")[0]
        return [*names, (str(self.program), self.program.name), (installed, "/srv/agents")]

    def _line(self, line: str) -> str:
        try:
            event = json.loads(line)
        except ValueError:
            return self.text(line)
        if isinstance(event, dict):
            event = {key: _trimmed(key, value) for key, value in event.items()}
        return self.text(json.dumps(event, separators=(",", ":"), ensure_ascii=False))


def _trimmed(key: str, value: Any) -> Any:
    if key in _LONG_LISTS and isinstance(value, list):
        return value[:KEPT_ENTRIES]
    return value
