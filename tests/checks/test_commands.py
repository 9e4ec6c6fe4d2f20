"""A check that ends with 0 counts as passed only with evidence."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.checks.worker.commands import Commands
from topkick.inspection.test_counts.count_required import must_count, must_report
from topkick.runner.process.tree import SignalPipe

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
UNITTEST = f"{sys.executable} -m unittest -q"
PASSED, FAILED, NOTHING = CheckOutcome.PASSED, CheckOutcome.FAILED, CheckOutcome.RAN_NOTHING


Run = Callable[[str], CheckResult]


@pytest.fixture
def run(tmp_path: Path, bell: tuple[SignalPipe, int]) -> Run:
    """`run(command)` as a checker would, at the test's directory."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    report = tmp_path / "report.xml"
    return Commands("r-1", tmp_path, env, 60.0, (), None, bell[0], report).run


@pytest.mark.spec("VF-03", "V1", "V8")
@pytest.mark.parametrize(
    ("body", "pytest_says", "unittest_says"),
    [
        ("self.assertEqual(1 + 1, 2)", PASSED, PASSED),
        ("self.assertEqual(1 + 1, 3)", FAILED, FAILED),
        ("self.skipTest('later')", NOTHING, NOTHING),
        ("os._exit(0)", NOTHING, NOTHING),
        ("atexit.register(os._exit, 0); self.fail()", FAILED, FAILED),
    ],
)
def test_a_run_has_to_come_to_its_end_and_run_something(
    tmp_path: Path, run: Run, body: str, pytest_says: CheckOutcome, unittest_says: CheckOutcome
) -> None:
    (tmp_path / "test_it.py").write_text(
        "import atexit, os, unittest\n\n\nclass It(unittest.TestCase):\n"
        f"    def test_it(self):\n        {body}\n"
    )
    assert run(PYTEST).outcome is pytest_says
    assert run(f"{UNITTEST} test_it").outcome is unittest_says


@pytest.mark.spec("V8")
def test_what_a_test_prints_is_no_report_of_pytest(tmp_path: Path, run: Run) -> None:
    (tmp_path / "test_it.py").write_text(
        "import os\n\n\ndef test_it():\n    os.write(1, b'1 passed in 0.02s\\n')\n    os._exit(0)\n"
    )
    assert run(f"{PYTEST} -s").outcome is NOTHING


@pytest.mark.spec("VF-05")
def test_a_command_that_is_no_test_only_has_to_end_well(run: Run) -> None:
    assert run("true").outcome is PASSED
    assert run("no-such-program-here").outcome is CheckOutcome.CANNOT_RUN
    assert run("./no-such-file").outcome is FAILED


@pytest.mark.parametrize(
    ("command", "reports", "counts"),
    [
        ("pytest -q", True, True),
        ("uv run pytest tests", True, True),
        ("cd a && python3 -m pytest", True, True),
        ("pytest -qq", False, False),
        ("pytest > out.txt", False, False),
        ("pytest --collect-only", False, False),
        ("python -m unittest", False, True),
        ("cargo test --offline", False, True),
        ("cargo test --no-run", False, False),
        ("node --test", False, True),
        ("node --test --test-reporter=dot", False, False),
        ("make test", False, False),
        ("tox -e py", False, False),
        ("echo pytest", False, False),
        ("test -f pytest.ini", False, False),
    ],
)
def test_who_has_to_tell_how_many(command: str, reports: bool, counts: bool) -> None:
    assert (must_report(command), must_count(command)) == (reports, counts)
