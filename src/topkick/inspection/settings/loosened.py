"""Settings of linters, type checkers, coverage and test runners that were made weaker (VF-03).

Compared tool by tool and not file by file, so that settings may move from one file to another.
Files that did not change may be among the changes: they tell what a new file takes precedence of.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import File, FileChange
from topkick.inspection.settings.directions import Direction, direction
from topkick.inspection.settings.notations import Setting, Value, line_of
from topkick.inspection.settings.sources import held, is_settings, precedence
from topkick.inspection.settings.weakenings import Pair, seen, shown, weakening

_MOST_FINDINGS = 40
_TIGHTENING = (Direction.HIGHER, Direction.STRICT, Direction.INCLUDES, Direction.SEVERITY)
_HIDES_TESTS = ("norecursedirs", "testPathIgnorePatterns", "collect_ignore", "addopts", "deselect")
_RUFF_DEFAULT = ("E4", "E7", "E9", "F")
_ELSEWHERE = ("file:", "link:", "git", "http", "npm:", "portal:", "./", "../", "/", "github:")


@dataclass(slots=True)
class _Side:
    """A tool's settings before or after, and the files that they are from."""

    values: dict[tuple[str, ...], Value] = field(default_factory=dict)
    files: dict[tuple[str, ...], File] = field(default_factory=dict)
    held_by: list[File] = field(default_factory=list)
    rank: int = 99


@dataclass(slots=True)
class _Tool:
    name: str
    before: _Side = field(default_factory=_Side)
    after: _Side = field(default_factory=_Side)


def loosened(changes: Sequence[FileChange]) -> tuple[Finding, ...]:
    """What was made weaker or is newly weak."""
    found: list[Finding] = []
    tools: dict[tuple[str, str, str], _Tool] = {}
    for change in changes:
        files = [file for file in (change.before, change.after) if file is not None]
        if any(is_settings(file.name) for file in files):
            found += _of_file(change, tools)
    for tool in tools.values():
        found += _of_tool(tool)
    return tuple(dict.fromkeys(found))


def _of_file(change: FileChange, tools: dict[tuple[str, str, str], _Tool]) -> Iterator[Finding]:
    before, after = change.before, change.after
    old = held(before) if before and is_settings(before.name) else ()
    new = held(after) if after and is_settings(after.name) else ()
    if after and new is None and (before is None or before.data != after.data):
        yield _unreadable(before, after)
        return
    where = change.path.rpartition("/")[0]
    for file, parts, is_after in ((before, old, False), (after, new, True)):
        for part in parts or ():
            assert file is not None
            own = change.path if part.tool == "typescript" else ""
            tool = tools.setdefault((where, part.tool, own), _Tool(part.tool))
            side = tool.after if is_after else tool.before
            _take(side, file, part.settings, precedence(part.tool, file.name))
    if before is None and after is not None and new and not any(p.settings for p in new):
        yield _empty(after)


def _take(side: _Side, file: File, settings: tuple[Setting, ...], rank: int) -> None:
    """Where files do not add up, the one that wins is the one that counts."""
    if rank > side.rank:
        return
    if rank and rank < side.rank:
        side.values, side.files, side.held_by, side.rank = {}, {}, [], rank
    side.held_by.append(file)
    for setting in settings:
        side.values[setting.path] = setting.value
        side.files[setting.path] = file


def _unreadable(before: File | None, after: File) -> Finding:
    state = "is a link now" if not after.is_plain else "cannot be read any more"
    if before is None:
        state = "is new and cannot be read"
    return _finding(f"{after.path} {state}", after.path, 1, after.name, _digest(after.data))


def _empty(file: File) -> Finding:
    what = f"{file.path} is new and empty, and takes precedence over settings elsewhere"
    return _finding(what, file.path, 1, file.name, _digest(file.data))


