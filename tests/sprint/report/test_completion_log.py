"""The log that a supervisor keeps: at every step the same as one rebuilt from the journal."""

from pathlib import Path

import pytest
from recorded_runs import RUNS, Recorder

from topkick.app.project import Project
from topkick.engine import messages as h
from topkick.engine.codec.chain import EMPTY, Record
from topkick.engine.errors import UsageError
from topkick.engine.fold import apply
from topkick.engine.messages import CODEC
from topkick.sprint.model import Mission
from topkick.sprint.report import completion as page
from topkick.sprint.report.completion import MARKER, render_log
from topkick.sprint.run import report_file
from topkick.sprint.run.report_file import CompletionLog, completion_path

FACTS = (
    h.SupervisorWoke,
    h.CommandGiven,
    h.GroundSurveyed,
    h.AgentSpent,
    h.AgentExited,
    h.WorkChecked,
    h.ConditionPolled,
    h.WorkIntegrated,
    h.GateRan,
    h.TimePassed,
)


def steps(run: Recorder) -> list[list[tuple[int, int, h.Happening]]]:
    found: list[list[tuple[int, int, h.Happening]]] = []
    for record in run.records:
        if isinstance(record[2], FACTS):
            found.append([])
        found[-1].append(record)
    return found


def written(run: Recorder, count: int) -> list[Record]:
    rows = run.records[:count]
    return [Record(seq, seq, 1, at_us, *CODEC.encode(x)) for seq, at_us, x in rows]


@pytest.mark.spec("RP-03")
@pytest.mark.parametrize("name", RUNS)
def test_followed_or_rebuilt_it_is_the_same(name: str) -> None:
    run, mission, count = RUNS[name](), Mission(), 0
    followed = CompletionLog()
    last: tuple[object, str] | None = None
    for step in steps(run):
        fact, *events = (x for _, _, x in step)
        followed.hear(step[0][1], fact, events)
        for _, at_us, happening in step:
            mission = apply(mission, happening, at_us)
        count += len(step)
        rebuilt = CompletionLog(written(run, count))
        assert (followed.mark, followed.begun) == (rebuilt.mark, rebuilt.begun)
        if mission.plan is None:
            continue
        text = followed.render(mission, EMPTY)
        assert text == rebuilt.render(mission, EMPTY)
        assert last is None or last[0] != followed.mark or last[1] == text, "changed, unmarked"
        last = (followed.mark, text)
        assert followed.begun == ("### " in text.partition("## Final")[0])
    reading = run.reading()
    at_end = reading.overall.value == "completed"
    assert last is not None
    assert last[1] == (page.whole(reading) if at_end else render_log(reading))


def project(root: Path, plan: str = "EXECUTION_PLAN.md") -> Project:
    root.mkdir()
    return Project(root, root / plan, root / "state")


@pytest.mark.spec("RP-03")
def test_it_is_named_after_the_project_and_the_plan(tmp_path: Path) -> None:
    place = project(tmp_path / "night shift+1")
    assert completion_path(place).name == "COMPLETE_night-shift-1.md"
    other = project(tmp_path / "b", "NEXT.md")
    assert completion_path(other).name == "COMPLETE_b.NEXT.md"


@pytest.mark.spec("RP-03")
def test_a_file_of_somebody_else_is_never_written_over(tmp_path: Path) -> None:
    place = project(tmp_path / "shop")
    theirs = place.root / "COMPLETE_shop.md"
    theirs.write_text("# Completed Work — by hand\n")
    (place.root / "COMPLETE_shop-2.md").symlink_to("nowhere")
    path = report_file.write(place, RUNS["clean"]().reading())
    assert path.name == "COMPLETE_shop-3.md"
    assert path.read_text().splitlines()[0] == MARKER
    assert theirs.read_text() == "# Completed Work — by hand\n"
    theirs.unlink()
    assert completion_path(place) == path, "ours stays where it is, though a better name is free"


@pytest.mark.spec("RP-03")
def test_nothing_is_written_before_a_sprint_is_completed(tmp_path: Path) -> None:
    place = project(tmp_path / "shop")
    run = RUNS["clean"]()
    with pytest.raises(UsageError, match="No sprint is completed yet"):
        report_file.write(place, Recorder(records=run.records[:15]).reading())
    assert not list(place.root.glob("COMPLETE*"))
