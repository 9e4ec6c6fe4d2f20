"""Which commands run tests, and where they write down how these went."""

import re

from topkick.inspection.tampering.commands import ProgramCall, calls, joined, script_of

_ALONE = frozenset(
    {"pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "tap", "tape", "rspec"}
    | {
        "ctest",
        "phpunit",
        "bats",
        "nose2",
        "nosetests",
        "trial",
        "stestr",
        "green",
        "karma",
        "prove",
    }
    | {"cargo-nextest", "gotestsum", "ginkgo", "xctest", "jasmine", "cypress", "playwright", "pest"}
    | {
        "behave",
        "cucumber",
        "minitest",
        "busted",
        "lit",
        "nextest",
        "c8",
        "nyc",
        "ward",
        "sbt-test",
    }
)
_MODULES = frozenset(
    {"pytest", "unittest", "nose2", "tox", "nox", "trial", "doctest", "behave", "ward"}
)
_SUBCOMMAND = {
    "go": {"test"},
    "cargo": {"test", "t", "nextest", "tarpaulin", "llvm-cov", "miri"},
    "swift": {"test"},
    "dotnet": {"test", "vstest"},
    "deno": {"test"},
    "bun": {"test"},
    "zig": {"test"},
    "mix": {"test"},
    "rake": {"test", "spec"},
    "rails": {"test", "spec"},
    "dart": {"test"},
    "flutter": {"test"},
    "bazel": {"test"},
    "buck2": {"test"},
    "stack": {"test"},
    "cabal": {"test"},
    "sbt": {"test"},
    "lein": {"test"},
    "meson": {"test"},
    "hatch": {"test"},
    "composer": {"test"},
    "artisan": {"test"},
    "xcodebuild": {"test", "test-without-building"},
}
_BUILDERS = frozenset(
    {"make", "gmake", "just", "task", "mvn", "mvnw", "gradle", "gradlew", "ninja"}
)
_TARGET = re.compile(
    r"(?:.*[:_.-])?(?:tests?|check|verify|specs?|unit|e2e|integration)(?:[:_.-].*)?"
)
PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
_JUNIT = re.compile(
    r"--(?:junit-?xml|outputFile(?:\.junit)?)(?:=(?P<path>.+))?"
    r"|--reporter-options?(?:=(?P<pairs>.+))?|-O(?P<short>.+=.+)?",
    re.IGNORECASE | re.DOTALL,
)


def is_test_command(command: str) -> bool:
    """Do its words name a test runner?"""
    return any(runs_tests(call) for call in calls(command))


def runs_tests(call: ProgramCall) -> bool:
    name, rest = call.program, call.words[1:]
    plain = [word for word in rest if not word.startswith(("-", "+"))]
    if name in _ALONE:
        return "--version" not in rest and "--help" not in rest
    if PYTHON.fullmatch(name):
        return _python_tests(rest)
    if name == "coverage":
        return plain[:1] == ["run"] and _python_tests(rest[1:])
    if name == "node":
        return "--test" in rest
    if name in _SUBCOMMAND:
        return any(word in _SUBCOMMAND[name] for word in plain[:1])
    if name in _BUILDERS:
        return any(_TARGET.fullmatch(word) for word in plain if "=" not in word)
    script = script_of(call)
    return bool(script and _TARGET.fullmatch(script)) or any(
        w in _ALONE for w in plain[:1] if script
    )


def _python_tests(words: tuple[str, ...]) -> bool:
    for place, word in enumerate(words):
        if word == "-m" and place + 1 < len(words):
            module = words[place + 1]
            if module == "coverage":
                return _python_tests(words[place + 3 :])
            return module in _MODULES
        if not word.startswith("-"):
            tail = word.rpartition("/")[2]
            if tail in ("manage.py", "runtests.py", "setup.py"):
                return tail == "runtests.py" or "test" in words[place + 1 :]
            return bool(re.fullmatch(r"test_.*\.py|.*_test\.py|tests?\.py", tail))
    return False


def junit_files(command: str) -> tuple[str, ...]:
    """The paths at which it is told to write JUnit reports, seen from where it is started."""
    found: list[str] = []
    for call in calls(command):
        for place, word in enumerate(call.words):
            match = _JUNIT.fullmatch(word)
            if match is None:
                continue
            value = match["path"] or match["pairs"] or match["short"]
            if value is None:
                value = call.words[place + 1] if place + 1 < len(call.words) else ""
            named = "reporter" in word.lower() or word.startswith("-O")
            paths = _paths(value) if named else [value]
            found += [joined(call.cwd, path) if call.cwd and path else path for path in paths]
    return tuple(dict.fromkeys(path for path in found if path))


def _paths(pairs: str) -> list[str]:
    keyed = (pair.partition("=") for pair in pairs.split(","))
    return [
        value for key, _, value in keyed if key in ("mochaFile", "output", "outputFile", "path")
    ]
