"""Says whether one setting became weaker, in a sentence with its before and after."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256

from topkick.inspection.settings.directions import Direction, flag, listed, normal, number, rank
from topkick.inspection.settings.notations import Value
from topkick.text.escape import short

_BUILT = frozenset(
    {"node_modules", "dist", "build", "out", "coverage", ".venv", "venv", "__pycache__", ".git"}
    | {"target", ".next", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".eggs"}
    | {".turbo", ".cache", "*.egg-info", ".idea", ".vscode", "*.d.ts", "htmlcov", ".worktrees"}
    | {
        "site-packages",
        ".direnv",
        "public",
        ".output",
        ".svelte-kit",
        ".nuxt",
        "DerivedData",
        ".build",
    }
)
_HARMLESS_LINES = frozenset({"pragma: no cover", "if TYPE_CHECKING:", "if __name__ == .__main__.:"})
_NARROWING = frozenset(
    {"pythonfiles", "pythonfunctions", "pythonclasses", "testmatch", "testregex", "testpaths"}
    | {"spec", "testdir"}
)
_BACK_TO_ALL = frozenset(
    {"testpaths", "include", "files", "source", "sourcepkgs", "roots", "inclusions", "projects"}
    | {"testdir"}
)
_USUAL = re.compile(
    r"\.?/?(?:tests?|src|specs?|integration|unit|e2e|__tests__|<rootDir>|\.)(?:/[\w*.<>-]*)*"
    r"|test_?\*?(?:\.py)?|\*_test(?:\.py)?|Test\*?"
)
_USUAL_NAMES = re.compile(r"(?:tests?_?\*?|\*_tests?|Tests?\*?|\*Tests?|check_\*)(?:\.py)?")
_USUAL_PLUGINS = re.compile(r"-p ?(?:no:cacheprovider|xdist|pytest_\w+|pytester|asyncio|anyio|cov)")
_STRICT_OPTIONS = (
    "--strict",
    "--cov",
    "--doctest-modules",
    "-W",
    "--pythonwarnings",
    "--import-mode",
)
_WEAK_OPTIONS = frozenset(
    {"-k", "-m", "--deselect", "--ignore", "--co", "--collect-only", "--no-cov", "--lf", "-o", "-c"}
    | {"--last-failed", "--continue-on-collection-errors", "--suppress-no-test-exit-code", "--sw"}
    | {"--stepwise", "--override-ini", "--rootdir", "--confcutdir", "--noconftest", "--setup-plan"}
    | {"--setup-only", "--runxfail"}
)
_TAKES_VALUE = ("-k", "-m", "--deselect", "--ignore", "--ignore-glob", "-p", "-o", "-c", "-W")
_OPTION = re.compile(r"(?:'[^'\n]*'|\"[^\"\n]*\"|[^\s'\"]|['\"])+")
_MOST_SHOWN = 60
_MOST_GLOBS = 20
_MOST_GLOB_CHARS = 200


@dataclass(frozen=True, slots=True)
class Pair:
    """A setting before and after. `is_new`: its tool had no settings before."""

    path: tuple[str, ...]
    before: Value | None
    after: Value | None
    is_new: bool = False

    @property
    def key(self) -> str:
        return ".".join(self.path)

    @property
    def name(self) -> str:
        """The last part that is a name, as it is compared."""
        names = [part for part in self.path if not part.startswith("#")]
        return normal(names[-1]) if names else ""

    @property
    def change(self) -> str:
        was = "not set" if self.before is None else shown(self.before)
        if self.after is None:
            return f"{self.key} was {was} and is gone"
        return f"{self.key} was {was} and is {shown(self.after)}"


def weakening(way: Direction, pair: Pair) -> str:
    """What became weaker, or ""."""
    match way:
        case Direction.HIGHER | Direction.LOWER:
            return _number(pair, falls=way is Direction.HIGHER)
        case Direction.EXCLUDES:
            return _excludes(pair)
        case Direction.INCLUDES:
            return _includes(pair)
        case Direction.STRICT | Direction.LAX:
            return _flag(pair, good=way is Direction.STRICT)
        case Direction.SEVERITY:
            return _severity(pair)
        case Direction.OPTIONS:
            return _options(pair)
        case Direction.FIXED:
            return _fixed(pair)
        case Direction.FREE:
            return ""


def shown(value: Value | None) -> str:
    text = ", ".join(value) if isinstance(value, tuple) else value or "nothing"
    return short(text, _MOST_SHOWN) or "nothing"


def seen(value: Value | None) -> str:
    """As shown, but no two long values alike: a waiver is for one of them."""
    said = shown(value)
    if not said.endswith("…"):
        return said
    return f"{said} {sha256(repr(value).encode('utf-8', 'replace')).hexdigest()[:12]}"


def _number(pair: Pair, *, falls: bool) -> str:
    old, new = number(pair.before), number(pair.after)
    if old is None:
        return ""
    if pair.after is None:
        return pair.change
    if new is None:
        changed = pair.after != pair.before
        return pair.change if changed else ""
    if (new < old) if falls else (new > old):
        return pair.change
    return ""


def _excludes(pair: Pair) -> str:
    old = set(listed(pair.before))
    added = [item for item in listed(pair.after) if item not in old and not _is_harmless(item)]
    added = [item for item in added if not _covered(item, old)]
    if not added:
        return ""
    return f"{pair.key} now also leaves out {shown(tuple(added))}"


def _is_harmless(item: str) -> bool:
    bare = item.strip("/").removeprefix("**/").removesuffix("/**").removesuffix("/*")
    bare = bare.removeprefix("<rootDir>/").strip("/")
    return bare in _BUILT or item.strip() in _HARMLESS_LINES


def _covered(item: str, others: set[str]) -> bool:
    """`E501` is left out already where `E5` is, `a/b/` where `a/` is."""
    pieces = (item[:end] for end in range(1, min(len(item), 200)))
    is_code = re.fullmatch(r"[A-Z]+\d*", item) is not None
    return any(piece in others and (is_code or piece.endswith("/")) for piece in pieces)


def _includes(pair: Pair) -> str:
    old, new = listed(pair.before), listed(pair.after)
    if pair.before is None:
        odd = [item for item in new if not _is_usual(item, by_name=pair.name.startswith("python"))]
        narrows = pair.name in _NARROWING and odd and not pair.is_new
        return f"{pair.key} was not set and is {shown(tuple(odd))} only" if narrows else ""
    if pair.after is None or not new:
        gone = pair.name not in _BACK_TO_ALL and old
        return pair.change if gone else ""
    wider = {"ALL", ".", "*", "**", "**/*", "all"} & set(new)
    kept = set(new)
    lost = [item for item in old if item not in kept and not _within(item, kept)]
    if wider or not lost:
        return ""
    if all(item in kept for item in old):
        return ""
    return pair.change


def _is_usual(item: str, *, by_name: bool) -> bool:
    """A folder of tests or a pattern for all of them, and not one file or one name."""
    if by_name:
        return _USUAL_NAMES.fullmatch(item[:200]) is not None
    if item.endswith(".py") and "*" not in item:
        return False
    is_pattern = any(mark in item for mark in "*([") and ("test" in item or "spec" in item)
    return is_pattern or _USUAL.fullmatch(item[:200]) is not None


def _within(item: str, others: set[str]) -> bool:
    pieces = (item[:end] for end in range(1, min(len(item), 200)))
    is_code = re.fullmatch(r"[A-Z]+\d*", item) is not None
    if is_code:
        return any(piece in others for piece in pieces)
    folders = item.rstrip("/").split("/")
    above = {"/".join(folders[:end]) for end in range(1, len(folders))}
    near = above | {folder + "/" for folder in above} | {item.rstrip("/")}
    return bool(near & others) or any(_matches(item, other) for other in list(others)[:_MOST_GLOBS])


def _matches(item: str, pattern: str) -> bool:
    """Does a wider pattern take in what was listed before?"""
    if "*" not in pattern or max(len(item), len(pattern)) > _MOST_GLOB_CHARS:
        return False
    try:
        return fnmatchcase(item, pattern.replace("**/", "*").replace("**", "*"))
    except re.error:
        return False


def _flag(pair: Pair, *, good: bool) -> str:
    old, new = flag(pair.before), flag(pair.after)
    if new is not None and new is not good and old is not new:
        if old is None and pair.is_new and pair.name not in _NEVER:
            return ""
        return pair.change
    if good and old is True and pair.after is None:
        return pair.change
    return ""


_NEVER = frozenset({"ignoreerrors", "passwithnotests", "harness", "test", "exitzero", "nocheck"})


def _severity(pair: Pair) -> str:
    old, new = rank(pair.before, pair.name), rank(pair.after, pair.name)
    if new is not None and old is not None and new < old:
        return pair.change
    if old is None and new == 0 and pair.before is None and not pair.is_new:
        return pair.change
    if old is not None and old >= 2 and pair.after is None:
        return pair.change
    return ""


def _options(pair: Pair) -> str:
    old, new = _option_words(pair.before), _option_words(pair.after)
    lost = [w for w in old if w.startswith(_STRICT_OPTIONS) and w not in new]
    lost = [word for word in lost if not _kept_cover(word, new)]
    gained = [w for w in new if w not in old and _is_weak(w)]
    parts = [f"{pair.key} lost {shown(tuple(lost))}"] if lost else []
    parts += [f"{pair.key} now has {shown(tuple(gained))}"] if gained else []
    return " and ".join(parts)


def _option_words(value: Value | None) -> tuple[str, ...]:
    words = value if isinstance(value, tuple) else _OPTION.findall(value or "")
    found: list[str] = []
    for word in words:
        bare = word.strip("'\"")
        if found and found[-1] in _TAKES_VALUE:
            found[-1] = f"{found[-1]} {bare}"
        else:
            found.append(bare)
    return tuple(found)


def _is_weak(word: str) -> bool:
    if word.startswith("-p") and not word.startswith("--"):
        return _USUAL_PLUGINS.fullmatch(word[:200]) is None
    name = re.split(r"[ =]", word, maxsplit=1)[0]
    return name in _WEAK_OPTIONS or word.startswith(("--ignore", "--deselect"))


def _kept_cover(word: str, new: tuple[str, ...]) -> bool:
    """Another report of coverage is fine, a higher threshold too."""
    if word.startswith("--cov-report"):
        return True
    if word.startswith("--cov-fail-under"):
        old = number(word.rpartition("=")[2])
        limits = [number(w.rpartition("=")[2]) for w in new if w.startswith("--cov-fail-under")]
        return any(old is not None and limit is not None and limit >= old for limit in limits)
    return word.startswith("--strict-") and "--strict" in new


def _fixed(pair: Pair) -> str:
    return "" if pair.is_new or pair.before == pair.after else pair.change
