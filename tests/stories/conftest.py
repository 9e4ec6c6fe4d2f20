"""Every story has a project of its own and is told twice: in native and in portable mode."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project


@pytest.fixture(params=["native", "portable"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=request.param == "portable")
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)
