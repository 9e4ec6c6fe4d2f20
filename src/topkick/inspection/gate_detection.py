"""Detect the commands that build and test a project, from the manifests in its commit."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

MOST_COMMANDS = 8
MOST_BYTES = 1 << 20
_MOST_TEST_FILES = 50  # read to see whether they use pytest
_MOST_PATHS = 500_000

_PYTHON_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini")
_REQUIREMENTS = re.compile(r"(?:requirements|constraints)[\w.-]*\.(?:txt|in)|Pipfile")
_PYTHON_TEST = re.compile(r"test_[^/]*\.py|[^/]*_test\.py|tests?\.py")
_PYTEST_USED = re.compile(
    rb"^(?:[ \t]*(?:import|from)[ \t]+pytest\b|(?:async[ \t]+)?def[ \t]+test\w*\("
    rb"|class[ \t]+Test\w*:)",
    re.MULTILINE,
)
_UNITTEST_USED = re.compile(
    rb"^[ \t]*(?:import|from)[ \t]+(?:unittest|django\.test)\b", re.MULTILINE
)
_PYTEST_NAMED = re.compile(rb"(?<![\w-])pytest(?![\w])")
_UNSPECIFIED = "no test specified"
_LOCKS = (
    ("pnpm", ("pnpm-lock.yaml",)),
    ("yarn", ("yarn.lock",)),
    ("bun", ("bun.lock", "bun.lockb")),
    ("npm", ("package-lock.json", "npm-shrinkwrap.json")),
)
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MAKE_TARGET = re.compile(r"^(test|check)[ \t]*:(?!=)", re.MULTILINE)
_GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
_SKIPPED_FOLDERS = frozenset(
    {"node_modules", "vendor", "third_party", ".venv", "venv", "site-packages", "testdata"}
)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder of the commit: its own files by name, and all paths below it."""

    names: frozenset[str]
    below: tuple[str, ...]
    read: Callable[[str], bytes]

    def text(self, name: str) -> str:
        return self.read(name).decode("utf-8", "replace") if name in self.names else ""


def detected_gate(
    paths: Collection[str],
    read: Callable[[str], bytes | None],
    directories: Sequence[str] = (),
) -> tuple[str, ...]:
    """Build and test commands of the root's manifests, else of those in the units' folders."""
    known = tuple(sorted(paths))[:_MOST_PATHS]
    found = list(_commands(_place(known, read, "")))
    if not found:
        for directory in dict.fromkeys(_clean(one) for one in directories):
            if directory:
                cd = f"cd {_quoted_path(directory)} && "
                found += [cd + command for command in _commands(_place(known, read, directory))]
    return tuple(dict.fromkeys(found))[:MOST_COMMANDS]


def _clean(directory: str) -> str:
    parts = [part for part in directory.split("/") if part not in ("", ".")]
    return "" if ".." in parts or directory.startswith("/") else "/".join(parts)


def _quoted_path(path: str) -> str:
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def _place(paths: tuple[str, ...], read: Callable[[str], bytes | None], directory: str) -> _Place:
    prefix = f"{directory}/" if directory else ""
    below = tuple(path[len(prefix) :] for path in paths if path.startswith(prefix))

    def capped(path: str) -> bytes:
        content = read(prefix + path) or b""
        return content if len(content) <= MOST_BYTES else b""

    return _Place(frozenset(path for path in below if "/" not in path), below, capped)


def _commands(place: _Place) -> Iterator[str]:
    found = [
        *_rust(place),
        *_go(place),
        *_swift(place),
        *_java(place),
        *_python(place),
        *_node(place),
    ]
    yield from found or [*_cmake(place)] or [*_make(place)]


def _rust(place: _Place) -> Iterator[str]:
    """One command: `cargo test` builds first what it tests."""
    manifest = _toml(place.text("Cargo.toml"))
    if "workspace" in manifest:
        yield "cargo test --workspace"
    elif "package" in manifest:
        yield "cargo test"


