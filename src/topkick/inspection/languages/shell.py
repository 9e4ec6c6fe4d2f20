"""Reads shell scripts by their text: functions that do nothing, tests that return at once, and
conditions on being tested."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from topkick.inspection.inventory import Function, Inventory, Mark
from topkick.inspection.languages.common.conditions import TELLING
from topkick.inspection.languages.common.testfiles import may_not_read_tests
from topkick.inspection.languages.plain import read_plainly

ENDINGS = (".sh", ".bash", ".bats", ".zsh", ".ksh")
BEGIN = re.compile(
    r"[ \t]{0,80}(?:function[ \t]+([\w:.-]{1,200})[ \t]*(?:\(\))?|([\w:.-]{1,200})[ \t]*\([ \t]*\)"
    r"|@test[ \t]+[\"']([^\"'\n]{1,200})[\"'])[ \t]*\{"
)
COMMENT = re.compile(r"(?:^|(?<=[\s;]))#.*")
NOTHING = re.compile(r":|true|(?:return|exit)(?:[ \t]+0)?|echo[ \t]+[\"']?0?[\"']?")
LEAVES = re.compile(r"(?:return|exit)(?:[ \t]+0)?")
SAYS = re.compile(r"(?:echo|printf)\b.*")
UNFINISHED = re.compile(
    r"(?i)not[ _-]*(?:yet[ _-]*)?(?:implemented|done|written|there)|\bto-?do\b|\bfixme\b|\bstub\b"
)
VARIABLE = re.compile(r"\$\{?(\w{1,80})")
ASKS = re.compile(r"(?:^|[\s;(!&|])(?:\[\[?|test|case|if|elif|while|until)[ \t]|\$\{\w+:?[+]")
CLOCK = re.compile(r"\bdate[ \t]+[^|)]{0,40}\+[\"']?%[sYmdFj]|\bEPOCHSECONDS\b|%\(%[sYF]\)T")
NUMBER = re.compile(
    r"-(?:lt|gt|le|ge|eq|ne)[ \t]+[\"']?(?:20\d\d|[12]\d{7,18})\b|[<>=][ \t]*[\"']?20\d\d"
)
HOST = re.compile(
    r"(?:\bhostname\b|\$\{?(?:HOSTNAME|USER|LOGNAME)\b|\bwhoami\b).{0,40}?(?:=|!=|-eq)"
)
TESTS = re.compile(r"-[defrs][ \t]+[\"']?(?:\./|\$\w+/)?tests?(?:/[\w./-]*)?[\"']?(?:[ \t]|\]|$)")
LONGEST_LINE = 1000
MOST_LINES = 50_000
MOST_STATEMENTS = 60


@dataclass(frozen=True, slots=True)
class ShellBody:
    name: str
    line: int
    statements: tuple[str, ...]

    @property
    def is_test(self) -> bool:
        return self.name.startswith("test") or " " in self.name


def is_shell(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def read_shell(path: str, text: str) -> Inventory:
    found = read_plainly(text)
    lines = [line[:LONGEST_LINE] for line in text.split("\n")[:MOST_LINES]]
    bodies = list(_bodies(lines))
    asked = _conditions(lines) if may_not_read_tests(path) else ()
    return replace(
        found,
        functions=tuple(_function(it) for it in bodies if not it.is_test),
        whole_skips=(*found.whole_skips, *_left_at_once(bodies)),
        conditions=tuple(asked),
    )


def _bodies(lines: list[str]) -> Iterator[ShellBody]:
    """A body ends with a bracket where its line begins, or on its own line."""
    name, begin = "", 0
    held: list[str] = []
    for number, line in enumerate(lines, 1):
        found = BEGIN.match(line)
        if found and (not name or not line[:1].isspace()):
            name, begin, held = next(it for it in found.groups() if it), number, []
            rest = line[found.end() :].rstrip()
            is_over = rest.endswith("}")
            held += _statements(rest[:-1] if is_over else rest)
        elif name:
            is_over = line.startswith("}")
            held += [] if is_over or len(held) > MOST_STATEMENTS else _statements(line)
        else:
            continue
        if is_over:
            yield ShellBody(name, begin, tuple(held))
            name = ""


def _statements(line: str) -> list[str]:
    bare = COMMENT.sub("", line)
    return [it for it in (part.strip() for part in bare.split(";")) if it]


def _function(body: ShellBody) -> Function:
    said = [it for it in body.statements if SAYS.fullmatch(it) and not NOTHING.fullmatch(it)]
    rest = [it for it in body.statements if it not in said]
    is_loud = any(UNFINISHED.search(it) for it in said)
    is_stub = (bool(rest) or is_loud or not said) and all(map(NOTHING.fullmatch, rest))
    is_stub = is_stub and (is_loud or not said)
    text = "; ".join(body.statements)[:80] or "empty body"
    return Function(body.name, body.line, text if is_stub else "", is_loud and is_stub)


def _left_at_once(bodies: list[ShellBody]) -> Iterator[Mark]:
    for body in bodies:
        first = next((it for it in body.statements if it not in (":", "true")), "")
        if body.is_test and LEAVES.fullmatch(first):
            yield Mark(body.line, f"{body.name} begins with {first}", first)


def _conditions(lines: list[str]) -> Iterator[Mark]:
    for number, raw in enumerate(lines, 1):
        line = COMMENT.sub("", raw).strip()
        if not ASKS.search(line):
            continue
        if any(TELLING.fullmatch(it) for it in VARIABLE.findall(line)):
            yield Mark(number, line[:160], "environment")
        elif CLOCK.search(line) and NUMBER.search(line):
            yield Mark(number, line[:160], "clock")
        elif HOST.search(line):
            yield Mark(number, line[:160], "host")
        elif TESTS.search(line):
            yield Mark(number, line[:160], "reads-tests")
