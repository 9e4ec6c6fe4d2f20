"""Artifacts of a sprint that a machine can check: its files, its names, its own test."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topkick.plan_format.criteria.criteria import text_criterion
from topkick.planning.breakdown.model import BreakdownTask
from topkick.planning.project_facts import Surroundings
from topkick.sprint.dispatch.names import CODE, PATH

MOST_CHECKS = 6
MOST_WORDS = 4
MOST_NAMES = 4
_SMALL = frozenset(
    """
    a an and are as at be by for from in into is it its of on or that the this to via with
    phase requirement requirements task tasks step
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
_IDENTIFIER = re.compile(
    r"^(?:[A-Za-z_]\w{0,60}\.){0,3}(?P<name>[A-Za-z_]\w{3,60})(?:\([^()]{0,120}\))?$", re.ASCII
)
_CODED = re.compile(r"[_.(]|.[A-Z]")  # a plain word in backticks may not be code
_REMOVES = re.compile(r"^(?:remove|delete|drop|strip|retire|eliminate)\b", re.IGNORECASE)
_EVERYDAY = re.compile(
    r"(?:^|/)(?:README|CHANGELOG|LICENSE|CONTRIBUTING|AGENTS|CLAUDE|REQUIREMENTS[\w-]*|PRD|SPEC"
    r"|EXECUTION_PLAN)\.\w+$|(?:^|/)(?:package\.json|pyproject\.toml|Package\.swift|Cargo\.toml|go\.mod)$"
)
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WRITING = re.compile(
    r"\b(?:document(?:ation|s)?|docs?|readme|changelog|guides?|tutorials?|migration notes)\b",
    re.IGNORECASE,
)
_SPEAKS = (  # without a project, the document's own words indicate the language
    ("swift", re.compile(r"\bSwift(?:UI)?\b|\.swift\b")),
    ("typescript", re.compile(r"\bTypeScript\b|\.tsx?\b|\bReact\b|\bNext\.js\b|\bBun\b")),
    ("python", re.compile(r"\bPython\b|\.py\b|\bFastAPI\b|\bDjango\b|\bFlask\b|\bpytest\b")),
    ("rust", re.compile(r"\bRust\b|\.rs\b|\bcargo\b")),
    ("go", re.compile(r"\bGolang\b|\.go\b|\bgo\.mod\b")),
    ("java", re.compile(r"\bJava\b(?!Script)|\.java\b|\bSpring Boot\b")),
    ("kotlin", re.compile(r"\bKotlin\b|\.kts?\b")),
    ("csharp", re.compile(r"\bC#|\.cs\b|\.NET\b")),
    ("ruby", re.compile(r"\bRuby\b|\.rb\b|\bRails\b")),
    ("php", re.compile(r"\bPHP\b|\.php\b|\bLaravel\b")),
    ("javascript", re.compile(r"\bJavaScript\b|\.m?jsx?\b|\bNode(?:\.js)?\b|\bnpm\b")),
    ("shell", re.compile(r"\b(?:bash|zsh|shell scripts?)\b|\.sh\b", re.IGNORECASE)),
)


def language_in(text: str) -> str:
    """Return the language that a document mentions most."""
    counts = [(len(pattern.findall(text[:400_000])), name) for name, pattern in _SPEAKS]
    count, name = max(counts, key=lambda one: one[0])
    return name if count else ""


@dataclass(frozen=True, slots=True)
class OwnTest:
    """A test file and the command that runs it alone."""

    path: str
    command: str


