"""Missing tools, recognised by each tool's message; the work's own files are no missing tool."""

import pytest

from topkick.checks.missing_tools import MissingKind, WantedTool, missing_in, wanted_by, words_of
from topkick.plan_format.model import Criterion, Plan, SprintPlan, UnitPlan

NODE = """\
node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/x/check.js'
    at Module._load (node:internal/modules/cjs/loader:1038:27)
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}
"""
MAKE_127 = "make: ruff: No such file or directory\nmake: *** [Makefile:2: lint] Error 127"
SPEC = "/usr/bin/python3: Error while finding module specification for 'a.b'"
SAID = [  # command, what it printed, what is missing, whether the tree can be the reason
    ("python3 -m ruff check .", "/usr/bin/python3: No module named ruff", "module ruff", False),
    ("python -m x.y", "python: No module named x.y", "module x.y", True),
    (
        "python3 -m a.b",
        f"{SPEC} (ModuleNotFoundError: No module named 'a')",
        "module a.b",
        True,
    ),
    ("foo -q", "bash: line 1: foo: command not found", "program foo", False),
    ("make lint", "/bin/sh: 1: eslint: not found", "program eslint", True),
    ("make lint", MAKE_127, "program ruff", True),
    ("make nope", "make: *** No rule to make target 'nope'.  Stop.", "make target nope", True),
    ("timeout 5 foo", "timeout: failed to run command \u2018foo\u2019: No such file or directory",
     "program foo", False),
    ("npm run lint", 'npm ERR! Missing script: "lint"', "script in package.json lint", True),
    ("npm run lint", 'npm error Missing script: "lint"', "script in package.json lint", True),
    ("pnpm lint", " ERR_PNPM_NO_SCRIPT  Missing script: lint", "script in package.json lint", True),
    ("yarn lint", 'error Command "lint" not found.', "script in package.json lint", True),
    ("cargo nextest run", "error: no such command: `nextest`", "cargo subcommand nextest", False),
    ("uv run foo", "error: Failed to spawn: `foo`", "program foo", False),
    ("python3 t/x.py", "python3: can't open file '/w/t/x.py': [Errno 2] No such file or directory",
     "file t/x.py", True),
    ("node check.js", NODE, "file check.js", True),
    ("sh run.sh", "sh: 0: cannot open run.sh: No such file", "file run.sh", True),
]  # fmt: skip
RAN = [
    "Traceback (most recent call last):\nModuleNotFoundError: No module named 'mypackage'",
    "E   ModuleNotFoundError: No module named 'ruff'",
    "cat: notes.txt: No such file or directory",
    "make: *** No rule to make target 'x.c', needed by 'app'.  Stop.",
    "make: build/app: No such file or directory",
    "Error: Cannot find module './lib'\n  requireStack: [ '/x/check.js' ]",
    "python3: No module named email.__main__; 'email' is a package and cannot be directly executed",
    "bash: line 1: foo: command not found\n" + "more\n" * 20,
]


@pytest.mark.parametrize(("command", "output", "what", "of_tree"), SAID)
def test_each_tool_is_understood(command: str, output: str, what: str, of_tree: bool) -> None:
    found = missing_in(command, output)
    assert found is not None
    assert found.what.startswith(f"no {what}")
    assert (found.of_tree, found.owed) == (of_tree, False)
    assert found.mend


@pytest.mark.parametrize("output", RAN)
def test_what_ran_and_failed_lacks_nothing(output: str) -> None:
    assert missing_in("make test", output) is None


def _plan(text: str, *commands: str) -> Plan:
    checks = tuple(Criterion(f"`{c}`", command=c, named=c) for c in commands)
    body = "\n".join([text, *(f"- [ ] `{c}`" for c in commands)])
    sprint = SprintPlan("1", "Part 1", text=body, exit=checks)
    return Plan("T", "0", units=(UnitPlan("core", "core", sprints=(sprint,)),))


@pytest.mark.parametrize(
    ("text", "command", "output", "owed"),
    [
        ("Write the converter.", "python3 -m converter", "No module named converter", True),
        ("Write the tool.", "python3 -m converter", "No module named converter", False),
        ("Test with pytest.", "python3 -m pytest -q", "No module named pytest", False),
        ("Do it.", "python3 -m core", "No module named core", True),
        ("Write `bin/check.py`.", "python3 bin/check.py", "can't open file '/w/bin/check.py':"
         " [Errno 2] No such file", True),
        ("Write `a.py`.", "python3 bin/check.py", "can't open file '/w/bin/check.py':"
         " [Errno 2] No such file", False),
    ],
)  # fmt: skip
def test_what_the_plan_asks_for_is_owed(text: str, command: str, output: str, owed: bool) -> None:
    found = missing_in(command, f"/usr/bin/python3: {output}", words_of(_plan(text, command)))
    assert found is not None
    assert found.owed is owed


def test_a_module_in_the_tree_is_owed() -> None:
    said = "/usr/bin/python3: No module named app"
    found = missing_in("python3 -m app", said, (), lambda name: name == "app")
    assert found is not None
    assert found.owed


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("python3 -W error -m ruff check .", [("program", "python3"), ("module", "ruff")]),
        ("python3 -c 'import x' -m y", [("program", "python3")]),
        ("cd app && X=1 timeout 9 foo -q | grep -c x", [("program", "foo"), ("program", "grep")]),
        ("uv run pytest -q", [("program", "uv")]),
        ("npx eslint .", [("program", "npx")]),
        ("npm --prefix web run lint", [("program", "npm"), ("script in package.json", "lint")]),
        ("cargo +nightly nextest run", [("program", "cargo"), ("cargo subcommand", "nextest")]),
        ("cargo test", [("program", "cargo")]),
        ("foo || bar", []),
        ("./run.sh && $TOOL", []),
        ("parses() { foo; }; parses", []),
        ('test "$(foo)" = 3 && [ -f x ]', []),
        ("if true; then echo x; fi", []),
    ],
)
def test_what_a_command_calls_by_its_words(command: str, wanted: list[tuple[str, str]]) -> None:
    assert [(w.kind.value, w.name) for w in wanted_by(command)] == wanted


def test_a_script_is_looked_for_where_its_package_is() -> None:
    (_, script) = wanted_by("npm --prefix web run lint")
    assert script == WantedTool(MissingKind.SCRIPT, "lint", folder="web")
