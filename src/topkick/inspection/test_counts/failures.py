"""What a failing command's output names: tests, files, and a mark that is the same each time."""

import hashlib
import re
from collections.abc import Iterator
from itertools import islice

MOST_NAMES = 200
MOST_CHARS = 1 << 20
_MOST_LINES = 100_000
_LONGEST_LINE = 2_000
_LONGEST_NAME = 300
_MARKED_LINES = 40

_COLOUR = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_WORTH_READING = re.compile(
    r"FAIL|ERROR|[Ee]rror|not ok|failed|Failed|FAILED|[●×✕✖✘✗]|--> |^---- |^ +\d+\) |\.go:|^rspec "  # noqa: RUF001
)
_SOURCE = r"(?:[A-Za-z]:)?[\w./@+\\-]+\.[A-Za-z]\w{0,9}"
_NAMING = tuple(
    re.compile(pattern)
    for pattern in (
        # pytest: its summary, then what -v prints (all there is when it was ended early)
        r"(?:FAILED|ERROR) (?P<name>[^\s:]+(?:\.py(?=$| - )|::.+?))(?: - .*)?$",
        r"(?P<name>[^\s:]+::.+?) (?:FAILED|ERROR)\s*(?:\[ *\d+%\])?$",
        # go, then cargo nextest, vitest and jest
        r"\s*--- FAIL: (?P<name>\S+)",
        r"FAIL\t(?P<name>\S+)",
        r"\s*(?:FAIL|TIMEOUT|SIG[A-Z]+) \[ *[\d.]+s\](?: \([ \d/]+\))? +(?P<name>\S.*)$",
        r"\s*FAIL {1,2}(?:\|[^|]*\| )?(?P<name>[^\s:]+\.\w+(?: > .*)?)"
        r"(?: \[.*\])?(?: \([^()]*\))?$",
        r"\s*● (?!Console|Test suite failed|Validation|Deprecation|Cannot log)(?P<name>\S.*)$",
        # cargo
        r"test (?P<name>\S.*?)(?: - should panic)? \.\.\. FAILED$",
        r"---- (?P<name>\S.*?) std(?:out|err) ----$",
        # XCTest, swift-testing
        r".*?Test Case '(?:-\[)?(?P<name>[^'\]]+)\]?' failed",
        r"\S\s+(?:Test|Suite) (?!run with )(?P<name>\S.*?) (?:failed after|recorded an issue)",
        # TAP
        r"\s*not ok \d+(?: -)? (?P<name>(?:[^#\\]|\\.|#(?! ?(?:TODO|SKIP)))+)$",
        # gradle, surefire, googletest, ctest, dotnet, rspec
        r"(?P<name>\S+ > \S.*) FAILED$",
        r"\[ERROR\] +(?P<name>[A-Za-z_][\w.$]*(?:Test|IT|Tests|Spec)\w*\.\w+)(?:[:(\[ ]|$)",
        r"\[  FAILED  \] (?P<name>[\w/]+\.[\w/]+)",
        r"\s*\d+/\d+ Test +#\d+: (?P<name>\S+) \.*\*\*\*",
        r" {2}Failed (?P<name>[\w.]+(?:\(.*\))?) \[.*\]$",
        r"rspec (?P<name>\./\S+?)(?:[:\[].*)? #",
        # what marks alone tell: node --test, jest, vitest
        r"\s*[×✕✖✘✗] (?!\d+ problems?\b|failing tests:|Test run with |.* # (?:TODO|SKIP))"  # noqa: RUF001
        r"(?P<name>\S.*)$",
        # compilers: the file
        rf"(?:\[ERROR\] )?(?P<name>{_SOURCE}):\[?\d+(?:[:,]\d+\]?)?:? (?:fatal |- )?error\b",
        rf"(?P<name>{_SOURCE})\(\d+(?:,\d+)*\): error\b",
        rf"\[ERROR\] (?P<name>{_SOURCE}):\[\d+,\d+\]",
        r"(?:vet: )?(?P<name>[\w./@+-]+\.go):\d+:\d+: ",
    )
)
_UNITTEST = re.compile(r"(?:FAIL|ERROR): (\w+) \(([\w.<>]+)\)")
_LOADING = "unittest.loader._FailedTest"
_RUST_HEAD = re.compile(r"(error|warning)(?:\[\w+\])?: ")
_RUST_PLACE = re.compile(r"\s*--> ([^\s:]+):\d+:\d+$")
_MOCHA = re.compile(r"^ *\d+ failing\b", re.MULTILINE)
_MOCHA_NAME = re.compile(r" +\d+\) (\S.*?):?$")
_NOISE = re.compile(
    r"\s*\(line \d+\)|(?:\s+\(?[\d.]+ ?(?:ms|s|µs|ns|sec|seconds?)\)?)+$|\s*\(retry x\d+\)"
    r"|(?::\d+){1,2}$"
)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

