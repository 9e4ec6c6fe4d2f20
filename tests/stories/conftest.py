"""Every story has a project of its own. Those about processes run twice, in native and in
portable mode; the others in one of the two, which changes from day to day."""

import os
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from story_project import Project

from turn import DAY

MODES = ("native", "portable")
ABOUT_PROCESSES = (
    "test_agent_story",
    "test_background_story",
    "test_crash_story",
    "test_gates_story",
    "test_killall_story",
    "test_rough_story",
    "test_stop_story",
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`TOPKICK_BOTH_MODES=1` tells all of them twice."""
    if "project" not in metafunc.fixturenames or metafunc.module.__name__ == "test_mistakes":
        return
    name = f"{metafunc.module.__name__}.{metafunc.function.__name__}"
    both = metafunc.module.__name__ in ABOUT_PROCESSES or os.environ.get("TOPKICK_BOTH_MODES")
    today = MODES[(crc32(name.encode()) + DAY) % 2]
    metafunc.parametrize("project", MODES if both else [today], indirect=True)


@pytest.fixture
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=request.param == "portable")
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)
