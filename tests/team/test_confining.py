"""Files that a judge may write: new reports, and additions to wisdom (CK-23)."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from topkick.app.project import Project
from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Edit
from topkick.engine.errors import UsageError
from topkick.engine.io.file_executor import Door, FileBench
from topkick.runner import sandbox
from topkick.sprint.model import JUDGE
from topkick.team.run.judge_sandbox import judges_door, refusal

REPORT = "artifacts/CHECKPOINT-001-report.md"
NEW = Text.of("# Report\n")
UPSTREAM = "What the team wrote.\n"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    for name in ("artifacts", "wisdom", "spec", ".msg"):
        (tmp_path / name).mkdir()
    (tmp_path / "spec/brief.md").write_text(UPSTREAM)
    return tmp_path


def write(session: Path, *edits: Edit) -> h.FilesEdited:
    door = Door(refusal, session / ".msg")
    bench = FileBench(session, lambda text: text.body or "", lambda _run: ("absent", 0), door)
    bench.ensure(h.EditFiles("m-edit-1", 1, edits))
    (fact,) = bench.poll()
    assert isinstance(fact, h.FilesEdited)
    assert (session / "spec/brief.md").read_text() == UPSTREAM
    assert not [*(session / ".msg").iterdir()], "a draft lies about"
    return fact


@pytest.mark.spec("CK-23")
@pytest.mark.parametrize(
    "edit",
    [
        Edit("spec/brief.md", "", NEW),
        Edit("spec/brief.md", Text.of(UPSTREAM).sha256, NEW),
        Edit("spec/brief.md", "", NEW, appends=True),
        Edit("team-session.json", "", NEW),
        Edit(".msg/messages.jsonl", "", NEW, appends=True),
        Edit("artifacts/notes.md", "", NEW),
        Edit("artifacts/CHECKPOINT-001-report.md.bak", "", NEW),
        Edit("artifacts/../spec/CHECKPOINT-001-report.md", "", NEW),
        Edit("../artifacts/CHECKPOINT-001-report.md", "", NEW),
        Edit("/artifacts/CHECKPOINT-001-report.md", "", NEW),
        Edit(f"{REPORT}\n", "", NEW),
        Edit(REPORT, Text.of("an earlier one").sha256, NEW),
        Edit(REPORT, "", NEW, appends=True),
        Edit("wisdom/issues.md", "", NEW),
        Edit("wisdom/../spec/x.md", "", NEW, appends=True),
        Edit("wisdom/sub/x.md", "", NEW, appends=True),
        Edit("wisdom/.x.md", "", NEW, appends=True),
    ],
    ids=lambda edit: f"{edit.path}{'+' if edit.appends else ''}{'*' if edit.was else ''}",
)
def test_everything_else_is_refused_and_nothing_is_made(session: Path, edit: Edit):
    before = sorted(session.rglob("*"))
    assert "the judge may not write" in write(session, edit).trouble
    assert sorted(session.rglob("*")) == before


def link(path: Path) -> None:
    path.symlink_to("../spec/brief.md")


def link_to_nothing(path: Path) -> None:
    path.symlink_to("../spec/new.md")


@pytest.mark.spec("CK-23")
@pytest.mark.parametrize("appends", [False, True])
@pytest.mark.parametrize("make", [link, link_to_nothing, os.mkfifo, os.mkdir])
def test_what_is_no_plain_file_is_never_written_through(
    session: Path, make: Callable[[Path], None], appends: bool
):
    path = "wisdom/issues.md" if appends else REPORT
    make(session / path)
    found = write(session, Edit(path, "", NEW, appends=appends))
    assert f"{path} cannot be" in found.trouble
    assert not (session / "spec/new.md").exists()


@pytest.mark.spec("CK-23")
@pytest.mark.parametrize(
    ("where", "why"),
    [("..", "it is outside the project"), ("spec", "a parent directory is a link")],
)
@pytest.mark.parametrize("appends", [False, True])
def test_a_directory_that_leads_elsewhere_is_not_followed(
    session: Path, where: str, why: str, appends: bool
):
    """Nor to the work of others in the same session, which was written into."""
    name, path = ("wisdom", "wisdom/new.md") if appends else ("artifacts", REPORT)
    (session / name).rmdir()
    (session / name).symlink_to(where)
    found = write(session, Edit(path, "", NEW, appends=appends))
    assert why in found.trouble
    assert not (session / where / Path(path).name).exists()
    place = Project(session, session / "team-session.json", session, JUDGE)
    with pytest.raises(UsageError, match=f"{name} is not a directory of the session"):
        judges_door(place)


FENCED_IN = """
import os, sys
from pathlib import Path
from topkick.runner.local_runner import LocalRunner
from topkick.team.run.judge_sandbox import confine
from topkick.app.project import JUDGE, Project

