"""A judge and its checks change nothing of others', by the system where it can (CK-23)."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from judge_session import EXISTS, Session, role_spec, shell
from story_project import Project

from topkick.runner import sandbox
from topkick.team.run.judge_session import find_session

CALLS = (
    *("open", "openat", "openat2", "creat", "truncate", "mkdir", "mkdirat", "mknod", "mknodat"),
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir"),
    *(
        "landlock_restrict_self",
        "symlink",
        "symlinkat",
        "chmod",
        "fchmodat",
        "chown",
        "fchownat",
        "utimensat",
        "setxattr",
    ),
)
PATHS = re.compile(r'"((?:[^"\\]|\\.)*)"')
READS = re.compile(r"^open(at2?)?\(.*O_(RDONLY|PATH)")
MAKES = re.compile(r"O_(CREAT|TRUNC|TMPFILE)")
CLEAR = "clear | agent | Is the brief clear? | consistency | normal"


@pytest.fixture
def fenced() -> None:
    if not sandbox.is_there():
        said = "this kernel has no Landlock: nothing but our own door keeps a judge in"
        pytest.fail(said) if os.environ.get("TOPKICK_REQUIRE_TOOLS") == "1" else pytest.skip(said)


def native(tmp_path: Path) -> Project:
    return Project(tmp_path, portable=False)


def written(log: Path) -> set[str]:
    """Return every path that was opened to write, made, moved or removed, also in vain."""
    lines = log.read_text().splitlines()
    calls = [line for line in lines if not READS.match(line) or MAKES.search(line)]
    return {path for line in calls for path in PATHS.findall(line.partition(" = ")[0])}


@pytest.mark.spec("CK-23")
@pytest.mark.usefixtures("fenced")
def test_by_the_operating_system_a_judge_writes_only_what_is_its_own(
    tmp_path: Path, need: Callable[[str], str]
):
    """One wake with every kind of check and a warning, looked at from outside."""
    strace, project = need("strace"), native(tmp_path)
    session = Session(project, role_spec(c001=(EXISTS, shell("false"), CLEAR)))
    before, log = session.upstream(), tmp_path / "calls"
    options = [strace, "-qq", "-o", str(log), f"--trace={','.join(f'?{c}' for c in CALLS)}"]
    words = ("checkpoint", "judge", "night", "CHECKPOINT-001", "--scope", "DRAFT-001")
    done = subprocess.run(
        [*options, sys.executable, "-m", "topkick", *words, "--role-spec", "role.md"],
        cwd=project.root,
        env={**project.env, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    own = [find_session(session.place).state_dir, session.place / ".msg", Path("/dev")]
    others = {path for path in written(log) if not any(Path(path).is_relative_to(o) for o in own)}
    assert others == {
        str(session.place / "wisdom"),
        str(session.place / "artifacts"),
        str(session.place / "wisdom/issues.md"),
        str(session.place / "artifacts/CHECKPOINT-001-report.md"),
        str(project.root / ".git/topkick"),
    }
    said = log.read_text()
    assert 0 < said.index("landlock_restrict_self(") < said.index("wisdom/issues.md")
    assert session.upstream() == before
    assert (project.scripts / "starts").read_text().count("\n") == 1, "the agent was asked"
    assert project.close() == []


TRIES = {
    "append": "echo more >> spec/brief.md",
    "truncate": ": > spec/brief.md",
    "rename-over": "echo new > $TMPDIR/x && mv -f $TMPDIR/x spec/brief.md",
    "move-away": "mv spec/brief.md $TMPDIR/mine",
    "new-file": "touch spec/new.md",
    "in-a-child": "python3 -c \"open('spec/brief.md', 'a').write('x')\"",
    "by-a-link": "ln -s $PWD/spec/brief.md $TMPDIR/l && echo more >> $TMPDIR/l",
    "delete": "rm -f spec/brief.md",
    "with-its-old-time": (
        "touch -r spec/prd.md $TMPDIR/t && dd if=/dev/zero of=spec/prd.md count=1 bs=1 conv=notrunc"
        " && touch -r $TMPDIR/t spec/prd.md"
    ),
    "report": "echo forged > artifacts/CHECKPOINT-001-report.md",
    "bus": "echo forged >> .msg/messages.jsonl",
}
QUIETLY = {name: f"{{ {command}; }} 2>/dev/null; true" for name, command in TRIES.items()}


UNSEEN = ("bus", "report")
"""Others write there too, so that a change says nothing; a report is read before it is believed."""


def spec_of(tries: dict[str, str]) -> str:
    return role_spec(c001=tuple(shell(command, "normal", name) for name, command in tries.items()))


def rows(session: Session) -> dict[str, str]:
    report = session.reports()["CHECKPOINT-001-report.md"]
    lines = [line.split(" | ", 2) for line in report.splitlines() if line.startswith("| ")]
    return {cells[0].strip("| "): " ".join(cells[1:]) for cells in lines}


@pytest.mark.spec("CK-23")
@pytest.mark.usefixtures("fenced")
def test_a_command_that_writes_upstream_fails_and_says_so(tmp_path: Path):
    project = native(tmp_path)
    session = Session(project, spec_of({**TRIES, "scratch": "echo x > $TMPDIR/x && cat $TMPDIR/x"}))
    before = session.upstream()
    session.judge("CHECKPOINT-001", code=1)
    found = rows(session)
    assert session.upstream() == before
    for name in TRIES:
        assert found[name].startswith("fail"), name
        assert "A check may read everything, but write only in $TMPDIR." in found[name]
    assert found["scratch"].startswith("pass")
    assert all(m.sender in ("coordinator", "supervisor") for m in session.bus.messages())
    assert project.close() == []


@pytest.mark.spec("CK-23")
def test_without_a_fence_what_a_command_wrote_is_found_and_fails_it(tmp_path: Path):
    """Each ends well by its own account."""
    project = Project(tmp_path, portable=True)
    tries = {name: QUIETLY[name] for name in QUIETLY if name not in UNSEEN}
    session = Session(project, spec_of({"reads": "cat spec/brief.md", **tries}))
    session.judge("CHECKPOINT-001", code=1)
    found = rows(session)
    assert found["reads"].startswith("pass")
    assert [name for name in tries if not found[name].startswith("fail")] == []
    assert "The check changed spec/brief.md. A check may" in found["append"]
    assert project.close() == []
