"""The activity of running agents, read from the tails of their streams: bounded and redacted."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from topkick.agents import vocabulary as v
from topkick.app.agents import event_lines, tail
from topkick.app.agents.event_lines import Transcript
from topkick.app.agents.tail import Ears
from topkick.app.project import Project
from topkick.checks.model import Ground
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram, AgentReport, Conclusion, Usage
from topkick.engine.kernel import step
from topkick.engine.settings import Settings
from topkick.epic.settings import EpicSettings, Worker
from topkick.plan_format.model import Plan, SprintPlan, UnitPlan
from topkick.runner import run_dir
from topkick.runner.run_dir import Placement
from topkick.sprint.model import Mission
from topkick.sprint.policy.decide import decide
from topkick.text import escape

T0_US = 1_760_000_000_000_000


def _mission(adapter: str) -> Mission:
    program = AgentProgram("a", ("claude",), adapter=adapter, pass_env=("STORY_TOKEN", "STORY_URL"))
    plan = Plan("P", "", units=(UnitPlan("u", sprints=(SprintPlan("1", "Do"),)),))
    mission = Mission()
    for fact in (
        h.SupervisorWoke(1, driven=True),
        h.CommandGiven(h.Start("m", plan, Settings(program, accept_unchecked=True))),
        h.GroundSurveyed("m-1", Ground("a" * 40)),
    ):
        mission = step(decide, mission, fact, T0_US).mission
    return mission


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """The file that a keeper would write the agent's output to."""
    path = tmp_path / "current" / "runs" / "m-1"
    run_dir.prepare(path, "m-1", Placement(("claude",), str(tmp_path), {}))
    return path / "output"


def _ears(tmp_path: Path) -> Ears:
    return Ears(Project(tmp_path, tmp_path / "EXECUTION_PLAN.md", tmp_path))


def _tool(command: str, name: str = "m") -> bytes:
    call = {"type": "tool_use", "name": "Bash", "input": {"command": command}}
    message = {"id": name, "content": [call]}
    return json.dumps({"type": "assistant", "message": message}).encode() + b"\n"


def test_the_last_tool_is_what_it_does(output: Path, tmp_path: Path) -> None:
    ears, mission = _ears(tmp_path), _mission("claude")
    assert ears.doing(mission) == {}
    output.write_bytes(_tool("make") + _tool("make test")[:-9])
    assert ears.doing(mission) == {"m-1": "Bash: make"}
    output.write_bytes(_tool("make") + _tool("make test"))
    assert ears.doing(mission) == {"m-1": "Bash: make test"}
    assert ears.doing(Mission()) == {}


def test_only_the_end_of_a_long_stream_is_read(output: Path, tmp_path: Path) -> None:
    long = json.dumps({"type": "user", "x": "y" * 5_000}).encode() + b"\n"
    output.write_bytes(_tool("long ago") + long * 60)
    ears, mission = _ears(tmp_path), _mission("claude")
    assert ears.doing(mission) == {}
    with output.open("ab") as file:
        file.write(long * 600 + _tool("just now"))
    assert ears.doing(mission) == {"m-1": "Bash: just now"}


def test_an_agent_without_an_adapter_is_not_listened_to(output: Path, tmp_path: Path) -> None:
    output.write_bytes(_tool("make"))
    assert _ears(tmp_path).doing(_mission("command")) == {}