_MENTIONED = re.compile(
    r'File "(?P<quoted>[^"\n]{1,400})", line \d'
    r"|(?<![\w./@+-])(?P<plain>[\w./@+-]{1,400}\.[A-Za-z]\w{0,9})(?::\d|\(\d+,\d|::\w|:\[\d)"
)
_ONLY_PATH = re.compile(r"[\w./@+-]+\.[A-Za-z]\w{0,9}")
_NOT_OURS = re.compile(
    r"(?:^|/)(?:node_modules|site-packages|dist-packages|\.venv|venv|\.cargo|\.\.)/|^/|^<|^[a-z]+://"
)

_TEMPORARY = re.compile(r"(?:/private)?(?:/var/folders|/var/tmp|/tmp|/dev/shm)/[^\s:'\")\]]*")
_DURATION = re.compile(r"\d+(?:[.:]\d+)*\s?(?:ms|[µn]s|s|secs?|seconds?|min|m|h)\b")
_HEX = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_RULER = re.compile(r"([=_.*~-])\1+")


def failing_tests(output: str, root: str = "") -> tuple[str, ...]:
    """The tests, packages or uncompilable files it names as failing, in order, once each.

    The same failure has the same name in every run; `root`, where the command ran, is cut off.
    """
    return _first(_names(_lines(output, root)))


def named_files(output: str, root: str = "") -> tuple[str, ...]:
    """The project's files that errors and tracebacks in it point at, in order, once each."""
    return _first(_files(_lines(output, root)))


def mark(output: str, root: str = "") -> str:
    """A short hash of how it ended, blind to order, numbers, times and temporary paths."""
    lines = (line for line in reversed(_lines(output, root)) if line.strip())
    last = [_normal(line) for line in islice(lines, _MARKED_LINES)]
    return hashlib.sha256("\n".join(sorted(last)).encode("utf-8", "replace")).hexdigest()[:12]


def _lines(output: str, root: str) -> list[str]:
    text = _COLOUR.sub("", output[-MOST_CHARS:]).replace("\r\n", "\n").replace("file:///", "/")
    if root.strip("/"):
        text = text.replace(root.rstrip("/") + "/", "")
    lines = text.split("\n")[-_MOST_LINES:]
    return [line.rpartition("\r")[2][:_LONGEST_LINE] for line in lines]


def _first(names: Iterator[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name in names:
        found.setdefault(name)
        if len(found) == MOST_NAMES:
            break
    return tuple(found)


def _names(lines: list[str]) -> Iterator[str]:
    by_mocha = any(_MOCHA.match(line) for line in lines)
    is_error = False
    seen: set[str] = set()  # a flood of one line is read once
    for line in lines:
        if head := _RUST_HEAD.match(line):
            is_error = head[1] == "error"
        if not _WORTH_READING.search(line):
            continue
        if place := _RUST_PLACE.match(line):
            if is_error:
                yield _stable(place[1])
            is_error = False
        elif by_mocha and (numbered := _MOCHA_NAME.match(line)):
            yield _stable(numbered[1])
        elif (test := _UNITTEST.match(line)) is not None:
            yield _unittest_name(test[1], test[2])
        elif line not in seen:
            seen.add(line)
            yield from _named_by(line)


def _named_by(line: str) -> Iterator[str]:
    for pattern in _NAMING:
        if match := pattern.match(line):
            if name := _stable(match["name"]):
                yield name
            return


def _unittest_name(method: str, owner: str) -> str:
    if owner.startswith(_LOADING):
        return method
    return owner if owner.endswith(f".{method}") else f"{owner}.{method}"


def _stable(name: str) -> str:
    name = _NOISE.sub("", name[:_LONGEST_NAME]).replace("\\#", "#")
    return _ADDRESS.sub("0x", name).strip().removeprefix("./")


def _files(lines: list[str]) -> Iterator[str]:
    return (path for path in _mentions(lines) if not _NOT_OURS.search(path))


def _mentions(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if "arning" not in line:
            for match in _MENTIONED.finditer(line):
                yield (match["quoted"] or match["plain"]).removeprefix("./")
    yield from (name for name in _names(lines) if _ONLY_PATH.fullmatch(name))


def _normal(line: str) -> str:
    line = _TEMPORARY.sub("T", line)
    line = _DURATION.sub("D", _HEX.sub("H", line))
    return " ".join(_RULER.sub(r"\1", _NUMBER.sub("N", line)).split())
