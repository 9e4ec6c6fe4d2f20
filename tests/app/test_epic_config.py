"""The epics part of topkick.toml becomes the settings of a tick, or an error that helps."""

import sys
from pathlib import Path

import pytest

from topkick.app.project import find_file_project
from topkick.engine.errors import UsageError
from topkick.epic.project import host
from topkick.epic.run import settings_for
from topkick.epic.settings import ProjectPlace, Surface

AGENTS = f"""agent = "one"
[agents.one]
command = [{sys.executable!r}, "one.py"]
[agents.two]
command = [{sys.executable!r}, "two.py"]
"""


def settings(place: Path, text: str):
    (place / "topkick.toml").write_text(AGENTS + text)
    (place / "e.md").write_text("# E\n")
    return settings_for(find_file_project(place / "e.md", "epic"))


@pytest.mark.spec("EP-13")
def test_workers_projects_routing_and_turns(tmp_path: Path):
    made = settings(
        tmp_path,
        """
[epic]
hosts = ["build-1"]
stalled_hours = 2
review = "gh"
share = "origin/epics"
[epic.workers.two]
max = 1
tier = "opus"
[epic.workers.other]
agent = "one"
stand_in = ["two"]
[epic.projects]
api = "services/api"
[epic.routing]
default = "other"
tags = { bulk = "two" }
long_hours = 6
for_long = "two"
refusals = 0
[epic.turns]
S = 7
[roles.planner]
agent = "two"
""",
    )
    epic = made.epic
    assert epic is not None
    assert [(w.name, w.agent.name, w.capacity) for w in epic.workers] == [
        ("two", "two", 1),
        ("other", "one", 4),
    ]
    assert epic.projects == (ProjectPlace("api", "services/api"),)
    assert (epic.routing.default, epic.routing.by_tag) == ("other", {"bulk": "two"})
    assert (epic.turns, epic.hosts, epic.stalled_s) == ({"S": 7}, ("build-1",), 7200)
    assert (epic.surface, epic.host) == (Surface.GH, host())
    assert epic.share == "origin/epics"
    routing = epic.routing
    assert (routing.long_hours, routing.for_long, routing.refusals) == (6, "two", 0)
    assert [(role.name, role.agent.name) for role in made.roles] == [("planner", "two")]


@pytest.mark.spec("EP-13")
def test_without_workers_the_agent_of_the_run_is_the_only_one(tmp_path: Path):
    epic = settings(tmp_path, "").epic
    assert epic is not None
    assert [worker.name for worker in epic.workers] == ["one"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[epic.workers.claude]\nagent = "claude"\n', "configured agents: one, two"),
        ("[epic]\nstaled_hours = 2\n", "did you mean stalled_hours?"),
        ('[epic]\nreview = "mail"\n', "epic.review"),
        ('[epic]\nshare = "epics"\n', "epic.share"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, text: str, told: str):
    with pytest.raises(UsageError, match=told.replace("?", r"\?")):
        settings(tmp_path, text)
