"""The state file is written as often as it can be, and no more often than it may cost."""

from pathlib import Path

import pytest

from rig import plan, sprint, unit
from topkick.engine.codec.chain import Head
from topkick.engine.evolve import evolve
from topkick.engine.io.view_file import EVERY_S, TIMES_ITS_COST, StateFile
from topkick.sprint.model import Mission


class Desk:
    """A state file whose every rendering takes `cost_s` on a clock of its own."""

    def __init__(self, room: Path, cost_s: float) -> None:
        self.now_s, self.cost_s, self.written = 100.0, cost_s, 0
        self.mission = evolve(Mission(), plan=plan(unit("A", sprint("1"))))
        self.file = StateFile(room / "STATE.md", self._render, room, lambda: self.now_s)

    def _render(self, _mission: Mission, head: Head) -> str:
        self.now_s += self.cost_s
        self.written += 1
        return f"{head.seq}\n"

    def show(self) -> int:
        """Show something new; return how often the file has been written."""
        self.file.show(self.mission, Head(self.written + 1, ""))
        return self.written


@pytest.mark.spec("RP-01")
@pytest.mark.parametrize(
    ("cost_s", "rest_s"), [(0.001, EVERY_S), (0.25, TIMES_ITS_COST * 0.25), (2.0, 40.0)]
)
def test_the_next_write_waits_for_twenty_times_what_the_last_one_cost(
    tmp_path: Path, cost_s: float, rest_s: float
) -> None:
    desk = Desk(tmp_path, cost_s)
    assert desk.show() == 1
    assert desk.show() == 1
    assert desk.file.wake_in_s() == pytest.approx(rest_s)
    desk.now_s += rest_s - 0.001
    assert desk.show() == 1
    desk.now_s += 0.002
    assert desk.show() == 2
    assert desk.file.wake_in_s() is None


@pytest.mark.spec("RP-01")
def test_at_rest_it_is_written_whatever_it_costs(tmp_path: Path) -> None:
    desk = Desk(tmp_path, 10.0)
    desk.show()
    desk.file.flush(desk.mission, Head(7, ""))
    assert (tmp_path / "STATE.md").read_text() == "7\n"
