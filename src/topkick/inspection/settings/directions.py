"""Which way a setting has to move to become weaker."""

import re
from enum import Enum, auto
from math import isfinite

from topkick.inspection.settings.notations import Value


class Direction(Enum):
    HIGHER = auto()  # a higher number is stricter
    LOWER = auto()
    EXCLUDES = auto()  # a longer list leaves more out
    INCLUDES = auto()
    STRICT = auto()  # true is stricter
    LAX = auto()
    SEVERITY = auto()
    OPTIONS = auto()
    FIXED = auto()  # it decides what a test run means: any change is told
    FREE = auto()


_EXCLUDES = frozenset(
    {"ignore", "ignores", "exclude", "excludes", "extendignore", "extendexclude", "forceexclude"}
    | {"omit", "perfileignores", "extendperfileignores", "disable", "disableerrorcode", "skip"}
    | {"deselect", "testpathignorepatterns", "coveragepathignorepatterns", "excludelines"}
    | {"modulepathignorepatterns", "collectignore", "collectignoreglob", "norecursedirs"}
    | {"excludealso", "excluded", "disabledrules", "ignorepatterns", "skipfiles", "skipdirs"}
    | {
        "excluderules",
        "excludefiles",
        "excludedirs",
        "exclusions",
        "ignorepaths",
        "partialbranches",
    }
    | {"ignoredmodules", "ignoredclasses"}
)
_INCLUDES = frozenset(
    {"select", "extendselect", "enable", "enableerrorcode", "plugins", "testpaths", "testmatch"}
    | {"testregex", "include", "files", "pythonfiles", "pythonfunctions", "pythonclasses", "source"}
    | {"sourcepkgs", "collectcoveragefrom", "roots", "spec", "optinrules", "extends", "inclusions"}
    | {"onlyrules", "analyzerrules", "projects", "testdir"}
)
_STRICT = re.compile(
    r"strict.*|disallow.*|warn(?!ing).*|noimplicit.*|checkuntypeddefs|xfailstrict|extrachecks"
    r"|nounused.*|nofallthrough.*|nounchecked.*|exactoptional.*|noproperty.*|alwaysstrict|checkjs"
    r"|useunknownincatch.*|checkcoverage|forbidonly|failzero|perfile|branch|recommended|enabled"
    r"|forceconsistentcasing.*|harness|test|doctest"
    r"|enableall|debugassertions|overflowchecks|wait"
)
_LAX = re.compile(
    r"ignoreerrors|ignoremissingimports|passwithnotests|allow.*|implicitoptional|implicitreexport"
    r"|dangerouslyignoreunhandlederrors|nocheck|suppress.*|skippatterns|exitzero|lenient|nodefault"
    r"|disableall|skipchecks|forceexit|reportnone|informational"
)
_HARMLESS_ALLOW = re.compile(
    r"allow(?:js|syntheticdefaultimports|importingtsextensions|arbitraryextensions|prerelease.*"
    r"|umdglobalaccess|list|redefinition)"
)
_STYLE = re.compile(
    r"max(?:linelength|len|doclength|workers|concurrency|parallel.*|fail|jobs|asynctime)"
)
_FIXED = frozenset(
    {"setupfiles", "setupfilesafterenv", "globalsetup", "globalteardown", "reporters", "runner"}
    | {"environment", "testenvironment", "testrunner", "modulenamemapper", "resolver", "transform"}
    | {"testnamepattern", "require", "grep", "fgrep", "alias"}
)
_FIXED_TOOLS = frozenset({"jest", "vitest", "mocha", "playwright"})
_PERCENT = frozenset({"branches", "functions", "lines", "statements", "global"})
_UPPER_BOUNDS = frozenset({"clippy", "golangci", "swiftlint"})
_RULES = frozenset({"rules", "lints", "diagnostics"})
RANKS = {
    **dict.fromkeys(("off", "0", "allow", "none", "false", "disabled"), 0),
    **dict.fromkeys(("information", "info"), 1),
    **dict.fromkeys(("1", "warn", "warning"), 2),
    **dict.fromkeys(("2", "error", "deny", "true", "on"), 3),
    "forbid": 4,
}
MODES = {
    "typecheckingmode": ("off", "basic", "standard", "strict", "recommended", "all"),
    "followimports": ("skip", "silent", "normal", "error"),
}