def slug(text: str, fallback: str) -> str:
    """Return a few telling words in lower-case ASCII."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = [word.lower() for word in _WORDS.findall(plain)]
    telling = [word for word in words if word not in _SMALL and not word.isdigit()]
    found = "_".join(telling[:MOST_WORDS])
    return found if len(found) > 2 and found[0].isalpha() else fallback


def own_test(name: str, around: Surroundings) -> OwnTest:
    """Return the test for a slug; place and command follow the project's language."""
    place = around.test_dir.strip("/") or "tests"
    pascal = "".join(word.capitalize() for word in name.split("_"))
    kebab = name.replace("_", "-")
    match around.language:
        case "python":
            path = f"{place}/test_{name}.py"
            unit = "unittest" in around.test_command
            return OwnTest(path, f"python -m {'unittest' if unit else 'pytest -q'} {path}")
        case "typescript" | "javascript":
            path = f"{place}/{kebab}.test.{'ts' if around.language == 'typescript' else 'js'}"
            return OwnTest(path, _node(around.test_command, path))
        case "swift":
            home = f"Tests/{around.module}Tests" if around.module else "Tests"
            return OwnTest(f"{home}/{pascal}Tests.swift", f"swift test --filter {pascal}Tests")
        case "rust":
            return OwnTest(f"tests/{name}.rs", f"cargo test --test {name}")
        case "go":
            where = name.replace("_", "")
            return OwnTest(f"internal/{where}/{name}_test.go", f"go test ./internal/{where}/...")
        case "java" | "kotlin":
            return _java(pascal, around)
        case "csharp":
            command = f"dotnet test --filter FullyQualifiedName~{pascal}Tests"
            return OwnTest(f"{place}/{pascal}Tests.cs", command)
        case "ruby":
            return OwnTest(f"spec/{name}_spec.rb", f"bundle exec rspec spec/{name}_spec.rb")
        case "php":
            path = f"{place}/{pascal}Test.php"
            return OwnTest(path, f"vendor/bin/phpunit {path}")
        case _:
            path = f"{place}/{kebab}.sh"
            return OwnTest(path, f"sh {path}")


def _node(command: str, path: str) -> str:
    tool = command.split(" ", 1)[0]
    if tool == "bun":
        return f"bun test {path}"
    return f"{tool} run test {path}" if tool in ("pnpm", "yarn") else f"npm test -- {path}"


def _java(pascal: str, around: Surroundings) -> OwnTest:
    ending = "kt" if around.language == "kotlin" else "java"
    path = f"src/test/{'kotlin' if ending == 'kt' else 'java'}/{pascal}Test.{ending}"
    tool = around.test_command.split(" ", 1)[0]
    if "gradle" in tool or (ending == "kt" and "mvn" not in tool):
        return OwnTest(path, f"{tool or 'gradle'} test --tests {pascal}Test")
    return OwnTest(path, f"{tool or 'mvn'} -q -Dtest={pascal}Test test")


def is_writing(texts: Sequence[str]) -> bool:
    """Return whether everything is about documents, which no program can test."""
    return all(_WRITING.search(text) for text in texts)


def paths_in(text: str) -> tuple[str, ...]:
    """Return files inside the project that a task creates or changes, by full path."""
    if _REMOVES.match(text):
        return ()
    found = (path.removeprefix("./") for path in PATH.findall(text))
    inside = (p for p in found if "/" in p and ".." not in p and p[0] not in "/~@-")
    return tuple(dict.fromkeys(p for p in inside if not _EVERYDAY.search(p)))


def checks_of(tasks: Sequence[BreakdownTask]) -> Iterator[str]:
    """Yield criteria for the files that the tasks name."""
    paths = dict.fromkeys(path for task in tasks for path in paths_in(task.text))
    yield from (f"File exists: `{path}`" for path in [*paths][:MOST_CHECKS])


def mentions(tasks: Sequence[BreakdownTask], proof: OwnTest) -> Iterator[str]:
    """Yield criteria that the test uses what a task names in code."""
    names = dict.fromkeys(name for task in tasks if (name := _identifier(task.text)))
    for name in [*names][:MOST_NAMES]:
        said = f"`{name}` appears in `{proof.path}`"
        if is_check(said):
            yield said


def _identifier(text: str) -> str:
    """Return the first function, type or field that a task names, unless it removes it."""
    if _REMOVES.match(text):
        return ""
    found = (_IDENTIFIER.match(code) for code in CODE.findall(text) if not PATH.fullmatch(code))
    return next((one["name"] for one in found if one and _CODED.search(one[0])), "")


def is_check(text: str) -> bool:
    """Return whether this criterion compiles to a check that can run."""
    return text_criterion(text, 0)[0].command is not None
