"""Any bytes end in a plan or in a `PlanError`: coverage-guided fuzzing with atheris."""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["topkick.plan_format", "topkick.sprint.start.plan_json"]):
    from topkick.engine.agents.program import AgentProgram
    from topkick.engine.settings import Settings
    from topkick.plan_format.document import PlanError, lint, read
    from topkick.plan_format.front_matter import content_hash
    from topkick.sprint.run.load_plan import imagined
    from topkick.sprint.start import plan_json, plan_page

SETTINGS = Settings(AgentProgram("none", ("true",)))
WORDS = (
    "### Sprint 1: x", "**Exit criteria**:", "- [ ] `make` passes", "| Work Unit | Layer |",
    "```markdown", "```sh", "```", "Depends on", "Phase 2:", "Task 1.1:", "returns ≥ 1 match",
    "exits with code 3", "`grep -c a b`", "File exists:", "## Dispatch Template", "<SPRINT_NAME>",
    "> ", "---", "feature_name: x", "A → B", "mermaid", "WU-1 through WU-3", "All previous", "§",
    "|-|-|", "(",
)  # fmt: skip


def one_input(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        reading = read(text, default_name="t", root="/p")
    except PlanError as error:
        refused_at = error.line
    else:
        refused_at = 0
    if refused_at:
        assert refused_at <= text.count("\n") + 2
        return
    assert reading.plan.sha256 == content_hash(text)
    assert any(unit.sprints for unit in reading.plan.units)
    last = text.count("\n") + 1
    assert all(1 <= finding.line <= last for finding in lint(reading))
    mission = imagined(reading.plan, SETTINGS)
    assert len(plan_page.shortened(plan_page.page(mission, reading))) <= plan_page.LINES
    plan_page.explained(mission, reading)
    plan_json.as_json(mission, reading)


def main(seconds: int, seeds: Path, plans: Path | None) -> None:
    seeds.mkdir(parents=True, exist_ok=True)
    dictionary = seeds.parent / "words.dict"
    escaped = (w.encode().hex(" ").split() for w in WORDS)
    dictionary.write_text("".join(f'"{"".join(f"{chr(92)}x{b}" for b in w)}"\n' for w in escaped))
    options = [
        sys.argv[0],
        f"-max_total_time={seconds}",
        "-max_len=4096",
        "-timeout=10",
        f"-dict={dictionary}",
        f"-artifact_prefix={seeds.parent}/",
        "-print_final_stats=1",
        str(seeds),
    ]
    if plans is not None:
        options.append(str(plans))
    atheris.Setup(options, one_input)
    atheris.Fuzz()
