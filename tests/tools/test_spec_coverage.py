"""The tool that says which rules no test carries."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "spec_coverage.py"
PAGE = """# Rules

## States (SM)

### SM-01

One state. See SM-09.

### SM-02

Refused.

## Invariants (S)

### S1

One state.

### S2

An edge; see C1.

### S10

Last.

## Dispatch (D)

### D1

Durable.
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "rules.md").write_text(PAGE)
    return tmp_path


def write_test(project: Path, source: str) -> None:
    (project / "tests" / "test_it.py").write_text("import pytest\n" + source)


def run(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    where = ["--rules", str(project / "rules.md"), "--tests", str(project / "tests")]
    return subprocess.run(
        [sys.executable, str(TOOL), *where, *options], capture_output=True, text=True, check=False
    )


def test_lists_by_chapter_what_no_test_carries(project: Path) -> None:
    write_test(project, "@pytest.mark.spec('SM-01', 'S2')\ndef test_a(): ...\n")
    done = run(project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "States (SM): 1 of 2 carried by a test",
        "  no test: SM-02",
        "Invariants (S): 1 of 3 carried by a test",
        "  no test: S1 S10",
        "Dispatch (D): 0 of 1 carried by a test",
        "  no test: D1",
        "2 of 6 rules are carried by a test, 4 are not.",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "pytestmark = pytest.mark.spec('SM-02')\n",
        "pytestmark = [pytest.mark.slow, pytest.mark.spec('SM-02')]\n",
        "CASES = [pytest.param(1, marks=pytest.mark.spec('SM-02'))]\n",
        "class TestIt:\n    @pytest.mark.spec('SM-02')\n    def test_b(self): ...\n",
        "@pytest.mark.spec(*('SM-02', 'S1'), 'S2')\ndef test_d(): ...\n",
        "from pytest import mark\n@mark.spec('SM-02')\ndef test_c(): ...\n",
    ],
)
def test_finds_marks_wherever_they_stand(project: Path, source: str) -> None:
    write_test(project, source)
    assert "  no test: SM-01\n" in run(project).stdout


def test_only_narrows_by_exact_prefix(project: Path) -> None:
    out = run(project, "--only", "S").stdout
    assert "no test: S1 S2 S10" in out
    assert "SM-01" not in out
    assert "0 of 3 rules" in out


@pytest.mark.parametrize("id_", ["'SM-" + "77'", "'S3'", "RULES"])
def test_an_id_that_is_no_rule_is_an_error(project: Path, id_: str) -> None:
    write_test(project, f"@pytest.mark.spec('SM-01', {id_})\ndef test_a(): ...\n")
    done = run(project, "--only", "D")
    assert done.returncode == 1
    assert f"test_it.py:2: {id_.strip(chr(39))} " in done.stderr