def test_what_is_secret_is_hidden_also_where_a_line_is_cut(
    output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORY_TOKEN", "open-sesame-open")
    monkeypatch.setenv("STORY_URL", "https://example.invalid")
    mission = _mission("claude")
    output.write_bytes(_tool("x" * 188 + " open-sesame-open"))
    (said,) = _ears(tmp_path).doing(mission).values()
    assert "open" not in said
    output.write_bytes(_tool("curl https://example.invalid open-sesame-open"))
    said = _ears(tmp_path).doing(mission)["m-1"]
    assert said == "Bash: curl https://example.invalid [hidden]"
    assert tail.hidden_on_screen(mission.settings) == ("open-sesame-open",)


def test_what_an_epic_s_workers_are_handed_is_hidden_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STORY_TOKEN", "open-sesame-open")
    worker = AgentProgram("w", ("work",), pass_env=("STORY_TOKEN",))
    epic = EpicSettings(workers=(Worker("w", worker),))
    settings = Settings(AgentProgram("a", ("claude",)), epic=epic)
    assert tail.hidden_on_screen(settings) == ("open-sesame-open",)


def test_status_alone_loads_no_adapter() -> None:
    program = (
        "import sys\n"
        "from topkick.sprint.commands.read import status\n"
        "loaded = [m for m in sys.modules if m.startswith('topkick.agents.')]\n"
        "assert 'topkick.agents.registry' not in loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


EVENTS = (
    (v.Started("c", "opus", "2.1", "plan"), "begins: opus 2.1 plan"),
    (v.Started("c"), "begins"),
    (v.Turn(4), ""),
    (v.ToolUsed("Read"), "Read"),
    (v.ToolUsed("Bash", "make\x1b[31m test"), "Bash: make test"),
    (v.Said("two\nlines"), "says: two lines"),
    (v.Said(" "), ""),
    (v.Used(Usage(1)), ""),
    (v.Retrying("529 overloaded", 1, 2, 4.0), "retrying 1 of 2 in 4 s: 529 overloaded"),
    (v.Retrying("cut"), "retrying: cut"),
    (v.LimitReached("five hour", T0_US), "usage limit: five hour, until 2025-10-09 08:53:20"),
    (v.LimitReached("five hour"), "usage limit: five hour"),
    (v.Denied("Write", "not allowed"), "denied: Write (not allowed)"),
    (v.AgentQuestion("Which?"), "asks: Which?"),
    (v.AgentResult(True, "all good"), "done"),
    (v.AgentResult(False, "no money"), "ended: no money"),
    (v.Unknown("new/thing"), "(unknown to topkick: new/thing)"),
)


@pytest.mark.parametrize(("event", "told"), EVENTS)
def test_an_event_in_plain_words(event: v.Event, told: str) -> None:
    assert event_lines.in_words(event) == told


def test_no_event_fills_the_screen_or_steers_it() -> None:
    wild = "\x1b]0;owned\x07\u202e" + "z" * 10_000
    for event in (v.Said(wild), v.ToolUsed(wild, wild), v.Unknown(wild), v.Denied(wild, wild)):
        line = event_lines.in_words(event)
        assert len(line) <= event_lines.LINE_CHARS
        assert not re.search("[\x00-\x1f\u202e]", line)


def test_lines_carry_their_turn() -> None:
    transcript = Transcript()
    events = (v.Started("c", "opus"), v.Turn(1), v.ToolUsed("Read"), v.Turn(12), v.Said("yes"))
    assert [transcript.line(event) for event in events] == [
        "      begins: opus",
        "",
        "   1  Read",
        "",
        "  12  says: yes",
    ]


def test_a_short_secret_is_hidden_where_it_stands_whole() -> None:
    transcript = Transcript(hidden=("sesame",))
    assert transcript.line(v.Said("open sesame!")) == "      says: open [hidden]!"
    assert escape.long_ones(("sesame", "open-sesame-open")) == ("open-sesame-open",)


def test_what_it_came_to() -> None:
    used = Usage(3, 6_000, 0, 100, 420_000)
    finished = AgentReport(Conclusion.FINISHED, "I did it", used)
    assert event_lines.summary(finished) == "finished: 3 turns, 6k tokens, $0.42"
    assert event_lines.summary(AgentReport(Conclusion.SILENT)) == "silent"
    denied = AgentReport(Conclusion.PERMISSION_DENIED, "Write \x1b[1mdenied")
    assert event_lines.summary(denied) == "permission denied: Write denied"
