"""Files that decide which tool a criterion gets, and which tests git gets to see."""

import re
from collections.abc import Callable, Iterator
from hashlib import sha256

from topkick.inspection.change import File, FileChange
from topkick.inspection.settings.notations import MOST_BYTES, line_of, read_ini, read_toml
from topkick.inspection.settings.weakenings import shown
from topkick.inspection.tampering.commands import ProgramCall

Told = tuple[File, int, str, str, str]
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*|pytest|py\.test|tox|nox|coverage|mypy|ruff|uv|poetry")
_NODE = re.compile(r"node|npm|npx|pnpm|yarn|jest|vitest|mocha|tsc|eslint|corepack")
_RUST = re.compile(r"cargo|rustc|clippy-driver|rustup")
_PINS = (
    (".python-version", _PYTHON),
    ("runtime.txt", _PYTHON),
    (".nvmrc", _NODE),
    (".node-version", _NODE),
    ("rust-toolchain", _RUST),
    ("rust-toolchain.toml", _RUST),
    (".swift-version", re.compile(r"swift|xcodebuild")),
    (".go-version", re.compile(r"go")),
    (".ruby-version", re.compile(r"ruby|rspec|rake|bundle|rails")),
    (".tool-versions", re.compile(r".*")),
    ("mise.toml", re.compile(r".*")),
    ("noxfile.py", re.compile(r"nox")),
)
_CARGO_KEYS = frozenset({"runner", "rustc-wrapper", "rustc-workspace-wrapper", "rustc", "rustdoc"})
_NPM_KEYS = frozenset({"script-shell", "node-options", "ignore-scripts", "shell", "prefix"})
_REPLACED = re.compile(
    r"(?:replace\s+)?(\S*(?:testify|gomega|ginkgo|go-cmp|gotest\.tools|gomock|mock)\S*)[^\n]*=>\s*(\S+)"
)
_TOOLCHAIN = re.compile(r"toolchain\s+(\S+)")
_TESTS = re.compile(
    r"(?:tests?|__tests__|specs?|e2e|conftest\.py)"
    r"(?:/(?!(?:out|output|outputs|tmp|temp|results?|artifacts|__pycache__|logs?|reports?|data"
    r"|screenshots|__snapshots__|coverage|\.[^/]*)(?:/|$)|\*\.(?:log|tmp|out|pyc)$).*)?"
    r"|(?:.*/)?(?:test_[^/]*\.(?:py|\*)|[^/]*_test\.\w+|[^/]*\.(?:test|spec)\.[\w*]+|test_\*|conftest\.py)"
    r"|(?:src|lib|app)/.*tests?(?:/.*)?"
)


def tool_changes(changes: list[FileChange], used: list[ProgramCall]) -> Iterator[Told]:
    for change in changes:
        before, after = change.before, change.after
        if before is not None and after is not None and before.data == after.data:
            continue
        name = change.path.rpartition("/")[2]
        yield from _pins(change, name, used)
        if after is None or not after.is_plain or len(after.data) > MOST_BYTES:
            continue
        if name == ".gitignore":
            yield from _hidden(before, after)
        elif name == ".gitattributes":
            yield from _attributes(before, after)
        for matches, reader in _readers(used):
            if matches(after.path):
                yield from _newly(before, after, reader)


def _readers(
    used: list[ProgramCall],
) -> Iterator[tuple[Callable[[str], bool], Callable[[str], list[str]]]]:
    programs = {call.program for call in used}
    if any(_RUST.fullmatch(program) for program in programs):
        yield (lambda path: path.endswith((".cargo/config.toml", ".cargo/config"))), _cargo
    if any(_NODE.fullmatch(program) for program in programs):
        yield (lambda path: path.rpartition("/")[2] in (".npmrc", ".yarnrc", ".yarnrc.yml")), _npm
    if "go" in programs:
        yield (lambda path: path.rpartition("/")[2] in ("go.mod", "go.work")), _go


def _pins(change: FileChange, name: str, used: list[ProgramCall]) -> Iterator[Told]:
    before, after = change.before, change.after
    if before is None:
        return
    for pin, programs in _PINS:
        if name == pin and any(programs.fullmatch(call.program) for call in used):
            now = shown(after.text.strip()) if after else "gone"
            why = f"{before.path} was {shown(before.text.strip())} and is {now}"
            if name == "noxfile.py":
                how = "changed" if after else "deleted"
                why = f"{before.path}, which a criterion runs, was {how}"
            seen = sha256(after.data).hexdigest()[:12] if after else "nothing"
            yield after or before, 1, before.path, why, seen


def _newly(before: File | None, after: File, read: Callable[[str], list[str]]) -> Iterator[Told]:
    known = set(read(before.text)) if before is not None else set()
    for line in read(after.text):
        if line not in known:
            key = line.partition(" = ")[0]
            why = f"{after.path} now says {shown(line)}, which changes what a criterion runs"
            yield after, line_of(after.text, (key.rpartition(".")[2],)) or 1, key, why, line[:200]


def _cargo(text: str) -> list[str]:
    found = []
    for setting in read_toml(text) or ():
        path = setting.path
        value = " ".join(setting.value) if isinstance(setting.value, tuple) else setting.value
        quiet = path[-1] == "rustflags" and re.search(r"(?:^| )(?:-A|--cap-lints|--cfg)", value)
        if path[-1] in _CARGO_KEYS or path[0] in ("alias", "env") or quiet:
            found.append(f"{'.'.join(path)} = {value}")
    return found


def _npm(text: str) -> list[str]:
    settings = read_ini(text)
    return [f"{s.path[-1]} = {shown(s.value)}" for s in settings if s.path[-1] in _NPM_KEYS]


def _go(text: str) -> list[str]:
    found = []
    for line in text.split("\n"):
        bare = line.strip()[:1000]
        if match := _REPLACED.match(bare):
            found.append(f"{match[1]} = {match[2]}")
        elif match := _TOOLCHAIN.match(bare):
            found.append(f"toolchain = {match[1]}")
    return found


def _lines(file: File | None) -> list[str]:
    lines = file.text.split("\n") if file is not None else []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _hidden(before: File | None, after: File) -> Iterator[Told]:
    known = set(_lines(before))
    for pattern in _lines(after):
        bare = pattern.lstrip("/").removeprefix("**/").rstrip("/")[:400]
        if pattern not in known and not pattern.startswith("!") and _TESTS.fullmatch(bare):
            why = f"{after.path} now ignores {shown(pattern)}, which hides tests"
            line = (
                after.text.split("\n").index(pattern) + 1
                if pattern in after.text.split("\n")
                else 1
            )
            yield after, line, pattern, why, pattern[:200]


def _attributes(before: File | None, after: File) -> Iterator[Told]:
    known = set(_lines(before))
    for line in _lines(after):
        pattern, *marks = line.split()
        hides = _TESTS.fullmatch(pattern.lstrip("/").removeprefix("**/")[:400])
        filters = any(mark.startswith("filter=") and mark != "filter=lfs" for mark in marks)
        if line not in known and (filters or (hides and {"-diff", "binary"} & set(marks))):
            why = f"{after.path} now says {shown(line)}, which changes what is seen of files"
            yield after, 1, pattern, why, line[:200]
