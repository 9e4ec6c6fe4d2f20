"""Shared by all suites: requiring a tool of the machine, and golden files."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import turn  # noqa: F401  before the workers are started, which inherit it

pytest_plugins = ["tools.suite_minutes", "tools.signal_guard"]

GOLDEN = Path(__file__).parent / "golden"

settings.register_profile(
    "any-machine",
    max_examples=int(os.environ.get("TOPKICK_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any-machine")  # a loaded machine is no failure of the program

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell's background job: what tests start would inherit it, and never hear a Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


def need(tool: str) -> str:
    """Return the path of a program; without it, skip the test loudly, or fail it in CI."""
    path = shutil.which(tool)
    if path is not None:
        return path
    message = f"{tool} is not installed, so this suite proves nothing here"
    if os.environ.get("TOPKICK_REQUIRE_TOOLS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@pytest.fixture(name="need", scope="session")
def _need() -> Callable[[str], str]:
    return need


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-golden", action="store_true", help="write what the tests produce to tests/golden"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: text equals tests/golden/name, or becomes it under the flag."""
    rewrite = bool(request.config.getoption("--rewrite-golden"))

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            return
        assert path.exists(), f"tests/golden/{name} is missing: run with --rewrite-golden"
        assert text == path.read_bytes().decode(), (
            f"differs from tests/golden/{name}; if intended: --rewrite-golden, then read the diff"
        )

    return compare
