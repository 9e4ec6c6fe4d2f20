"""An agent with one model has one tier: nothing is stronger, and no cost is invented."""

import re
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit

from topkick.cli.setup.init import config_text, own
from topkick.cli.setup.known_agents import TEMPLATES

ONE = {"haiku": "gpt-5.5", "sonnet": "gpt-5.5", "opus": "gpt-5.5"}
RELATIVE = re.compile(r"\d[x\u00d7](?: \(|,|\n)|baseline|haiku=1x")
NO_ESCALATION = "No order went to a stronger model than the one before it."


def _pages(project: Project) -> dict[str, str]:
    said = {name: project.says(*name.split()) for name in ("status", "report", "explain U1/1")}
    return {**said, "state file": project.board()}


@pytest.mark.spec("MS-03", "RP-02")
@pytest.mark.parametrize("models", [ONE, {}], ids=["one model", "no model"])
def test_a_retry_on_the_same_model_is_no_stronger_one(
    project: Project, models: dict[str, str]
) -> None:
    project.make(plan(unit("a")), agent={"models": models} if models else {})
    if not models:
        path = project.root / "topkick.toml"
        text = path.read_text()
        path.write_text("\n".join(x for x in text.split("\n") if not x.startswith("models =")))
    name = "gpt-5.5" if models else "its own model"
    assert f"Agent      scripted ({name})\n" in project.says("start", "--dry-run")
    project.script("a.1", "fail()")
    said = project.says("start", "--yes", "--foreground", code=3)
    assert [start.model for start in project.starts()] == ["gpt-5.5" if models else ""] * 3
    assert [d.dispatch.tier for d in project.dispatches()] == ["haiku"] * 3
    for page, text in {**_pages(project), "ending": said}.items():
        assert "stronger" not in text.replace(NO_ESCALATION, ""), page
        assert not RELATIVE.search(text.partition("## Decisions Log")[0]), page
        assert not re.search(r"\bModel\W+(haiku|sonnet|opus)", text), page
    if models:
        assert "Models:\n  gpt-5.5: 3 orders\n" in project.says("status")
    assert "- Total cost: not reported by the agents" in project.says("report")


@pytest.mark.spec("RP-01", "RP-02", "RP-03")
def test_all_pages_agree_on_the_cost_and_the_time(project: Project) -> None:
    project.make(plan(unit("a", sprint(), sprint())))
    project.script("a.1.1", "fail()")
    said = project.says("start", "--yes", "--foreground")
    status, report, board = project.says("status"), project.says("report"), project.board()
    assert "haiku: 2 orders, 2x" in status
    total = re.search(r"Total cost: (\d+x) ", status)
    assert total is not None
    assert f"- Total cost: {total[1]} (relative" in report
    assert f"Cost: {total[1]} (relative" in board
    lasted = re.search(r"Elapsed: (.+)", board)
    assert lasted is not None
    assert f"2 done (2 checked), {lasted[1]}." in said
    assert f"completed · 2 done (2 checked) · {lasted[1]}" in status
    assert f"- Total duration: {lasted[1]} (from start to end)" in report
    assert f"- **Total elapsed time**: {lasted[1]} (" in report


def test_the_file_of_init_says_what_a_failed_attempt_does() -> None:
    texts = {template.name: config_text(template) for template in TEMPLATES}
    assert "the same model tries again" in texts["codex"]
    assert "a stronger model tries" in texts["claude"]
    plain = config_text(own("mine", [str(Path("mine.sh"))]))
    assert "takes no model" in plain
    assert "stronger" not in plain
    assert 'models = { haiku = "haiku"' in config_text(own("mine", ["mine", "{model}"]))
