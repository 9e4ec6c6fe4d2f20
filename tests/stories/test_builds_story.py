"""Two supervisors on one host, each with several units whose checks build: one build at a time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit

# What is built leaves a trace that both projects share, at its end by a signal too; it takes long
# enough to be met.
BUILD = """
trap 'echo "end $$" >>"$HOME/trace"' EXIT
trap 'exit 1' TERM
echo "begin $$" >>"$HOME/trace"
sleep 0.3
test -f "$1"
"""
BUILT = sprint("sh ./build.sh {here}/done-1.txt")
THREE = plan(unit("a", BUILT), unit("b", BUILT), unit("c", BUILT))
PATIENCE_S = 120.0


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Project, Project]]:
    """Two projects of one user; one of them does without the system's finer means."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one = Project(tmp_path / "one", portable=False)
    two = Project(tmp_path / "two", portable=True)
    two.home, two.env["HOME"] = one.home, str(one.home)
    yield one, two
    left = [*one.close(), *two.close()]
    assert not left, "still alive after the story:\n" + "\n".join(left)


def made(project: Project) -> Project:
    (project.root / "build.sh").write_text(BUILD)
    return project.make(THREE, top={"isolation": "auto"})


@pytest.mark.spec("GT-02")
def test_two_supervisors_never_build_at_once(pair: tuple[Project, Project]) -> None:
    running = [made(p).begin("start", "--yes", "--foreground") for p in pair]
    for process in running:
        said, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, said
    lines = (pair[0].home / "trace").read_text().splitlines()
    assert len(lines) >= 2 * 6, "every unit of both was built"
    for begin, end in zip(lines[::2], lines[1::2], strict=True):
        assert (begin.split()[0], end.split()[0]) == ("begin", "end"), lines
        assert begin.split()[1] == end.split()[1], lines
    place = pair[0].home / ".local" / "state" / "topkick" / "building"
    assert [path.name for path in place.glob("wait-*")] == []
    assert [path.name for path in place.glob("slot-*")] == ["slot-1"]
