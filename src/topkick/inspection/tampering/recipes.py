"""What `make test`, `npm test`, `just check` and `tox` would do, target by target."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from topkick.inspection.settings.notations import Setting, read_ini
from topkick.inspection.settings.notations_yaml_js import read_yaml
from topkick.inspection.tampering.commands import calls, script_of

_MOST = 400
_MOST_TARGETS = 20
_RULE = re.compile(r"([^\s:#=][^:=#]{0,400}?)\s*::?(?!=)\s*([^#]*)")
_VARIABLE = re.compile(r"(?:export\s+|override\s+)?([\w.-]+)\s*(?:[:?+!]|::)?=\s*(.*)")
_USE = re.compile(r"\$[({]([\w.-]+)[)}]")
_SPECIAL = (
    "SHELL",
    ".SHELLFLAGS",
    "MAKEFLAGS",
    ".IGNORE",
    ".ONESHELL",
    ".POSIX",
    "include",
    "PATH",
)
_PLACEHOLDER = re.compile(r".*no test specified.*exit 1.*", re.DOTALL)
_NEUTRAL = re.compile(
    r"\|\|\s*(?:true|:|exit 0|/bin/true|echo\b[^|&;]*)\s*(?:[;)\n]|$)"
    r"|;\s*(?:true|exit 0|:)\s*(?:$|\n)"
    r"|\bset \+e\b|\|\s*(?:cat|tee\b[^|;&]*|true)\s*$"
)
_IDLE = re.compile(
    r"(?:@|-)*\s*(?:exit(?: 0|\(0?\))?|true|/bin/true|:|return(?: 0)?|set [-+]\w+(?: pipefail)?"
    r"|pass"
    r"|echo(?: .*)?|printf .*|sys\.exit\(0?\)|print\(.*\)|import sys|process\.exit\(0?\)"
    r"|console\.log\(.*\);?|cd [\w./-]+|os\._exit\(0\)|raise SystemExit(?:\(0?\))?|[{}]"
    r"|if __name__ == .__main__.:|def main\(\).*:|main\(\)|@?echo|\(?exit 0\)?);?"
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is done for one name; `needs` are the names that it leads to."""

    body: str
    needs: tuple[str, ...]
    line: int


@dataclass(slots=True)
class _Draft:
    line: int
    body: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Book:
    """The recipes of one file. `always` count for every one of them."""

    always: tuple[str, ...] = ()
    first: str = ""
    _drafts: dict[str, _Draft] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self._drafts

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._drafts)

    def put(self, name: str, body: str, needs: Iterable[str], line: int) -> None:
        draft = self._drafts.setdefault(name, _Draft(line))
        if body:
            draft.body.append(body)
        draft.needs += needs

    def recipe(self, name: str) -> Recipe | None:
        draft = self._drafts.get(name)
        if draft is None:
            return None
        return Recipe("\n".join(draft.body), tuple(draft.needs), draft.line)

    def reached(self, names: tuple[str, ...]) -> dict[str, Recipe]:
        """All that calling these names would use."""
        found: dict[str, Recipe] = {}
        waiting = deque([*names, *self.always])
        while waiting and len(found) < _MOST:
            name = waiting.popleft()
            recipe = None if name in found else self.recipe(name)
            if recipe is not None:
                found[name] = recipe
                waiting += recipe.needs
        return found


def make_book(text: str) -> Book:
    book = Book()
    targets: list[str] = []
    for number, line in enumerate(_joined_lines(text), start=1):
        if line.startswith("\t") or (targets and line.startswith("  ")):
            for target in targets:
                book.put(target, line.strip(), _USE.findall(line), number)
            continue
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        targets = _make_line(book, bare, number)
    book.always = tuple(name for name in _SPECIAL if name in book)
    book.first = _goal(book)
    return book


def _joined_lines(text: str) -> Iterator[str]:
    """Lines that end in a backslash go on; empty ones stand in, so that numbers stay right."""
    kept: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.endswith("\\") and len(kept) < _MOST:
            kept.append(line[:-1])
        elif kept:
            yield " ".join([*kept, line.strip()])
            yield from [""] * len(kept)
            kept = []
        else:
            yield line
    yield " ".join(kept)


