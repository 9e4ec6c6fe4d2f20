"""A session directory in a throw-away project, its bus, and the role specs that stories need."""

import json
import sys
from pathlib import Path
from typing import Any

from story_project import PATIENCE_S, Project, wait_for

from topkick.app.run_view import journal_happenings, journal_records
from topkick.engine import messages as h
from topkick.engine.codec.codec import Text
from topkick.engine.effects import Seen
from topkick.engine.loop import replay
from topkick.team.bus.model import Message
from topkick.team.bus.store import Bus
from topkick.team.judge import state as notes
from topkick.team.judge.findings import StageEntry
from topkick.team.judge.wake import REPORTS, recalled
from topkick.team.run import judge_session
from topkick.team.run.judge_session import find_session, wait_for_answer

AGENT = Path(__file__).with_name("judge_agent.py")
HEAD = "| Check | Kind | What | Group | Severity |\n|---|---|---|---|---|\n"
EXISTS = "artifact-exists | builtin | | process | normal"
SESSION = {
    "session_id": "night",
    "team_name": "owls",
    "requirement": "A lexer",
    "tasks": [
        {"id": "DRAFT-001", "status": "completed", "ref": "spec/brief.md"},
        {"id": "DRAFT-002", "status": "pending", "ref": "spec/prd.md"},
    ],
}
BRIEF = "# Brief\n\n" + "It reads tokens, one after the other, and says where each begins.\n" * 4


def role_spec(**checkpoints: tuple[str, ...]) -> str:
    """`c001=("row", ...)` for each checkpoint."""
    parts = ["# Judge\n"]
    for name, rows in checkpoints.items():
        table = "".join(f"| {row} |\n" for row in rows)
        parts.append(f"## CHECKPOINT-{name[1:]}: Stage\n\n{HEAD}{table}")
    return "\n".join(parts)


def shell(command: str, severity: str = "normal", name: str = "runs") -> str:
    return f"{name} | shell | `{command}` | process | {severity}"


class Session:
    """`night` in the project, judged by `role.md`."""

    def __init__(self, project: Project, spec: str) -> None:
        self.project = project
        project.make("# No plan\n", agent={"command": self._agent(project)})
        (project.root / "EXECUTION_PLAN.md").unlink()
        self.place = project.root / "night"
        (self.place / "spec").mkdir(parents=True)
        (self.place / "team-session.json").write_text(json.dumps(SESSION))
        for name in ("brief", "prd"):
            (self.place / f"spec/{name}.md").write_text(BRIEF)
        (project.root / "role.md").write_text(spec)

    @staticmethod
    def _agent(project: Project) -> list[str]:
        return [sys.executable, "-I", "-S", str(AGENT), str(project.scripts)]

    # --- driving it --------------------------------------------------------------------------

    def serve(self, *words: str, **env: str) -> Any:
        """A judge that is at work, once it has said so."""
        before = len(self.said("message"))
        judge = self.project.begin(
            "checkpoint", "serve", "night", "--role-spec", "role.md", *words, env=env
        )
        wait_for(lambda: len(self.said("message")) > before or judge.poll() is not None)
        return judge

    def request(self, checkpoint: str, *words: str, code: int = 0) -> str:
        scope = () if "--scope" in words else ("--scope", "DRAFT-001")
        return self.project.says(
            "checkpoint", "request", "night", checkpoint, *scope, *words, code=code
        )

    def judge(self, checkpoint: str, *words: str, code: int = 0) -> str:
        told = ("--scope", "DRAFT-001", "--role-spec", "role.md", *words)
        return self.project.says("checkpoint", "judge", "night", checkpoint, *told, code=code)

    def ask(self, checkpoint: str, *scope: str) -> Message:
        """And wait for the answer, without a program for that."""
        project = find_session(self.place)
        asked = judge_session.ask(project, checkpoint, scope or ("DRAFT-001",), "coordinator")
        answer = wait_for_answer(project, asked, PATIENCE_S)
        assert answer is not None
        return answer

    def shut_down(self) -> str:
        return self.project.says("checkpoint", "shutdown", "night")

    # --- looking at it -----------------------------------------------------------------------

    @property
    def bus(self) -> Bus:
        return Bus(self.place)

    def said(self, *types: str) -> list[Message]:
        """Return the judge's messages of these types."""
        found = self.bus.messages() if (self.place / ".msg").is_dir() else ()
        return [m for m in found if m.sender == "supervisor" and m.type in types]

    def content(self, type_: str) -> list[str]:
        return [str(m.fields["content"]) for m in self.said(type_)]

    def reports(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.place.glob(REPORTS))}

    def remembered(self) -> tuple[StageEntry, ...]:
        """As its reports have it; and so has its journal."""
        paths = sorted(self.place.glob(REPORTS))
        found = recalled([Seen(path.name, Text.of(path.read_text())) for path in paths])
        mission = replay(journal_records(find_session(self.place)))
        assert notes.remembered(mission) == found
        return found

    def happened(self) -> list[h.Happening]:
        return [item.happening for item in journal_happenings(find_session(self.place))]

    def upstream(self) -> dict[str, bytes]:
        """Return the content of every file that is not the judge's."""
        ours = (".msg", "wisdom", "artifacts", ".git")
        files = (p for p in sorted(self.project.root.rglob("*")) if p.is_file())
        found = {str(p.relative_to(self.project.root)): p for p in files}
        return {
            name: path.read_bytes()
            for name, path in found.items()
            if not {*Path(name).parts} & {*ours}
        }
