"""What a judge may write, by its one door: reports that are new, and more wisdom (CK-23)."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from topkick.core import happenings as h
from topkick.core.errors import UsageError
from topkick.core.files import Edit
from topkick.core.texts import Text
from topkick.outside.file_bench import Door, FileBench
from topkick.wiring.confining import judges_door, refusal
from topkick.wiring.project import JUDGE, Project

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
    assert "is not the judge's to write" in write(session, edit).trouble
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
    ("where", "why"), [("..", "it is not inside the project"), ("spec", "a link leads there")]
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
    with pytest.raises(UsageError, match=f"{name} is no directory of the session's own"):
        judges_door(place)


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
    """What others left open, or we when the disk was full, was glued to what we added."""
    risk = Edit("wisdom/issues.md", "", Text.of("- [CHECKPOINT-001] a risk\n"), appends=True)
    (session / risk.path).write_text(there)
    for _ in range(2):
        assert write(session, risk) == h.FilesEdited(1)
    lines = (session / risk.path).read_text().splitlines()
    assert lines == [*there.splitlines(), "- [CHECKPOINT-001] a risk"]