def normal(key: str) -> str:
    return key.replace("-", "").replace("_", "").lower()


def direction(tool: str, path: tuple[str, ...]) -> Direction:
    """By its own name first, then by what it stands under."""
    keys = [normal(key) for key in path if not key.startswith("#")]
    if not keys:
        return Direction.FREE
    special = _of_tool(tool, keys)
    if special is not None:
        return special
    for key in (keys[-1], *(k for k in keys[:-1] if "ignores" in k)):
        if key in _EXCLUDES or key.endswith("exclusions"):
            return Direction.EXCLUDES
    return _by_name(tool, keys[-1], keys)


def _of_tool(tool: str, keys: list[str]) -> Direction | None:
    last = keys[-1]
    if last in MODES:
        return Direction.SEVERITY
    if tool == "codecov":
        return {"target": Direction.HIGHER, "threshold": Direction.LOWER}.get(last)
    if tool == "pytest" and last == "addopts":
        return Direction.OPTIONS
    if tool in _UPPER_BOUNDS and (last.startswith("min") or "threshold" in last or _bound(keys)):
        return Direction.FREE if "linelength" in keys else Direction.LOWER
    if tool == "typescript" and last == "extends":
        return Direction.FIXED
    if tool in _FIXED_TOOLS and (last in _FIXED or keys[0] in _FIXED):
        return Direction.FIXED
    ruled = tool == "cargo" or any(key in _RULES for key in keys[:-1])
    if (
        ruled
        and last not in _EXCLUDES
        and last not in ("harness", "test", "doctest", "recommended")
    ):
        return Direction.SEVERITY if _is_rule(tool, keys) else None
    if tool == "pyright" and last.startswith("report"):
        return Direction.SEVERITY
    return None


def _bound(keys: list[str]) -> bool:
    return len(keys) > 1 and keys[-1] in ("warning", "error")


def _is_rule(tool: str, keys: list[str]) -> bool:
    if tool == "cargo":
        return "lints" in keys and keys[-1] != "priority"
    return keys[-1] not in ("priority", "options")


def _by_name(tool: str, last: str, keys: list[str]) -> Direction:
    if last in _INCLUDES:
        return Direction.INCLUDES
    if _STYLE.fullmatch(last):
        return Direction.FREE
    if last in ("failunder", "covfailunder") or "threshold" in last or last.startswith("min"):
        return Direction.HIGHER
    if last in _PERCENT and ("threshold" in "".join(keys) or tool in ("nyc", "jest", "vitest")):
        return Direction.HIGHER
    if last.startswith("max") or last.endswith("complexity"):
        return Direction.LOWER
    if _LAX.fullmatch(last) and not _HARMLESS_ALLOW.fullmatch(last):
        return Direction.LAX
    if _STRICT.fullmatch(last):
        return Direction.STRICT
    return Direction.FREE


def number(value: Value | None) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        found = float(value.strip().removesuffix("%"))
    except ValueError:
        return None
    return found if isfinite(found) else None


def flag(value: Value | None) -> bool | None:
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    if word in ("true", "yes", "on", "1"):
        return True
    return False if word in ("false", "no", "off", "0") else None


def listed(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, tuple):
        return value
    if "{" in value:
        return (value,)
    return tuple(word for word in re.split(r"[\s,|]+", value) if word)


def rank(value: Value | None, key: str) -> int | None:
    word = value[0] if isinstance(value, tuple) and value else value
    if not isinstance(word, str):
        return None
    word = word.strip().lower()
    if normal(key) in MODES:
        modes = MODES[normal(key)]
        return modes.index(word) if word in modes else None
    return RANKS.get(word)
