"""Targets of makefiles and scripts of packages that criteria call, before and after."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice, zip_longest

from topkick.inspection.change import File, FileChange
from topkick.inspection.settings.notations import MOST_BYTES
from topkick.inspection.settings.weakenings import shown
from topkick.inspection.tampering.commands import ProgramCall, folder_of, joined, script_of
from topkick.inspection.tampering.recipes import (
    Book,
    Recipe,
    books,
    hides_failure,
    is_dashed,
    is_hollow,
)

Told = tuple[File, int, str, str, str]
_MAKE = ("GNUmakefile", "makefile", "Makefile")
_JUST = ("justfile", "Justfile", ".justfile")
_TASK = ("Taskfile.yml", "Taskfile.yaml")
_PROGRAMS = {"make": _MAKE, "gmake": _MAKE, "just": _JUST, "task": _TASK, "tox": ("tox.ini",)}
_MOST_LINES = 200
_TAKES_VALUE = frozenset({"-C", "-f", "-j", "-o", "-W", "-I", "--directory", "--file", "-e", "-d"})


@dataclass(frozen=True, slots=True)
class _Asked:
    """One call of targets: where their file may be, and their names (none for the default)."""

    folder: str
    files: tuple[str, ...]
    names: tuple[str, ...]


def _asked(call: ProgramCall) -> _Asked | None:
    if script := script_of(call):
        return _Asked(folder_of(call), ("package.json",), (f"pre{script}", script, f"post{script}"))
    files = _PROGRAMS.get(call.program)
    if files is None:
        return None
    names: list[str] = []
    own: tuple[str, ...] = ()
    skip = False
    for place, word in enumerate(call.words[1:], start=1):
        if skip or word.startswith("-") or "=" in word:
            if word in ("-f", "--file") and place + 1 < len(call.words):
                own = (call.words[place + 1],)
            skip = not skip and word in _TAKES_VALUE
        else:
            names.append(word)
    return _Asked(folder_of(call), own or files, tuple(names))


def changed_targets(changes: list[FileChange], used: list[ProgramCall]) -> Iterator[Told]:
    """The file, line, name, sentence and new look of every target that is not what it was."""
    told: set[_Asked] = set()
    for call in used:
        asked = _asked(call)
        if asked is not None and asked not in told:
            told.add(asked)
            yield from _of_call(changes, asked)


def is_unseen(changes: list[FileChange], call: ProgramCall) -> bool:
    """Does it call a target whose file did not change, so that nobody can see what it runs?"""
    asked = _asked(call)
    return asked is not None and not any(_winner(changes, asked, old=o) for o in (True, False))


def recipe_commands(changes: list[FileChange], call: ProgramCall) -> Iterator[str]:
    """The commands that the targets of a call run, as far as their file is known."""
    asked = _asked(call)
    if asked is None:
        return
    for old in (True, False):
        file = _winner(changes, asked, old=old)
        if file is not None:
            book = _book(changes, file, old=old)
            reached = book.reached(_names(asked, book)).values()
            lines = (line for recipe in reached for line in recipe.body.split("\n") if line)
            yield from (line.lstrip("@-+ ") for line in islice(lines, _MOST_LINES))


def _winner(changes: list[FileChange], asked: _Asked, *, old: bool) -> File | None:
    """Of the files that the program would look for, the first that is there."""
    there = {}
    for change in changes:
        file = change.before if old else change.after
        if file is not None and file.is_plain and len(file.data) <= MOST_BYTES:
            there[file.path] = file
    paths = (joined(asked.folder, name) for name in asked.files)
    return next((there[path] for path in paths if path in there), None)


def _book(changes: list[FileChange], file: File, *, old: bool) -> Book:
    """With the makefiles that it may include."""
    text = file.text
    if file.name in _MAKE:
        sides = (change.before if old else change.after for change in changes)
        text += "".join(f"\n{f.text}" for f in sides if f is not None and f.name.endswith(".mk"))
    return _read(file.name, text)


@lru_cache(maxsize=8)
def _read(name: str, text: str) -> Book:
    return (books().get(name) or books()["Makefile"])(text)


def _names(asked: _Asked, book: Book) -> tuple[str, ...]:
    return asked.names or ((book.first,) if book.first else book.always)


def _of_call(changes: list[FileChange], asked: _Asked) -> Iterator[Told]:
    before, after = (_winner(changes, asked, old=old) for old in (True, False))
    if after is None:
        if before is not None:
            yield (
                before,
                1,
                before.path,
                f"{before.path}, which a criterion uses, is gone",
                "nothing",
            )
        return
    new = _book(changes, after, old=False)
    if before is None:
        if after.name in _MAKE[:2]:
            why = f"{after.path} is new and takes precedence over a Makefile"
            yield after, 1, after.path, why, sha256(after.data).hexdigest()[:12]
        yield from _hollow(after, new, asked)
        return
    old = _book(changes, before, old=True)
    if not any(name in old for name in _names(asked, old)):
        yield from _hollow(after, new, asked)
        return
    if not asked.names and old.first != new.first:
        why = f"the default target of {after.path} was `{old.first}` and is `{new.first}`"
        yield after, _line(after, new.first or "."), "default target", why, new.first
        return
    yield from _differences(after, old.reached(_names(asked, old)), new.reached(_names(asked, new)))


def _differences(file: File, old: dict[str, Recipe], new: dict[str, Recipe]) -> Iterator[Told]:
    for name in dict.fromkeys([*old, *new]):
        was, now = old.get(name), new.get(name)
        if was is not None and now is not None and _same(was.body, now.body):
            continue
        line = (now.line if now else 0) or _line(file, name)
        seen = sha256(now.body.encode("utf-8", "replace")).hexdigest()[:12] if now else "nothing"
        yield file, line, name, _sentence(file, name, was, now), seen


def _sentence(file: File, name: str, was: Recipe | None, now: Recipe | None) -> str:
    before, after = _where_they_differ(was.body if was else "", now.body if now else "")
    old = f"was `{shown(before)}`" if was is not None else "was not there"
    new = f"is `{shown(after)}` now" if now is not None else "is gone"
    return f"`{name}` in {file.path}, which a criterion calls, {old} and {new}"


def _where_they_differ(one: str, other: str) -> tuple[str, str]:
    """Of two long bodies, the first lines that are not alike."""
    for old, new in zip_longest(one.split("\n"), other.split("\n"), fillvalue="nothing"):
        if old != new:
            return old, new
    return one, other


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _hollow(file: File, book: Book, asked: _Asked) -> Iterator[Told]:
    """What is new is the work, unless it does nothing or hides that it fails."""
    reached = book.reached(_names(asked, book))
    for name in _names(asked, book):
        recipe = reached.get(name)
        if recipe is None or name.startswith(("pre", "post")):
            continue
        works = [one for one in reached.values() if not is_hollow(one.body)]
        line = recipe.line or _line(file, name)
        seen = sha256(recipe.body.encode("utf-8", "replace")).hexdigest()[:12]
        if not works:
            yield file, line, name, f"`{name}` in {file.path} is new and does nothing", seen
        elif hides_failure(recipe.body) or (file.name in _MAKE and is_dashed(recipe.body)):
            yield file, line, name, f"`{name}` in {file.path} is new and hides that it fails", seen
    shell = book.recipe("SHELL")
    if shell is not None and not shell.body.strip().endswith("sh") and file.name in _MAKE:
        yield file, shell.line, "SHELL", f"{file.path} runs its recipes by {shell.body}", shell.body


def _line(file: File, name: str) -> int:
    for number, line in enumerate(file.text.split("\n"), start=1):
        if line.lstrip().lstrip('"').startswith(name):
            return number
    return 1
