"""The commands of the gate, detected from the committed manifests of a project."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.inspection.gate_detection import MOST_BYTES, MOST_COMMANDS, detected_gate
from topkick.inspection.test_counts.build_commands import builds

pytestmark = pytest.mark.spec("GT-02")

UNITTEST = "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self): pass\n"
SETUP = "from setuptools import setup\nsetup()\n"


def gate(files: dict[str, str], *directories: str) -> tuple[str, ...]:
    return detected_gate(
        files.keys(), lambda path: files[path].encode() if path in files else None, directories
    )


def package(**scripts: str) -> str:
    return json.dumps({"name": "x", "scripts": scripts})


CASES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "nothing": ({"README.md": "pytest", "src/a.py": ""}, ()),
    "pytest configured": (
        {"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": UNITTEST},
        ("python -m pytest -q",),
    ),
    "pytest among the dependencies": (
        {"setup.py": SETUP, "requirements-dev.txt": "pytest>=8\n", "tests/test_a.py": UNITTEST},
        ("python -m pytest -q",),
    ),
    "pytest by plain functions": (
        {"pyproject.toml": "[project]\n", "test_a.py": "def test_a():\n    assert 1\n"},
        ("python -m pytest -q",),
    ),
    "a broken pyproject still is a Python project": (
        {"pyproject.toml": "[[[", "test_a.py": "import pytest\n"},
        ("python -m pytest -q",),
    ),
    "unittest in packages": (
        {"setup.py": SETUP, "tests/__init__.py": "", "tests/test_a.py": UNITTEST},
        ("python -m unittest -q",),
    ),
    "unittest in a plain folder": (
        {"setup.py": SETUP, "my tests/test_a.py": UNITTEST},
        ("python -m unittest discover -q -s 'my tests'",),
    ),
    "no Python tests": ({"pyproject.toml": "[tool.pytest]\n", "src/a.py": ""}, ()),
    "others' Python tests": (
        {"pyproject.toml": "[tool.pytest]\n", "vendor/x/test_a.py": "import pytest"},
        (),
    ),
    "tests without a manifest": ({"test_a.py": "import pytest"}, ()),
    "node": (
        {"package.json": package(test="jest", build="tsc", lint="x")},
        ("npm run build", "npm test"),
    ),
    "node's default test": (
        {"package.json": package(test='echo "Error: no test specified" && exit 1')},
        (),
    ),
    "pnpm": (
        {"package.json": package(test="x", build="y"), "pnpm-lock.yaml": ""},
        ("pnpm run build", "pnpm run test"),
    ),
    "yarn": ({"package.json": package(test="x"), "yarn.lock": ""}, ("yarn run test",)),
    "bun": ({"package.json": package(test="x"), "bun.lockb": ""}, ("bun run test",)),
    "a declared manager": (
        {"package.json": '{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}'},
        ("pnpm run test",),
    ),
    "broken package.json": ({"package.json": "{"}, ()),
    "package.json is a list": ({"package.json": "[1]"}, ()),
    "scripts are no table": ({"package.json": '{"scripts": ["test"]}'}, ()),
    "a script is no text": ({"package.json": '{"scripts": {"test": {"a": 1}}}'}, ()),
    "rust": ({"Cargo.toml": '[package]\nname = "x"\n'}, ("cargo test",)),
    "rust workspace": ({"Cargo.toml": "[workspace]\nmembers=[]\n"}, ("cargo test --workspace",)),
    "broken Cargo.toml": ({"Cargo.toml": "[package\n"}, ()),
    "go": ({"go.mod": "module example.com/x\n"}, ("go build ./...", "go test ./...")),
    "swift": ({"Package.swift": "let p = Package(name: 1)"}, ("swift build",)),
    "swift with tests": (
        {"Package.swift": "let p = Package(name: 1)", "Tests/XTests/A.swift": ""},
        ("swift build", "swift test"),
    ),
    "maven": ({"pom.xml": "<project/>"}, ("mvn -B -q verify",)),
    "maven wrapper": ({"pom.xml": "<project/>", "mvnw": ""}, ("./mvnw -B -q verify",)),
    "gradle": ({"build.gradle.kts": ""}, ("gradle build",)),
    "gradle wrapper": ({"build.gradle": "", "gradlew": ""}, ("./gradlew build",)),
    "make": ({"Makefile": "all:\n\ttrue\ntest: all\n\ttrue\ncheck:\n"}, ("make test",)),
    "make check": ({"Makefile": ".PHONY: check\ncheck :\n\ttrue\n"}, ("make check",)),
    "make without tests": ({"Makefile": "all:\n\ttrue\ntest := 1\ntests: x\n"}, ()),
    "make reads GNUmakefile first": ({"GNUmakefile": "all:\n", "Makefile": "test:\n"}, ()),
    "make only where nothing else is": (
        {"Makefile": "test:\n\ttrue\n", "go.mod": "module x\n"},
        ("go build ./...", "go test ./..."),
    ),
    "cmake": (
        {"CMakeLists.txt": "project(x)\n"},
        ("cmake -S . -B build", "cmake --build build"),
    ),
    "cmake with tests": (
        {"CMakeLists.txt": "enable_testing()\nadd_test(a a)\n"},
        (
            "cmake -S . -B build",
            "cmake --build build",
            "ctest --test-dir build --output-on-failure",
        ),
    ),
    "several": (
        {
            "package.json": package(test="jest"),
            "pyproject.toml": "[tool.pytest]",
            "tests/test_a.py": "",
            "Cargo.toml": "[package]\n",
        },
        ("cargo test", "python -m pytest -q", "npm test"),
    ),
    "only deeper manifests": ({"web/package.json": package(test="x")}, ()),
}


@pytest.mark.parametrize("name", CASES)
def test_manifests_tell_the_commands(name: str) -> None:
    files, expected = CASES[name]
    assert gate(files) == expected
    assert gate(dict(reversed(files.items()))) == expected
    assert all(builds(command) for command in expected)


def test_the_units_folders_are_asked_when_the_root_says_nothing() -> None:
    files = {
        "web/package.json": package(test="x"),
        "my api/go.mod": "module x\n",
        "-x/Cargo.toml": "[package]\n",
    }
    assert gate(files, "web", "my api/", "./web", "gone", "-x", "../web", "/web", "") == (
        "cd web && npm test",
        "cd 'my api' && go build ./...",
        "cd 'my api' && go test ./...",
        "cd ./-x && cargo test",
    )
    files["Cargo.toml"] = "[workspace]\n"
    assert gate(files, "web") == ("cargo test --workspace",)


def test_no_more_than_eight_commands() -> None:
    files = {f"u{n}/go.mod": "module x\n" for n in range(9)}
    assert len(gate(files, *(f"u{n}" for n in range(9)))) == MOST_COMMANDS


@pytest.mark.parametrize("name", ["package.json", "Cargo.toml", "pom.xml", "go.mod", "Makefile"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\0", b"[" * 200_000, b'{"a":' * 100_000])
def test_malformed_manifests_say_nothing(name: str, content: bytes) -> None:
    assert detected_gate([name], lambda _: content) == ()


def test_a_file_that_cannot_be_read_or_is_huge_says_nothing() -> None:
    huge = b"module x\n" + b" " * MOST_BYTES
    assert detected_gate(["go.mod"], lambda _: None) == ()
    assert detected_gate(["go.mod"], lambda _: huge) == ()


@given(st.binary(max_size=300))
def test_any_bytes_have_an_answer(content: bytes) -> None:
    names = ["package.json", "Cargo.toml", "pyproject.toml", "test_a.py", "CMakeLists.txt"]
    assert len(detected_gate(names, lambda _: content)) <= MOST_COMMANDS


def _written(root: Path, files: dict[str, str]) -> tuple[str, ...]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return gate(files)


def _run(root: Path, command: str) -> subprocess.CompletedProcess[str]:
    here = f'python() {{ {sys.executable} "$@"; }}; {command}'
    return subprocess.run(
        ["sh", "-c", here], cwd=root, text=True, capture_output=True, timeout=120, check=False
    )


@pytest.mark.parametrize("folder", ["tests", "my tests", ""])
def test_a_failing_unittest_turns_its_command_red(tmp_path: Path, folder: str) -> None:
    failing = UNITTEST.replace("pass", "self.fail()")
    path = f"{folder}/test_a.py" if folder else "test_a.py"
    (command,) = _written(tmp_path, {"setup.py": SETUP, path: failing})
    run = _run(tmp_path, command)
    assert run.returncode == 1
    assert "FAIL: test_a" in run.stderr


def _ask_for(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed: its gate is not tried here")


def test_the_cmake_commands_run(tmp_path: Path) -> None:
    _ask_for("cmake", "ctest", "make")
    listed = "cmake_minimum_required(VERSION 3.10)\nproject(x NONE)\nenable_testing()\n"
    listed += "add_test(NAME good COMMAND ${CMAKE_COMMAND} -E true)\n"
    commands = _written(tmp_path, {"CMakeLists.txt": listed})
    assert [_run(tmp_path, command).returncode for command in commands] == [0, 0, 0]
    broken = listed + "add_test(NAME bad COMMAND ${CMAKE_COMMAND} -E false)\n"
    (tmp_path / "CMakeLists.txt").write_text(broken)
    assert [_run(tmp_path, command).returncode for command in commands][:2] == [0, 0]
    assert "bad" in _run(tmp_path, commands[2]).stdout


def test_the_npm_commands_run(tmp_path: Path) -> None:
    _ask_for("npm")
    commands = _written(tmp_path, {"package.json": package(build="exit 0", test="exit 3")})
    assert [_run(tmp_path, command).returncode for command in commands] == [0, 3]
