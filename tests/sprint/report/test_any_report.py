"""For any run, every number of its report agrees with a second count."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from recorded_runs import Recorder
from recount import Recount
from recount_page import differences, expected

from topkick.sprint.report import completion as page
from topkick.sprint.report.as_json import as_json

sys.path.append(str(Path(__file__).parents[2] / "sprint"))
from test_machine import AnyMission


class AnyReport(AnyMission):
    """The missions of the core's own test, with a look at their reports."""

    def look(self) -> None:
        if self.rig.mission.plan is None:
            return
        records = [(n, at_us, x) for n, (x, at_us) in enumerate(self.rig.records, start=1)]
        reading = Recorder(records=records).reading()
        found = list(differences(json.loads(as_json(reading)), expected(Recount(records))))
        assert not found, "\n".join(found)
        assert reading.mission.spent.usage.turns >= sum(
            a.usage.turns for a in reading.account.orders
        )
        assert page.whole(reading) == page.whole(Recorder(records=records).reading())

    def teardown(self) -> None:
        self.look()
        super().teardown()
        self.look()


AnyReport.TestCase.settings = settings(
    max_examples=20,
    stateful_step_count=30,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.spec("RP-03", "RP-04")
class TestAnyReport(AnyReport.TestCase):
    pass
