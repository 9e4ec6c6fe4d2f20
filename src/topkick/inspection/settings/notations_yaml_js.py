"""Reads settings from YAML by its indentation, and from JavaScript by its literals."""

import re

from topkick.inspection.settings.notations import Setting, Value

_MOST = 20_000
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?")


class _Collector:
    """Values by path; a second value at a path gets a path of its own."""

    def __init__(self) -> None:
        self.values: dict[tuple[str, ...], Value] = {}
        self._times: dict[tuple[str, ...], int] = {}

    def put(self, path: tuple[str, ...], value: Value) -> None:
        if len(self.values) >= _MOST:
            return
        times = self._times[path] = self._times.get(path, 0) + 1
        self.values[path if times == 1 else (*path, f"#{times}")] = value

    def settings(self) -> tuple[Setting, ...]:
        return tuple(Setting(path, value) for path, value in self.values.items())


def read_yaml(text: str) -> tuple[Setting, ...]:
    return _Yaml().read(text)


class _Yaml:
    """One pass over the lines, with a stack of the keys that are open."""

    def __init__(self) -> None:
        self._found = _Collector()
        self._items: dict[tuple[str, ...], list[str]] = {}
        self._stack: list[tuple[int, tuple[str, ...], bool]] = [(-1, (), False)]
        self._numbers: dict[tuple[str, ...], int] = {}
        self._block: tuple[int, tuple[str, ...], list[str]] | None = None

    def read(self, text: str) -> tuple[Setting, ...]:
        for line in text.replace("\r\n", "\n").replace("\t", "  ").split("\n"):
            bare = line.strip()
            indent = len(line) - len(line.lstrip())
            if self._block is not None:
                if not bare or indent > self._block[0]:
                    self._block[2].append(bare)
                    continue
                self._end_block()
            if bare and bare[0] not in "#%" and bare not in ("---", "..."):
                self._line(indent, _no_comment(bare))
        self._end_block()
        for path, items in self._items.items():
            self._found.put(path, tuple(items))
        return self._found.settings()

    def _end_block(self) -> None:
        if self._block is not None:
            _, path, lines = self._block
            self._put(path, "\n".join(lines).strip())
            self._block = None

    def _put(self, path: tuple[str, ...], value: Value) -> None:
        self._found.put(path, value)

    def _line(self, indent: int, bare: str) -> None:
        if bare == "-" or bare.startswith("- "):
            self._item(indent, bare[1:].strip())
            return
        while self._stack[-1][0] >= indent:
            self._stack.pop()
        self._key(indent, bare, self._stack[-1][1])

    def _item(self, indent: int, rest: str) -> None:
        while self._stack[-1][0] > indent or (self._stack[-1][0] == indent and self._stack[-1][2]):
            self._stack.pop()
        parent = self._stack[-1][1]
        key, _ = _key_and_value(rest)
        if key is None and not _BLOCK.fullmatch(rest):
            self._items.setdefault(parent, []).append(_plain(rest))
            return
        number = self._numbers[parent] = self._numbers.get(parent, 0) + 1
        path = (*parent, f"#{number}")
        self._stack.append((indent, path, True))
        if key is None:
            self._block = (indent, path, [])
        else:
            self._key(indent + 1, rest, path)

    def _key(self, indent: int, bare: str, parent: tuple[str, ...]) -> None:
        key, value = _key_and_value(bare)
        if key is None:
            return
        path = (*parent, key)
        self._stack.append((indent, path, False))
        if _BLOCK.fullmatch(value):
            self._block = (indent, path, [])
        elif value.startswith("[") and value.endswith("]"):
            items = (_plain(item.strip()) for item in value[1:-1].split(","))
            self._put(path, tuple(item for item in items if item))
        elif value:
            self._put(path, _plain(value))


def _key_and_value(bare: str) -> tuple[str | None, str]:
    if bare[:1] in ('"', "'"):
        end = bare.find(bare[0], 1)
        if end > 0 and bare[end + 1 : end + 2] == ":":
            return bare[1:end], bare[end + 2 :].strip()
        return None, ""
    place = bare.find(": ")
    if place < 0:
        place = len(bare) - 1 if bare.endswith(":") else -1
    if place <= 0:
        return None, ""
    return bare[:place].strip(), bare[place + 1 :].strip()


def _no_comment(bare: str) -> str:
    if bare[:1] in ('"', "'") or '"' in bare or "'" in bare:
        return bare
    return bare.partition(" #")[0].strip()


def _plain(text: str) -> str:
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    return text


_CODE = re.compile(
    r"""(?P<blank>\s+)
    |(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    |(?P<name>[\w$][\w$.]*|\.\.\.)
    |(?P<open>[{(\[])
    |(?P<close>[})\]])
    |(?P<regex>/(?![*/])(?:[^/\\\n]|\\.)+/[a-z]*)
    |(?P<mark>=>|\\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_PRESETS = re.compile(r"(?<![\w$])[\w$]{1,60}\.configs(?:\.[\w-]+|\[[\"'][^\"'\]\n]{1,80}[\"']\])+")


def read_code(text: str) -> tuple[Setting, ...]:
    """Every `key: value` in it; what is no literal is kept as its text."""
    reader = _Code()
    for match in _CODE.finditer(text):
        if match.lastgroup not in ("blank", "comment"):
            reader.token(match.lastgroup or "", match.group())
    presets = tuple(dict.fromkeys(_PRESETS.findall(text)))
    found = reader.found.settings()
    return (*found, Setting(("extends",), presets)) if presets else found


class _Code:
    """Keeps the open brackets; each knows the path to it and what was seen of its value."""

    def __init__(self) -> None:
        self.found = _Collector()
        self._frames: list[tuple[str, tuple[str, ...]]] = []
        self._path: tuple[str, ...] = ()
        self._key: str | None = None
        self._last: tuple[str, str] = ("", "")
        self._value: list[str] = []
        self._items: list[list[str]] = []

    def token(self, kind: str, text: str) -> None:
        if kind == "open":
            self._open(text)
        elif kind == "close":
            self._close()
        elif text == ":" and self._in("{") and self._key is None:
            self._key = _plain(self._last[1]) if self._last[0] in ("name", "string") else None
            self._value = []
        elif text in (",", ";"):
            self._end_value()
        else:
            if self._key is not None:
                self._value.append(text)
            if self._in("[") and self._items:
                self._items[-1].append(_plain(text.strip("`") if text[0] == "`" else text))
            self._last = (kind, text)

    def _in(self, bracket: str) -> bool:
        return bool(self._frames) and self._frames[-1][0] == bracket

    def _open(self, text: str) -> None:
        path = self._path
        if self._key is not None and not self._value and text != "(":
            path = (*path, self._key)[:40]
            self._key = None
        self._frames.append((text, self._path))
        self._path = path
        self._items.append([])
        if self._key is not None:
            self._value.append(text)
        self._last = ("", "")

    def _close(self) -> None:
        self._end_value()
        if not self._frames:
            return
        bracket, outer = self._frames.pop()
        items = self._items.pop()
        if bracket == "[" and self._path != outer:
            self.found.put(self._path, tuple(item for item in items if item != "..."))
        self._path = outer
        self._last = ("", "")

    def _end_value(self) -> None:
        if self._key is not None and self._value:
            text = " ".join(self._value)
            self.found.put((*self._path, self._key), _plain(text))
        self._key, self._value, self._last = None, [], ("", "")
