"""An agent may not change the programs that criteria run, only what the criteria ask for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import SYMLINK_MODE, AcceptedText, File, FileChange
from topkick.inspection.tampering.findings import tampered

pytestmark = pytest.mark.spec("VF-03")

MAKEFILE = """\
PYTEST = pytest
.PHONY: test lint

all: test

test: build
\t$(PYTEST) -q \\
\t  tests
\t@./scripts/extra.sh

build:
\tpython -m compileall src

lint:
\truff check .
"""
PACKAGE = """\
{
  "scripts": {
    "test": "npm run unit && jest",
    "unit": "jest unit",
    "build": "tsc"
  }
}
"""
WORKFLOW = """\
name: CI
on:
  push:
    branches: [main]
  pull_request:
jobs:
  check:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        python: ["3.11", "3.12"]
    steps:
      - uses: actions/checkout@v3
      - name: Tests
        run: pytest -q
      - run: |
          ruff check .
          mypy src
"""
JUST = "test:\n    pytest\n\nlint path='.':\n    ruff check {{path}}\n"
TASKS = """\
version: '3'
tasks:
  test:
    deps: [build]
    cmds:
      - pytest
  build:
    cmds:
      - make
"""


def change(path: str, before: str | None, after: str | None, mode: int = 0o100644) -> FileChange:
    old = None if before is None else File(path, before.encode())
    return FileChange(old, None if after is None else File(path, after.encode(), mode))


def found(criterion: str, *changes: FileChange) -> tuple[Finding, ...]:
    return tampered(changes, AcceptedText(criteria=(criterion,) if criterion else ()))


CHANGED = [
    (
        "make test",
        "Makefile",
        MAKEFILE,
        MAKEFILE.replace("tests\n", "tests || true\n"),
        "test",
        "|| true",
    ),
    (
        "make test",
        "Makefile",
        MAKEFILE,
        MAKEFILE.replace("$(PYTEST)", "-$(PYTEST)"),
        "test",
        "-$(PYTEST)",
    ),
    (
        "make test",
        "Makefile",
        MAKEFILE,
        MAKEFILE.replace("= pytest", "= true"),
        "PYTEST",
        "is `true`",
    ),
    ("make test", "Makefile", MAKEFILE, "SHELL = /bin/true\n" + MAKEFILE, "SHELL", "/bin/true"),
    ("make test", "Makefile", MAKEFILE, ".IGNORE:\n" + MAKEFILE, ".IGNORE", "was not there"),
    ("make test", "Makefile", MAKEFILE, MAKEFILE + "MAKEFLAGS += -i\n", "MAKEFLAGS", "-i"),
    (
        "make test",
        "Makefile",
        MAKEFILE,
        MAKEFILE.replace("compileall src", "x"),
        "build",
        "compileall",
    ),
    (
        "make",
        "Makefile",
        MAKEFILE,
        ".DEFAULT_GOAL := lint\n" + MAKEFILE,
        "default target",
        "is `lint`",
    ),
    ("make test", "Makefile", MAKEFILE, None, "Makefile", "is gone"),
    (
        "make -C web test",
        "web/Makefile",
        "test:\n\tpytest\n",
        "test:\n\ttrue\n",
        "test",
        "is `true`",
    ),
    (
        "cd web && make test",
        "web/Makefile",
        "test:\n\tpytest\n",
        "test:\n\ttrue\n",
        "test",
        "`true`",
    ),
    ("make -f ci.mk test", "ci.mk", "test:\n\tpytest\n", "test:\n\ttrue\n", "test", "is `true`"),
    ("make test", "GNUmakefile", None, "test:\n\tpytest\n", "GNUmakefile", "takes precedence"),
    ("make test", "Makefile", None, "test:\n\t@echo ok\n", "test", "does nothing"),
    (
        "make test",
        "Makefile",
        "lint:\n\truff\n",
        "lint:\n\truff\ntest:\n\tpytest || true\n",
        "test",
        "hides",
    ),
    ("just test", "justfile", JUST, JUST.replace("pytest", "true"), "test", "is `true`"),
    (
        "task test",
        "Taskfile.yml",
        TASKS,
        TASKS.replace("- make", "- 'true'"),
        "build",
        "was `make`",
    ),
    ("npm test", "package.json", PACKAGE, PACKAGE.replace("&& jest", "|| true"), "test", "|| true"),
    (
        "npm test",
        "package.json",
        PACKAGE,
        PACKAGE.replace("jest unit", "true"),
        "unit",
        "is `true`",
    ),
    (
        "npm t",
        "package.json",
        PACKAGE,
        PACKAGE.replace('"unit"', '"pretest": "x", "unit"'),
        "pretest",
        "`x`",
    ),
    (
        "yarn unit",
        "package.json",
        PACKAGE,
        PACKAGE.replace("jest unit", "echo"),
        "unit",
        "is `echo`",
    ),
    (
        "pnpm run unit",
        "package.json",
        PACKAGE,
        PACKAGE.replace("jest unit", "echo"),
        "unit",
        "is `echo`",
    ),
    (
        "npm --prefix web test",
        "web/package.json",
        PACKAGE,
        PACKAGE.replace("jest unit", ":"),
        "unit",
        "`:`",
    ),
    (
        "npm run e2e",
        "package.json",
        PACKAGE,
        PACKAGE.replace("build", "e2e").replace("tsc", "exit 0"),
        "e2e",
        "nothing",
    ),
    (
        "tox",
        "tox.ini",
        "[testenv]\ncommands = pytest\n",
        "[testenv]\ncommands = true\n",
        "testenv",
        "true",
    ),
    ("nox -s test", "noxfile.py", "a = 1\n", "a = 2\n", "noxfile.py", "was changed"),
    (
        "./scripts/check.sh",
        "scripts/check.sh",
        "pytest\n",
        "set -e\nexit 0\n",
        "scripts/check.sh",
        "does nothing now",
    ),
    (
        "./scripts/check.sh",
        "scripts/check.sh",
        "a\npytest\n",
        "a\npytest -x\n",
        "scripts/check.sh",
        "line 2",
    ),
    ("bash ci/all", "ci/all", "pytest\n", None, "ci/all", "deleted"),
    (
        "python tools/verify.py --all",
        "tools/verify.py",
        "x = 1\n",
        "x = 2\n",
        "tools/verify.py",
        "line 1",
    ),
    (
        "python -m tools.verify",
        "tools/verify.py",
        "x = 1\n",
        "x = 2\n",
        "tools/verify.py",
        "line 1",
    ),
    ("node check.js", "check.js", "a()\n", "b()\n", "check.js", "line 1"),
    ("cd web; node ./check.js", "web/check.js", "a()\n", "b()\n", "web/check.js", "line 1"),
    ("python manage.py test", "manage.py", "a\n", "b\n", "manage.py", "line 1"),
    (
        "./scripts/new.sh",
        "scripts/new.sh",
        None,
        "#!/bin/sh\n# fine\ntrue\n",
        "scripts/new.sh",
        "does nothing",
    ),
    (
        "python tools/new.py",
        "tools/new.py",
        None,
        "import sys\nsys.exit(0)\n",
        "tools/new.py",
        "does nothing",
    ),
    ("bash -c './ci/run.sh'", "ci/run.sh", "a\n", "b\n", "ci/run.sh", "line 1"),
    (
        "cargo test",
        ".cargo/config.toml",
        None,
        '[target.x]\nrunner = "true"\n',
        "target.x.runner",
        "runner",
    ),
    (
        "cargo test",
        ".cargo/config.toml",
        "",
        '[alias]\ntest = "build"\n',
        "alias.test",
        "alias.test = build",
    ),
    (
        "cargo test",
        "rust-toolchain",
        "1.80\n",
        "nightly\n",
        "rust-toolchain",
        "was 1.80 and is nightly",
    ),
    ("pytest", ".python-version", "3.12\n", "3.9\n", ".python-version", "was 3.12 and is 3.9"),
    ("npm test", ".npmrc", "", "script-shell=/bin/true\n", "script-shell", "/bin/true"),
    (
        "go test ./...",
        "go.mod",
        "module a\n",
        "module a\nreplace github.com/stretchr/testify => ./t\n",
        "github.com/stretchr/testify",
        "./t",
    ),
    ("pytest", "pytest.py", None, "x", "pytest", "takes it for the module pytest"),
    ("python -m pytest", "_pytest/__init__.py", None, "", "_pytest", "module _pytest"),
    ("python -m pytest", "json.py", None, "x", "json", "module json"),
    (
        "cd api && python -m unittest",
        "api/unittest/__init__.py",
        None,
        "",
        "api/unittest",
        "module unittest",
    ),
    ("pytest", "src/coverage.py", None, "", "src/coverage", "module coverage"),
    ("pytest", "sitecustomize.py", None, "x", "sitecustomize.py", "before every program"),
    ("pytest", "lib/quiet.pth", None, "import x", "lib/quiet.pth", "before every program"),
    ("npm test", "node_modules/.bin/jest", None, "#!/bin/sh", "node_modules", "is committed now"),
    ("pytest", ".venv/bin/pytest", None, "#!/bin/sh", ".venv", "is committed now"),
    (
        "go test",
        "vendor/github.com/stretchr/testify/a.go",
        "a",
        "b",
        "vendor/github.com/stretchr/testify/a.go",
        "test library",
    ),
    ("", ".gitignore", "dist\n", "dist\ntests/test_cart.py\n", "tests/test_cart.py", "hides tests"),
    ("", ".gitignore", None, "*_test.go\n", "*_test.go", "hides tests"),
    ("", ".gitattributes", None, "tests/** -diff\n", "tests/**", "-diff"),
]


@pytest.mark.parametrize(
    ("criterion", "path", "before", "after", "subject", "words"),
    CHANGED,
    ids=[f"{row[0]} {row[1]} {row[4]}" for row in CHANGED],
)
def test_what_a_criterion_runs_must_stay(
    criterion: str, path: str, before: str | None, after: str | None, subject: str, words: str
) -> None:
    findings = {f.subject: f for f in found(criterion, change(path, before, after))}
    assert subject in findings, findings
    finding = findings[subject]
    assert finding.kind is FindingKind.CHECK_CHANGED
    assert words in finding.what
    assert finding.file == path
    assert finding.line >= 1
    assert finding.seen


HONEST = [
    ("another target", "make test", "Makefile", MAKEFILE, MAKEFILE + "fmt:\n\truff format\n"),
    (
        "a target that is not called",
        "make test",
        "Makefile",
        MAKEFILE,
        MAKEFILE.replace("check .", "check src"),
    ),
    ("a variable that is not used", "make test", "Makefile", MAKEFILE, "DOCS = a\n" + MAKEFILE),
    ("a comment", "make test", "Makefile", MAKEFILE, "# hello\n" + MAKEFILE),
    ("phony", "make test", "Makefile", MAKEFILE, MAKEFILE.replace("test lint", "test lint build")),
    ("the makefile is the work", "make test", "Makefile", None, "test:\n\tpytest -q\n"),
    (
        "the target is the work",
        "make e2e",
        "Makefile",
        MAKEFILE,
        MAKEFILE + "e2e: test\n\t./e2e.sh\n",
    ),
    ("a target of others", "make all2", "Makefile", None, "all2: test\ntest:\n\tpytest\n"),
    ("make is not called", "pytest", "Makefile", MAKEFILE, "test:\n\ttrue\n"),
    ("another folder", "make test", "docs/Makefile", "test:\n\ta\n", "test:\n\tb\n"),
    (
        "a script that is not called",
        "npm test",
        "package.json",
        PACKAGE,
        PACKAGE.replace("tsc", "tsc -b"),
    ),
    (
        "a new script",
        "npm run lint",
        "package.json",
        PACKAGE,
        PACKAGE.replace('"unit"', '"lint": "eslint .", "unit"'),
    ),
    (
        "a dependency",
        "npm test",
        "package.json",
        PACKAGE,
        PACKAGE.replace("{\n  ", '{\n  "version": "2",\n  ', 1),
    ),
    (
        "the placeholder of npm init",
        "npm test",
        "package.json",
        '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}',
        '{"scripts": {"test": "vitest run"}}',
    ),
    ("another recipe of just", "just test", "justfile", JUST, JUST + "\nfmt:\n    ruff format\n"),
    (
        "tox dependencies",
        "tox",
        "tox.ini",
        "[testenv]\ncommands = a\n",
        "[testenv]\ndeps = x\ncommands = a\n",
    ),
    (
        "the script is the work",
        "./scripts/check.sh",
        "scripts/check.sh",
        None,
        "#!/bin/sh\nset -e\npytest\n",
    ),
    ("the program is the work", "python main.py", "main.py", "a\n", "b\n"),
    ("the package is the work", "python -m shop --version", "shop/__main__.py", "a\n", "b\n"),
    ("the binary is the work", "./bin/shop --help", "bin/shop", "a\n", "b\n"),
    ("a test file", "python tests/test_cart.py", "tests/test_cart.py", "a\n", "b\n"),
    ("tests are inventoried", "pytest tests/test_cart.py", "tests/test_cart.py", "a\n", "b\n"),
    ("data", "grep -q two README.md", "README.md", "one\n", "two\n"),
    ("a script that nobody calls", "pytest", "scripts/deploy.sh", "a\n", "b\n"),
    ("another tool's pin", "npm test", ".python-version", "3.11\n", "3.12\n"),
    ("a first pin", "pytest", ".python-version", None, "3.12\n"),
    ("cargo build settings", "cargo test", ".cargo/config.toml", None, "[build]\njobs = 2\n"),
    ("registry", "npm test", ".npmrc", "", "save-exact=true\n"),
    (
        "a library",
        "go test",
        "go.mod",
        "module a\n",
        "module a\nrequire github.com/stretchr/testify v1.9.0\n",
    ),
    ("a module in a package", "python -m pytest", "src/shop/json.py", None, "x"),
    ("a module that pytest does not meet", "pytest", "queue.py", None, "x"),
    ("a folder with a known name", "python -m pytest", "calendar/data.txt", None, "x"),
    ("a package of tests", "python -m pytest", "tests/__init__.py", None, ""),
    ("conftest has an inventory", "pytest", "conftest.py", None, "x"),
    ("another executable", "pytest", "bin/shop", None, "#!/bin/sh"),
    (
        "caches",
        "",
        ".gitignore",
        "dist\n",
        "dist\n.pytest_cache/\ntest-results/\n.coverage\n*.log\ntests/output/\n/test/tmp\n",
    ),
    ("lfs", "", ".gitattributes", None, "*.png filter=lfs diff=lfs merge=lfs -text\n* text=auto\n"),
    ("a new workflow", "", ".github/workflows/new.yml", None, WORKFLOW),
    ("newer actions", "", ".github/workflows/ci.yml", WORKFLOW, WORKFLOW.replace("@v3", "@v4")),
    (
        "the id of a step",
        "",
        ".github/workflows/ci.yml",
        WORKFLOW.replace("- name: Tests", "- id: tests"),
        WORKFLOW,
    ),
    (
        "more steps",
        "",
        ".github/workflows/ci.yml",
        WORKFLOW,
        WORKFLOW + "      - run: echo hello\n",
    ),
    ("a longer step", "", ".github/workflows/ci.yml", WORKFLOW, WORKFLOW.replace("-q", "-q -x")),
    (
        "names and matrix",
        "",
        ".github/workflows/ci.yml",
        WORKFLOW,
        WORKFLOW.replace("CI", "All").replace('"3.12"', '"3.13"'),
    ),
    (
        "more triggers",
        "",
        ".github/workflows/ci.yml",
        WORKFLOW,
        WORKFLOW.replace("on:\n", "on:\n  workflow_dispatch:\n"),
    ),
]


@pytest.mark.parametrize(
    ("criterion", "path", "before", "after"), [h[1:] for h in HONEST], ids=[h[0] for h in HONEST]
)
def test_honest_changes_are_let_be(
    criterion: str, path: str, before: str | None, after: str | None
) -> None:
    assert found(criterion, change(path, before, after)) == ()


PIPELINES = [
    (
        "a step hidden",
        WORKFLOW.replace("pytest -q", "pytest -q || true"),
        "is `pytest -q || true` now",
    ),
    ("a step removed", WORKFLOW.replace("          mypy src\n", ""), "`mypy src` was removed"),
    (
        "an action removed",
        WORKFLOW.replace("- uses: actions/checkout@v3", "- run: x"),
        "uses actions/checkout",
    ),
    (
        "a job that may fail",
        WORKFLOW.replace("runs-on", "continue-on-error: true\n    runs-on"),
        "continue-on-error",
    ),
    (
        "a job that is off",
        WORKFLOW.replace("runs-on", "if: ${{ false }}\n    runs-on"),
        "`if: ${{ false }}`",
    ),
    ("a trigger less", WORKFLOW.replace("  pull_request:\n", ""), "no longer run on pull_request"),
    (
        "a new step that hides",
        WORKFLOW + "      - run: npm test || true\n",
        "hides whether it fails",
    ),
    ("a workflow less", None, "was deleted"),
]


@pytest.mark.parametrize(
    ("after", "words"), [p[1:] for p in PIPELINES], ids=[p[0] for p in PIPELINES]
)
def test_a_softer_pipeline_is_named(after: str | None, words: str) -> None:
    (finding,) = found("", change(".github/workflows/ci.yml", WORKFLOW, after))
    assert finding.kind is FindingKind.SETTING_LOOSENED
    assert words in finding.what
    assert finding.line >= 1


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            ".gitlab-ci.yml",
            "t:\n  script:\n    - pytest\n",
            "t:\n  script:\n    - pytest\n  allow_failure: true\n",
        ),
        (
            ".gitlab-ci.yml",
            "t:\n  script:\n    - pytest\n    - mypy\n",
            "t:\n  script:\n    - mypy\n",
        ),
        ("Jenkinsfile", "stage('t') { sh 'pytest' }", "stage('t') { sh 'true' }"),
        (
            ".circleci/config.yml",
            "jobs:\n  t:\n    steps:\n      - run: pytest\n",
            "jobs:\n  t:\n    steps:\n      - run: a\n",
        ),
        (
            "azure-pipelines.yml",
            "steps:\n- script: pytest\n",
            "steps:\n- script: pytest\n  continueOnError: true\n",
        ),
    ],
)
def test_other_pipelines_are_read_too(path: str, before: str, after: str) -> None:
    (finding,) = found("", change(path, before, after))
    assert finding.kind is FindingKind.SETTING_LOOSENED


def test_what_a_target_calls_is_followed() -> None:
    makefile = change("Makefile", MAKEFILE, MAKEFILE)
    script = change("scripts/extra.sh", "pytest more\n", "exit 0\n")
    (finding,) = found("make test", makefile, script)
    assert finding.subject == "scripts/extra.sh"


def test_a_runner_behind_a_makefile_that_nobody_sees_is_found() -> None:
    (finding,) = found("make test", change("tests/run.sh", "bad=1\n", "bad=0\n"))
    assert finding.what == "tests/run.sh, which `make test` may run, was changed at line 1"
    assert found("make test", change("tests/test_cart.sh", "a\n", "b\n")) == ()
    assert found("make test", change("scripts/deploy.sh", "a\n", "b\n")) == ()
    assert found("pytest", change("tests/run.sh", "a\n", "b\n")) == ()


def test_a_script_that_became_a_link_is_found() -> None:
    before = File("scripts/check.sh", b"pytest\n", 0o100755)
    after = File("scripts/check.sh", b"/bin/true", SYMLINK_MODE)
    (finding,) = found("scripts/check.sh", FileChange(before, after))
    assert "is a link to /bin/true now" in finding.what


def test_a_program_in_the_tree_is_found() -> None:
    fake = change("bin/pytest", None, "#!/bin/sh\nexit 0\n", 0o100755)
    (finding,) = found("pytest -q", fake)
    assert "has the name of a program that a criterion calls" in finding.what


def test_a_thousand_installed_files_are_one_finding() -> None:
    files = [change(f"node_modules/jest/{n}.js", None, "x") for n in range(1000)]
    assert len(found("npm test", *files)) == 1


PLAN = "---\nfeature_name: night-shift\nmode: fast\n---\n# Plan\n\n- `pytest` passes\n"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (PLAN, PLAN.replace("`pytest`", "`true`"), 7),
        (PLAN, PLAN.replace("mode: fast", "mode: slow"), 3),
        (PLAN, None, 1),
        (PLAN, "", 1),
    ],
)
def test_the_plan_is_not_the_agents_to_change(before: str, after: str | None, line: int) -> None:
    asked = AcceptedText(plan_file="plans/PLAN.md")
    (finding,) = tampered([change("plans/PLAN.md", before, after)], asked)
    assert finding.kind is FindingKind.PLAN_CHANGED
    assert finding.line == line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (PLAN, PLAN.replace("night-shift", "day-shift")),
        ("# Plan\n", "---\nfeature_name: night-shift\n---\n# Plan\n"),
        ("# Plan\n", "---\nfeature_name: night-shift\n---\n\n# Plan\n"),
        ("---\nmode: a\n---\n# Plan\n", "---\nmode: a\nfeature_name: x\n---\n# Plan\n"),
        ("---\nmode: a\n...\n# Plan\n", "---\nmode: a\nfeature_name: x\n...\n# Plan\n"),
        ("\ufeff# Plan\r\n", "\ufeff---\r\nfeature_name: x\r\n---\r\n\r\n# Plan\r\n"),
        ("---\nfeature_name : y\n---\n# Plan\n", "---\nfeature_name: x\n---\n# Plan\n"),
    ],
)
def test_its_name_may_be_written_into_the_plan(before: str, after: str) -> None:
    asked = AcceptedText(plan_file="PLAN.md")
    assert tampered([change("PLAN.md", before, after)], asked) == ()
    assert tampered([change("OTHER.md", PLAN, "")], asked) == ()


NAMES = sorted({row[1] for row in CHANGED} | {".github/workflows/ci.yml", "Jenkinsfile", "PLAN.md"})
CRITERIA = sorted({row[0] for row in CHANGED})
WORDS = (
    "test: build\n|\ttrue\n|$(|)|{|}|\"|'|=|\\\n|- run: a\n|on:\n|- a\n|scripts|[alias]\n| ||#|\0"
)
TEXTS = st.text(max_size=100) | st.lists(st.sampled_from(WORDS.split("|")), max_size=40).map(
    "".join
)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(CRITERIA) | st.text(max_size=60), st.sampled_from(NAMES), TEXTS, TEXTS)
def test_nothing_breaks_it(criterion: str, path: str, before: str, after: str) -> None:
    asked = AcceptedText(criteria=(criterion,), plan_file="PLAN.md")
    for pair in ((before, after), (None, after), (before, None)):
        for finding in tampered([change(path, *pair)], asked):
            assert finding.what
    assert all(
        finding.kind is not FindingKind.PLAN_CHANGED
        for finding in tampered([change(path, before, before)], asked)
    )