def _make_line(book: Book, bare: str, number: int) -> list[str]:
    """Takes a line of a makefile that is no recipe; the targets it opens."""
    word = bare.split(None, 1)[0]
    if word in ("include", "-include", "sinclude"):
        book.put("include", bare, (), number)
        return []
    if match := _VARIABLE.fullmatch(bare):
        book.put(match[1], match[2].strip(), _USE.findall(match[2]), number)
        return []
    match = _RULE.match(bare)
    if match is None:
        return []
    targets = [target for target in match[1].split() if target != ".PHONY"][:_MOST_TARGETS]
    needs, _, inline = match[2].partition(";")
    body = f"needs {needs.strip()}" if needs.strip() else ""
    body += f"\n{inline.strip()}" if inline else ""
    for target in targets:
        used = (*needs.replace("|", " ").split(), *_USE.findall(match[2]))
        book.put(target, body, used, number)
    return targets


def _goal(book: Book) -> str:
    named = book.recipe(".DEFAULT_GOAL")
    if named is not None:
        return named.body
    plain = (name for name in book.names if name[0] != "." and not name.isupper())
    return next((name for name in plain if name not in _SPECIAL), "")


def just_book(text: str) -> Book:
    """A justfile is near enough to a makefile; parameters stand before the colon."""
    lines = []
    for line in text.split("\n"):
        head, colon, rest = line.partition(":")
        is_head = colon and line[:1].strip() and not rest.startswith("=")
        lines.append(f"{head.split()[0].lstrip('@')}:{rest}" if is_head and head.split() else line)
    return make_book("\n".join(lines).replace("\n    ", "\n\t"))


def task_book(text: str) -> Book:
    book = Book()
    for setting in read_yaml(text):
        if len(setting.path) > 2 and setting.path[0] == "tasks":
            name = setting.path[1]
            words = setting.value if isinstance(setting.value, tuple) else (setting.value,)
            is_link = "deps" in setting.path or setting.path[-1] == "task"
            if setting.path[2] not in ("desc", "summary"):
                book.put(name, "\n".join(words), words if is_link else (), 0)
    return book


def npm_book(text: str) -> Book:
    book = Book()
    try:
        package = json.loads(text)
    except (ValueError, RecursionError):
        return book
    scripts = package.get("scripts") if isinstance(package, dict) else None
    for name, body in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(body, str) and not _PLACEHOLDER.fullmatch(body[:2000]):
            book.put(name, body, (f"pre{name}", f"post{name}", *_called_scripts(body)), 0)
    return book


def _called_scripts(body: str) -> Iterator[str]:
    for call in calls(body):
        if script := script_of(call):
            yield script
        if call.program in ("run-s", "run-p", "npm-run-all", "concurrently", "turbo", "wireit"):
            yield from (word.removeprefix("npm:") for word in call.words[1:])


def tox_book(text: str) -> Book:
    book = Book()
    settings: tuple[Setting, ...] = read_ini(text)
    for setting in settings:
        section, key = setting.path[0], setting.path[-1]
        if section.startswith("testenv") and key.startswith(("commands", "allowlist", "ignore_")):
            book.put(section, f"{key} = {setting.value}", (), 0)
    book.always = book.names
    return book


def books() -> dict[str, Callable[[str], Book]]:
    """By the name of the file, in the order in which a program looks for them."""
    return {
        "GNUmakefile": make_book,
        "makefile": make_book,
        "Makefile": make_book,
        "justfile": just_book,
        "Justfile": just_book,
        ".justfile": just_book,
        "Taskfile.yml": task_book,
        "Taskfile.yaml": task_book,
        "package.json": npm_book,
        "tox.ini": tox_book,
    }


def is_hollow(text: str) -> bool:
    """Does a script or recipe do nothing that could fail?"""
    lines = [line.strip() for line in re.split(r"\n|&&|;", text)]
    lines = [line for line in lines if line and not line.startswith(("#", "//", "needs "))]
    return all(len(line) < 500 and _IDLE.fullmatch(line) for line in lines)


def hides_failure(body: str) -> bool:
    """Does it hide the exit code of what it calls?"""
    return any(_NEUTRAL.search(line[:4000]) for line in body.split("\n"))


def is_dashed(body: str) -> bool:
    """Make goes on after a line that starts with a dash."""
    return any(line.lstrip("@ ").startswith("-") for line in body.split("\n"))
