"""Two files of settings, one over the other, and a mistake named where it stands."""

import re
from pathlib import Path

import pytest

from topkick.app.config.file import (
    ADAPTER,
    as_json,
    every_setting,
    load_config_at,
    user_config_path,
)
from topkick.app.config.settings import make_settings
from topkick.engine.agents.budgets import Budget
from topkick.engine.agents.program import AgentProgram
from topkick.engine.errors import UsageError
from topkick.engine.settings import Settings
from topkick.sprint.gates.model import GateMode

ROOT = Path(__file__).parents[2]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The user's own, and the project's."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own, here = user_config_path(), tmp_path / "topkick.toml"
    own.parent.mkdir(parents=True)
    for path in (own, here):
        path.write_text("")
    return own, here


def test_the_project_s_settings_go_over_the_user_s_one_by_one(files: tuple[Path, Path]) -> None:
    own, here = files
    own.write_text("ritual = false\n[limits]\nmax_agents = 2\nmax_turns = 9\n")
    here.write_text('gate = "ask"\n[limits]\nmax_agents = 3\n')
    config = load_config_at(here)
    assert (config.limits.max_agents, config.limits.max_turns) == (3, 9)
    assert (config.ritual, config.gate.mode) == (False, "ask")


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_mistake_is_named_in_the_file_in_which_it_stands(
    wrong: int, files: tuple[Path, Path]
) -> None:
    files[wrong].write_text("[limits]\nmax_agent = 2\n")
    files[1 - wrong].write_text("[limits]\nmax_turns = 9\n")
    with pytest.raises(UsageError) as caught:
        load_config_at(files[1])
    said = str(caught.value)
    assert str(files[wrong]) in said
    assert str(files[1 - wrong]) not in said
    assert "limits.max_agent: no such setting; did you mean max_agents?" in said


def test_a_setting_is_suggested_from_tables_at_any_depth(files: tuple[Path, Path]) -> None:
    own, here = files
    here.write_text("[epic.routing]\nmany_file = 2\n[budget.day]\ndollars = 3\n")
    with pytest.raises(UsageError, match=r"many_file: no such setting; did you mean many_files\?"):
        load_config_at(here)
    assert own.read_text() == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[budget.run]\nusd = 0\n", "budget.run.usd: Input should be greater than 0"),
        ("[budget.day]\nusd = inf\n", "budget.day.usd: Input should be a finite number"),
        ("[budget.day]\ntokens = 0\n", "budget.day.tokens: Input should be greater than or equal"),
        ("[budget.day]\nminutes = 2e9\n", "budget.day.minutes: Input should be less than or equal"),
        ("[budget.unit]\nusdd = 1\n", "budget.unit.usdd: no such setting; did you mean usd?"),
        ("[tree]\nlinks = []\n", "tree.links: no such setting; did you mean link?"),
        (
            "[agents.a]\ncommand = ['a']\nprices = { input = -1, output = 1 }\n",
            "agents.a.prices.input: Input should be greater than or equal to 0",
        ),
        (
            "[agents.a]\ncommand = ['a']\nprices = { input = 1, output = 1, cache = 1 }\n",
            "agents.a.prices.cache: no such setting; did you mean cached?",
        ),
    ],
)
def test_tables_that_are_classes_of_the_core_are_checked_as_strictly(
    text: str, told: str, files: tuple[Path, Path]
) -> None:
    files[1].write_text(text)
    with pytest.raises(UsageError) as caught:
        load_config_at(files[1])
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '[verify]\non_finding = "shrug"\n',
            'verify.on_finding: "shrug" is not understood. Write "return" or "ask"',
        ),
        (
            '[verify]\nat = "cold"\n',
            'verify.at: "cold" is not understood. Write "commit" or "place"',
        ),
        ('gate = "x"\n', 'gate.mode: "x" is not understood. Write "auto", "ask" or "off"'),
        ('on_sigterm = "x"\n', 'on_sigterm: "x" is not understood. Write "stop" or "leave"'),
        ('on_sigterm = "\\u001b[2J"\n', 'on_sigterm: "\\u001b[2J" is not understood'),
        ("limits = 3\n", "limits: write a table, not a value"),
        ("agents = [1]\n", "agents: write a table, not a value"),
        ("[agent]\nname = 1\n", "agent: write a text in quotes, not a table"),
        ("agent = 1\n", "agent: write a text in quotes"),
        ("[budget]\nrun = 3\n", "budget.run: write a table, not a value"),
        ('on_event = "x"\n', 'on_event: write a list of texts, such as ["make", "lint"]'),
    ],
)
def test_a_mistake_is_told_with_what_may_be_written(
    text: str, told: str, files: tuple[Path, Path]
) -> None:
    files[1].write_text(text)
    with pytest.raises(UsageError) as caught:
        load_config_at(files[1])
    assert told in str(caught.value)


def test_what_is_shown_can_be_read_again(files: tuple[Path, Path]) -> None:
    files[1].write_text(
        '[agents.a]\ncommand = ["a"]\nmodels = { opus = "big" }\n'
        "prices = { input = 1, output = 2 }\n"
        '[budget]\nday = { usd = 3 }\n[tree]\ncopy = [".env"]\n[gate]\nmode = "ask"\n'
        '[roles.Manager]\ntier = "opus"\n[epic.workers.a]\nmax = 2\n'
    )
    config = load_config_at(files[1])
    assert (config.budget.day, config.tree.copy) == (Budget(usd=3), (".env",))
    assert ADAPTER.validate_python(as_json(config)) == config


def test_the_reference_page_lists_every_setting() -> None:
    page = (ROOT / "docs/reference/configuration.md").read_text()
    listed = set()
    for row in re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE):
        table = re.match(r"`\[([a-z.]+)(?<!\.)", row)
        above = f"{table[1]}." if table else ""
        listed |= {above + key for key in re.findall(r"(\w+)`", row)} | {above.rstrip(".")}
    tables = {path.rpartition(".")[0] for path in every_setting()}
    in_one_row = re.compile(r"(budget\.\w+|agents\.prices)\.\w+")
    missing = set(every_setting()) - tables - listed
    assert [path for path in missing if not in_one_row.fullmatch(path)] == []


def test_settings_that_nobody_wrote_are_those_of_the_kernel(files: tuple[Path, Path]) -> None:
    """The kernel counts in seconds and the file in minutes; the defaults of both are the same."""
    files[1].write_text('[agents.a]\ncommand = ["a", "{model}"]\n')
    agent = AgentProgram("a", ("a", "{model}"))
    made = make_settings(load_config_at(files[1]))
    assert made == Settings(agent, gate=GateMode.AUTO)
