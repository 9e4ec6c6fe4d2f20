"""An order made into what is started: whose configuration it uses, and what it may cost."""

from dataclasses import replace
from pathlib import Path

import pytest

from topkick.agents.placement import place
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentProgram, Tier
from topkick.engine.agents.runs import Dispatch
from topkick.engine.codec.texts import Text
from topkick.engine.settings import Settings
from topkick.runner.run_dir import Placement

NAMES = ("ANTHROPIC_API_KEY", "CODEX_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MY_TOKEN")


def _placed(
    tmp_path: Path, adapter: str, environ: dict[str, str], cost: int | None = None
) -> Placement:
    program = AgentProgram("robin", (adapter,), adapter=adapter, pass_env=NAMES)
    dispatch = Dispatch(
        "robin", "m", Tier.SONNET, 1, Text.of("do"), cost_left_microusd=cost, program=program
    )
    order = h.RunAgent("m-1", "a", "1", ".", dispatch)
    other = replace(program, name="other", adapter="command", command=("other",))
    settings = Settings(other)  # what is set now is not what the order was given to
    return place(order, "do", settings, tmp_path, tmp_path / "runs", environ, {})


@pytest.mark.parametrize(
    ("adapter", "key", "variable"),
    [
        ("claude", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR"),
        ("codex", "CODEX_API_KEY", "CODEX_HOME"),
    ],
)
def test_with_a_key_of_its_own_a_program_leaves_the_users_configuration_alone(
    tmp_path: Path, adapter: str, key: str, variable: str
) -> None:
    found = _placed(tmp_path, adapter, {key: "k" * 20})
    assert Path(found.env[variable]).is_dir()
    assert found.secrets == {key: "k" * 20}
    assert "k" * 20 not in str(found.env)
    assert found.argv[0] == adapter


@pytest.mark.parametrize(("adapter", "key"), [("codex", "OPENAI_API_KEY"), ("claude", "MY_TOKEN")])
def test_a_key_that_does_not_replace_the_login_does_not_hide_it(
    tmp_path: Path, adapter: str, key: str
) -> None:
    found = _placed(tmp_path, adapter, {key: "k"})
    assert not {"CODEX_HOME", "CLAUDE_CONFIG_DIR"} & set(found.env)


@pytest.mark.spec("DP-10")
def test_what_an_order_may_cost_is_told_to_a_program_that_keeps_to_it(tmp_path: Path) -> None:
    words = _placed(tmp_path, "claude", {}, 1_250_000).argv
    assert words[words.index("--max-budget-usd") + 1] == "1.25"
    assert "--max-budget-usd" not in _placed(tmp_path, "claude", {}).argv