def _of_tool(tool: _Tool) -> Iterator[Finding]:
    if tool.name == "packages":
        yield from _packages(tool)
        return
    if tool.before.values and not tool.after.values:
        yield from _gone(tool)
        return
    is_new = not tool.before.held_by
    tightens = is_new and _tightens(tool)
    paths = list(dict.fromkeys([*tool.before.values, *tool.after.values]))
    count = 0
    for path in paths:
        if count >= _MOST_FINDINGS:
            return
        if tightens and _may_come_along(tool, path):
            continue
        for finding in _of_path(tool, path, is_new=is_new):
            count += 1
            yield finding


def _tightens(tool: _Tool) -> bool:
    """A new section that asks for something may also leave something out."""
    return any(direction(tool.name, path) in _TIGHTENING for path in tool.after.values)


def _may_come_along(tool: _Tool, path: tuple[str, ...]) -> bool:
    leaves_out = direction(tool.name, path) in (Direction.EXCLUDES, Direction.SEVERITY)
    return leaves_out and not any(key in _HIDES_TESTS for key in path)


def _of_path(tool: _Tool, path: tuple[str, ...], *, is_new: bool) -> Iterator[Finding]:
    before, after = tool.before.values.get(path), tool.after.values.get(path)
    if is_new and tool.name == "ruff" and path == ("select",):
        before = _RUFF_DEFAULT
    if before == after:
        return
    way = direction(tool.name, path)
    if way is Direction.STRICT and after is None and _strict_as_a_whole(tool, path):
        return
    what = weakening(way, Pair(path, before, after, is_new=is_new))
    if not what:
        return
    file = tool.after.files.get(path) or tool.before.files[path]
    yield _finding(
        f"{tool.name} {what}",
        file.path,
        line_of(file.text, path),
        _subject(tool, path),
        seen(after),
    )


def _strict_as_a_whole(tool: _Tool, path: tuple[str, ...]) -> bool:
    return path[-1] != "strict" and tool.after.values.get((*path[:-1], "strict")) == "true"


def _gone(tool: _Tool) -> Iterator[Finding]:
    """A file or section went away as a whole: one finding, if it asked for anything."""
    asked = [path for path in tool.before.values if _asks(tool, path)]
    if not asked:
        return
    file = tool.before.files[asked[0]]
    some = ", ".join(f"{_name(path)} = {shown(tool.before.values[path])}" for path in asked[:3])
    how = f"hidden by {tool.after.held_by[0].path}" if tool.after.held_by else "removed"
    what = f"the settings of {tool.name} in {file.path} were {how}: {some}"
    yield _finding(what, file.path, line_of(file.text, asked[0]), tool.name, "nothing")


def _asks(tool: _Tool, path: tuple[str, ...]) -> bool:
    way = direction(tool.name, path)
    if way is Direction.OPTIONS:
        return "--strict" in str(tool.before.values[path]) or "--cov" in str(
            tool.before.values[path]
        )
    pair = Pair(path, tool.before.values[path], None)
    return way in (*_TIGHTENING, Direction.LOWER) and weakening(way, pair) != ""


def _packages(tool: _Tool) -> Iterator[Finding]:
    """A test tool that comes from elsewhere than the registry now."""
    for path, after in tool.after.values.items():
        before = tool.before.values.get(path)
        if not isinstance(after, str) or before == after or not after.startswith(_ELSEWHERE):
            continue
        file = tool.after.files[path]
        was = f"was {shown(before)}" if before else "is new"
        what = f"the dependency {path[-1]} {was} and comes from {shown(after)} now"
        yield _finding(what, file.path, line_of(file.text, path), path[-1], seen(after))


def _name(path: tuple[str, ...]) -> str:
    return ".".join(path)


def _subject(tool: _Tool, path: tuple[str, ...]) -> str:
    return f"{tool.name}.{_name(path)}"


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:12]


def _finding(what: str, file: str, line: int, subject: str, now: str) -> Finding:
    kind = FindingKind.SETTING_LOOSENED
    return Finding(kind, what, file=file, line=line, subject=subject, seen=now)