def _go(place: _Place) -> Iterator[str]:
    if re.search(r"^module[ \t]+\S", place.text("go.mod"), re.MULTILINE):
        yield "go build ./..."
        yield "go test ./..."


def _swift(place: _Place) -> Iterator[str]:
    if "Package(" in place.text("Package.swift"):
        yield "swift build"
        if any(path.startswith("Tests/") and path.endswith(".swift") for path in place.below):
            yield "swift test"


def _java(place: _Place) -> Iterator[str]:
    if "<project" in place.text("pom.xml"):
        yield ("./mvnw" if "mvnw" in place.names else "mvn") + " -B -q verify"
    elif any(name in place.names for name in _GRADLE):
        yield ("./gradlew" if "gradlew" in place.names else "gradle") + " build"


def _python(place: _Place) -> Iterator[str]:
    manifests = [name for name in _PYTHON_MANIFESTS if name in place.names]
    manifests += sorted(name for name in place.names if _REQUIREMENTS.fullmatch(name))
    if not manifests:
        return
    tests = [path for path in place.below if _is_python_test(path)][:_MOST_TEST_FILES]
    if not tests:
        return
    contents = [place.read(path) for path in tests]
    named = any(_PYTEST_NAMED.search(place.read(name)) for name in manifests)
    conftest = any(path.rpartition("/")[2] == "conftest.py" for path in place.below)
    if named or conftest or any(_PYTEST_USED.search(content) for content in contents):
        yield "python -m pytest -q"
    elif any(_UNITTEST_USED.search(content) for content in contents):
        yield from _unittest(place, tests)


def _unittest(place: _Place, tests: list[str]) -> Iterator[str]:
    """Its own search enters packages only, so a folder that is none is named to it."""
    tops = {path.partition("/")[0] if "/" in path else "" for path in tests}
    known = set(place.below)
    apart = sorted(top for top in tops if top and f"{top}/__init__.py" not in known)
    if len(apart) < len(tops):
        yield "python -m unittest -q"
    for top in apart:
        yield f"python -m unittest discover -q -s {_quoted_path(top)}"


def _is_python_test(path: str) -> bool:
    *folders, name = path.split("/")
    return bool(_PYTHON_TEST.fullmatch(name)) and _SKIPPED_FOLDERS.isdisjoint(folders)


def _node(place: _Place) -> Iterator[str]:
    manifest = _json(place.text("package.json"))
    scripts = manifest.get("scripts")
    if not isinstance(scripts, dict):
        return
    tool = _package_tool(place, manifest)
    for name in ("build", "test"):
        script = scripts.get(name)
        if isinstance(script, str) and script.strip() and _UNSPECIFIED not in script:
            yield "npm test" if (tool, name) == ("npm", "test") else f"{tool} run {name}"


def _package_tool(place: _Place, manifest: dict[str, object]) -> str:
    for tool, locks in _LOCKS:
        if any(lock in place.names for lock in locks):
            return tool
    declared = str(manifest.get("packageManager", "")).partition("@")[0]
    return declared if declared in ("pnpm", "yarn", "bun") else "npm"


def _cmake(place: _Place) -> Iterator[str]:
    text = place.text("CMakeLists.txt")
    if not text.strip():
        return
    yield "cmake -S . -B build"
    yield "cmake --build build"
    if re.search(r"\b(?:enable_testing|add_test)[ \t]*\(|\binclude[ \t]*\([ \t]*CTest\b", text):
        yield "ctest --test-dir build --output-on-failure"


def _make(place: _Place) -> Iterator[str]:
    for name in _MAKEFILES:  # the first of them is the one that make reads
        if name in place.names:
            targets = set(_MAKE_TARGET.findall(place.text(name)))
            yield from [f"make {one}" for one in ("test", "check") if one in targets][:1]
            return


def _toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
