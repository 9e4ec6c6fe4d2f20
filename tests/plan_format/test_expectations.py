"""The expected and the actual result of a compiled criterion, taken from its own output."""

import subprocess
from pathlib import Path

import pytest

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.inspection.tampering.syntax_checks import first_error
from topkick.plan_format.criteria.criteria import text_criterion
from topkick.sprint.check_wording import told, worded

SIX = {"a.py": "route\n" * 6}


@pytest.mark.parametrize(
    ("text", "files", "ended"),
    [
        ("`grep -c route a.py` returns 3", SIX, "expected 3, got 6"),
        ("`grep -c route a.py` returns at least 9", SIX, "expected at least 9, got 6"),
        ("`grep -n route a.py` returns 3 lines", SIX, "expected 3 lines, got 6 lines"),
        (
            "`grep -n route a.py` returns nothing",
            SIX,
            "expected no match, got 1:route (and 5 more)",
        ),
        ("`cat a.py` prints nothing", SIX, "expected no output, got route (and 5 more)"),
        ("`sh -c 'exit 4'` exits 2", {}, "expected exit code 2, got exit code 4"),
        ("`sh -c 'exit 4'` passes", {}, "expected exit code 0, got 4"),
        ("`true` exits nonzero", {}, "expected an exit code other than 0, got 0"),
        ("File exists: `b.py`", {}, "expected a file, got none"),
        ("`a.py` contains `Install`", SIX, "expected a match, got none"),
        ("`cat a.py` prints `ok`", SIX, "expected exit code 0 and output with `ok`, got route"),
    ],
)
def test_expected_and_got(tmp_path: Path, text: str, files: dict[str, str], ended: str) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    criterion, _ = text_criterion(text, 1)
    assert criterion.command is not None
    done = subprocess.run(
        ["bash", "-c", criterion.command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    output = (done.stdout + done.stderr).strip()
    result = CheckResult(criterion.command, CheckOutcome.FAILED, done.returncode, 0, output)
    assert done.returncode
    assert told(worded(result, (criterion,))) == f"{text}: {ended}"


def test_a_number_that_never_came_leaves_no_word_of_the_shell(tmp_path: Path) -> None:
    criterion, _ = text_criterion("`grep -c route gone.py` returns 3", 1)
    assert criterion.command is not None
    done = subprocess.run(
        ["bash", "-c", criterion.command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode
    assert done.stderr == "grep: gone.py: No such file or directory\n"


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (
            "beta/x.js:1\nfoo(\n    ^\n\nSyntaxError: Unexpected token",
            "beta/x.js:1: Unexpected token",
        ),
        ("./a/b.py:2: invalid syntax\n  File ...", "a/b.py:2: invalid syntax"),
        ("./a.go:3:5: expected ';'", "a.go:3: expected ';'"),
        ("a.ts(3,5): error TS1005: ';' expected.", "a.ts:3: error TS1005: ';' expected."),
        ("./a.rs:\nerror: expected one of `!`\n --> <stdin>:1:4", "a.rs: expected one of `!`"),
        ("something else", ""),
    ],
)
def test_the_first_syntax_error_is_named_with_its_place(output: str, error: str) -> None:
    assert first_error(output) == error