place = Path.cwd()
project = Project(place, place / "team-session.json", place / "state", JUDGE)
agents = LocalRunner(project.runs)
assert confine(project, agents)
tries = {
    "append": lambda: open("spec/brief.md", "a").write("x"),
    "truncate": lambda: os.truncate("spec/brief.md", 0),
    "make": lambda: open("spec/new.md", "x"),
    "delete": lambda: os.unlink("spec/brief.md"),
    "move out": lambda: os.rename("spec/brief.md", ".msg/x"),
    "move over": lambda: os.rename(".msg/draft", "spec/brief.md"),
    "link": lambda: os.symlink("x", "spec/link"),
    "directory": lambda: os.mkdir("spec/more"),
    "session file": lambda: open("team-session.json", "w"),
    "change a report": lambda: open("artifacts/old.md", "a").write("x"),
    "delete a report": lambda: os.unlink("artifacts/old.md"),
    "empty wisdom": lambda: os.truncate("wisdom/old.md", 0),
    "delete wisdom": lambda: os.unlink("wisdom/old.md"),
    "in a child": lambda: 1 / (os.system("echo x 2>/dev/null >> spec/brief.md") == 0),
}
for name, attempt in tries.items():
    try:
        attempt()
    except (PermissionError, OSError, ZeroDivisionError):
        continue
    print(name)
open("wisdom/old.md", "a").write("more")
os.link(".msg/draft", "artifacts/new.md")
open("state/mine", "w").close()
agents.close()
"""


@pytest.mark.spec("CK-23")
def test_behind_its_fence_a_judge_could_not_even_if_it_would(session: Path):
    """The sandbox stops every forbidden write, even by the judge's own code."""
    if not sandbox.is_there():
        said = "this kernel has no Landlock: nothing but our own door keeps a judge in"
        pytest.fail(said) if os.environ.get("TOPKICK_REQUIRE_TOOLS") == "1" else pytest.skip(said)
    for name in ("team-session.json", "artifacts/old.md", "wisdom/old.md", ".msg/draft"):
        (session / name).write_text("{}")
    (session / "state/current").mkdir(parents=True)
    words = [sys.executable, "-c", FENCED_IN]
    done = subprocess.run(words, cwd=session, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (session / "spec/brief.md").read_text() == UPSTREAM
    assert (session / "wisdom/old.md").read_text() == "{}more"


@pytest.mark.spec("CK-23", "T3")
def test_a_report_is_made_once_and_never_overwritten(session: Path):
    edit = Edit(REPORT, "", NEW)
    assert write(session, edit) == h.FilesEdited(1)
    made = (session / REPORT).stat()
    assert write(session, edit) == h.FilesEdited(1), "it is in place"
    assert (session / REPORT).stat().st_ino == made.st_ino
    assert write(session, Edit(REPORT, "", Text.of("# Other\n"))).changed == REPORT
    assert (session / REPORT).read_text() == "# Report\n"


@pytest.mark.spec("CK-23", "T3")
@pytest.mark.parametrize("there", ["", "- known\n", "- left open", "- [CHECK"])
def test_wisdom_is_added_once_and_on_a_line_of_its_own(session: Path, there: str):
    """Earlier, text was joined to a last line that another writer or a full disk had cut off."""
    risk = Edit("wisdom/issues.md", "", Text.of("- [CHECKPOINT-001] a risk\n"), appends=True)
    (session / risk.path).write_text(there)
    for _ in range(2):
        assert write(session, risk) == h.FilesEdited(1)
    lines = (session / risk.path).read_text().splitlines()
    assert lines == [*there.splitlines(), "- [CHECKPOINT-001] a risk"]
