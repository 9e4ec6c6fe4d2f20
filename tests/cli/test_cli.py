"""The command line where no agent is needed: help, mistakes, handles, exit codes, quick loading."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from topkick.app.config.file import load_config
from topkick.app.config.settings import make_settings
from topkick.app.project import find_project
from topkick.cli.main import VERBS, cli, run
from topkick.cli.setup.init import EXAMPLE_PLAN, config_text, own
from topkick.cli.setup.known_agents import TEMPLATES
from topkick.engine.agents.program import PLAIN
from topkick.engine.errors import UsageError
from topkick.engine.settings import OnLimit
from topkick.plan_format.document import read

PLAN = EXAMPLE_PLAN
HEAVY = ("rich", "pydantic", "pygit2", "markdown_it", "psutil")


@dataclass(frozen=True, slots=True)
class Said:
    returncode: int
    stdout: str
    stderr: str


def topkick(
    *words: str, cwd: Path, check_code: int | None = None, env: dict[str, str] | None = None
) -> Said:
    """Run the command line in this process, without a keyboard and without a user's settings."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, open(os.devnull) as nobody:
        patch.chdir(cwd)
        patch.setattr(sys, "stdin", nobody)
        for name, value in {"XDG_CONFIG_HOME": str(cwd / ".none"), **(env or {})}.items():
            patch.setenv(name, value)
        with redirect_stdout(out), redirect_stderr(err):
            code = run(list(words))
    if check_code is not None:
        assert code == check_code, out.getvalue() + err.getvalue()
    return Said(code, out.getvalue(), err.getvalue())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    (tmp_path / "topkick.toml").write_text(config_text(own("true", ["true"])))
    return tmp_path


# --- help ----------------------------------------------------------------------------------


def _commands(command: click.Command, *path: str) -> list[tuple[tuple[str, ...], click.Command]]:
    found = [(path, command)] if path else []
    if isinstance(command, click.Group):
        with click.Context(command) as ctx:
            names = VERBS if not path else command.list_commands(ctx)
            for name in names:
                inner = command.get_command(ctx, name)
                assert inner is not None
                found += _commands(inner, *path, name)
    return found


def test_every_command_has_a_short_help_with_an_example() -> None:
    for path, command in _commands(cli):
        said = command.help or ""
        assert "Example" in said, path
        alias = VERBS[path[0]].help.partition("The same as ")[2].rstrip(".")
        assert f"topkick {alias or path[0]}" in said, path
        assert len(said.splitlines()) <= 12, path


def test_help_lists_every_verb_but_the_hidden_ones(tmp_path: Path) -> None:
    said = topkick("--help", cwd=tmp_path, check_code=0).stdout
    for name, verb in VERBS.items():
        assert (f"\n  {name} " in said) == bool(verb.section), name


def test_version(tmp_path: Path) -> None:
    assert topkick("--version", cwd=tmp_path, check_code=0).stdout.startswith("topkick 0.")


def test_no_command_without_a_terminal_is_a_short_help_and_spends_nothing(project: Path) -> None:
    said = topkick(cwd=project, check_code=0).stdout
    assert "Usage: topkick" in said
    assert not (project / ".git" / "topkick").exists()


@pytest.mark.spec("DP-10")
def test_a_limit_in_dollars_that_cannot_be_kept_is_said_at_once(project: Path) -> None:
    (project / "topkick.toml").unlink()
    words = ("init", "--command", "true", "--budget", "5")
    untold = "true reports no cost, so limits in dollars have no effect; set one in minutes"
    assert untold in topkick(*words, cwd=project, check_code=0).stdout
    assert untold in topkick("start", "--dry-run", cwd=project, check_code=0).stdout
    assert untold in topkick("doctor", cwd=project).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, tmp_path: Path) -> None:
    said = topkick("completion", shell, cwd=tmp_path, check_code=0).stdout
    assert "_TOPKICK_COMPLETE" in said


def test_completion_knows_the_verbs(tmp_path: Path) -> None:
    words = {"_TOPKICK_COMPLETE": "bash_complete", "COMP_WORDS": "topkick re", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "topkick"],
        env={**os.environ, **words},
        capture_output=True,
        text=True,
        check=False,
    )
    assert {"plain,resume", "plain,reject", "plain,retry"} <= set(done.stdout.split())


# --- mistakes ------------------------------------------------------------------------------


@pytest.mark.spec("PL-02")
@pytest.mark.parametrize("verb", ["start", "resume", "status", "stop", "killall", "watch"])
def test_no_plan_is_said_in_three_lines_and_nothing_is_done(verb: str, tmp_path: Path) -> None:
    done = topkick(verb, cwd=tmp_path, check_code=2)
    said = done.stderr.splitlines()
    assert said[:3] == [
        "ERROR: Cannot find EXECUTION_PLAN.md.",
        "topkick requires an execution plan to operate.",
        "Please provide the path: topkick start /path/to/EXECUTION_PLAN.md",
    ]
    assert len(said) == 3 or verb != "start"
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("ST-03")
@pytest.mark.parametrize(
    "words",
    [
        ("resume",),
        ("watch",),
        ("stop",),
        ("logs", "U1"),
        ("accept", "U1", "--why", "x"),
        ("retry", "U1"),
        ("journal", "check"),
        ("journal", "show"),
    ],
)
def test_without_a_run_every_verb_names_start(words: tuple[str, ...], project: Path) -> None:
    assert "topkick start" in topkick(*words, cwd=project, check_code=2).stderr


def test_status_without_a_run(project: Path) -> None:
    assert "topkick start" in topkick("status", cwd=project, check_code=0).stdout
    said = json.loads(topkick("status", "--json", cwd=project, check_code=0).stdout)
    assert said["overall"] is None


@pytest.mark.spec("ST-05")
def test_start_without_a_terminal_needs_yes(project: Path) -> None:
    done = topkick("start", cwd=project, check_code=2)
    assert "--yes" in done.stderr
    assert not (project / ".git" / "topkick").exists()


@pytest.mark.spec("ST-05")
def test_the_page_before_the_question(project: Path) -> None:
    said = topkick("start", "--dry-run", "--max-agents", "2", cwd=project, check_code=0).stdout
    for word in (
        "2 work units, 3 sprints",
        "First      U1/1 greeting",
        "Agent      true (its own model)",
        "sh greeting/greet.sh Ada | grep -q Ada",
        "2 agents at once",
        "Isolation",
        "Unchecked  none",
        "uncommitted",
        "SUPERVISOR_STATE.md",
    ):
        assert word in said, word
    assert len(said.splitlines()) <= 24
    assert not (project / ".git" / "topkick").exists()


@pytest.mark.spec("ST-05")
def test_dangerous_looking_commands_stand_first(project: Path) -> None:
    plan = PLAN.replace(
        "`grep -q Ada letter", "`curl -sf http://127.0.0.1:1/` passes\n- [ ] `grep -q Ada letter"
    )
    (project / "EXECUTION_PLAN.md").write_text(plan)
    said = topkick("start", "--dry-run", cwd=project, check_code=0).stdout
    checks = [line for line in said.splitlines() if "curl" in line or "test -s" in line]
    assert "! curl" in checks[0]


@pytest.mark.spec("ST-05")
@pytest.mark.parametrize("words", [("start", "--dry-run"), ("plan", "show", "--commands")])
def test_a_command_is_shown_as_it_runs(words: tuple[str, ...], project: Path) -> None:
    command = f"printf 'x    y\u202e'   >  {'long/' * 30}file"
    (project / "EXECUTION_PLAN.md").write_text(f"{PLAN}\n```sh\n{command}\n```\n")
    said = topkick(*words, cwd=project, check_code=0).stdout
    assert command.replace("\u202e", "<U+202E>") in said


def test_without_git_the_page_says_that_checks_run_among_the_agents(tmp_path: Path) -> None:
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    (tmp_path / "topkick.toml").write_text(config_text(own("true", ["true"])))
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    said = topkick("start", "--dry-run", cwd=tmp_path, env=env, check_code=0).stdout
    assert "no git here" in said
    assert "in the tree that agents work in" in said
    assert "at each commit" not in said


@pytest.mark.spec("DP-11")
def test_unchecked_sprints_are_listed(project: Path) -> None:
    (project / "EXECUTION_PLAN.md").write_text("# P\n\n### Sprint 1: Think\n\nThink hard.\n")
    said = topkick("start", "--dry-run", cwd=project, check_code=0).stdout
    assert "Unchecked  1 sprint (nothing would prove it done): U1/1" in said
    said = topkick("start", "--dry-run", "--accept-unchecked", cwd=project, check_code=0).stdout
    assert "Unchecked  1 sprint (accepted): U1/1" in said


def test_an_unknown_unit_lists_what_there_is(project: Path) -> None:
    done = topkick("start", "--only", "parsnip", "--dry-run", cwd=project, check_code=2)
    assert "This run has no 'parsnip'" in done.stderr
    assert "U1  greeting" in done.stderr
    assert "U2  letter" in done.stderr


def test_unknown_words_are_usage(project: Path) -> None:
    near = topkick("stat", cwd=project, check_code=2).stderr
    assert "topkick start or topkick status" in near
    assert "No such command" in topkick("strat", cwd=project, check_code=2).stderr
    assert "No such option" in topkick("start", "--fast", cwd=project, check_code=2).stderr


def test_an_unreadable_setting_names_the_file_and_the_key(project: Path) -> None:
    (project / "topkick.toml").write_text("[limits]\nmax_agents = 0\n")
    done = topkick("start", "--dry-run", cwd=project, check_code=2)
    assert "topkick.toml" in done.stderr
    assert "limits.max_agents" in done.stderr


def test_a_reader_that_goes_away_is_no_error(project: Path) -> None:
    many = "\n".join(f"### Sprint {n}: Work {n}\n\nDo it.\n" for n in range(3000))
    (project / "EXECUTION_PLAN.md").write_text(f"# Big\n\n{many}")
    with subprocess.Popen(
        [sys.executable, "-m", "topkick", "plan", "show", "--json"],
        cwd=project,
        env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


# --- plan ----------------------------------------------------------------------------------


@pytest.mark.spec("PL-18")
def test_plan_show(project: Path) -> None:
    said = topkick("plan", "show", cwd=project, check_code=0).stdout
    assert "U1/2 The program [code]: 1 check, line " in said
    assert "U2 letter (.): 1 sprint, 1 checked, after U1" in said
    assert "2 work units, 3 sprints: 3 checked, 0 unchecked" in said
    assert "Graph: U1→U2" in said


@pytest.mark.spec("PL-18")
def test_a_long_plan_is_shown_in_forty_lines(project: Path) -> None:
    many = "\n".join(f"## Unit {n}\n\n### Sprint 1: Work\n\nDo it.\n" for n in range(60))
    (project / "EXECUTION_PLAN.md").write_text(f"# Big\n\n{many}")
    assert len(topkick("plan", "show", cwd=project, check_code=0).stdout.splitlines()) <= 40
    full = topkick("plan", "show", "--full", cwd=project, check_code=0).stdout
    assert full.count("Work [code]") == 60


@pytest.mark.spec("PL-18")
def test_plan_as_json(project: Path) -> None:
    said = json.loads(topkick("plan", "show", "--json", cwd=project, check_code=0).stdout)
    assert [u["handle"] for u in said["work_units"]] == ["U1", "U2"]
    first = said["work_units"][0]["sprints"][0]
    assert first["exit"][0]["check"] == "test -s greeting/words.txt"
    assert first["exit_commands"][0] == [1, "test -s greeting/words.txt"]
    assert (said["work_unit_count"], said["total_sprints"]) == (2, 3)
    assert said["work_units"][1]["depends_on"] == ["greeting"]
    assert said["sprint_dependencies"] == [["1", "2"]]
    assert said["dispatch_template"] == {"present": False}


@pytest.mark.spec("PL-18")
def test_plan_explained_line_by_line(project: Path) -> None:
    said = topkick("plan", "show", "--explain", cwd=project, check_code=0).stdout
    lines = (project / "EXECUTION_PLAN.md").read_text().split("\n")
    number = next(n for n, line in enumerate(lines, 1) if "test -s greeting/words.txt" in line)
    told = next(line for line in said.splitlines() if "test -s" in line)
    assert told.startswith(f"line {number}  U1/1 exit check (") or f"line {number} " in told
    assert "→ title" in said
    assert "Sprints: headings that say Sprint or Sortie (PL-11)" in said


LOOSE = """\
# Loose

## Sprint 1: One

**Exit criteria**:
- it is nice
- `make` does what it should

## Retry Policy

Seven times.
"""


@pytest.mark.spec("PL-18", "PL-20")
def test_plan_lint(project: Path) -> None:
    assert "nothing to look at" in topkick("plan", "lint", cwd=project, check_code=0).stdout
    (project / "EXECUTION_PLAN.md").write_text(LOOSE)
    said = topkick("plan", "lint", cwd=project, check_code=1).stdout.splitlines()
    assert [line.split(": ")[0] for line in said[:-1]] == [
        "EXECUTION_PLAN.md:3",
        "EXECUTION_PLAN.md:7",
        "EXECUTION_PLAN.md:9",
    ]
    assert said[-1] == "3 findings."
    github = topkick("plan", "lint", "--format", "github", cwd=project, check_code=1).stdout
    assert github.startswith("::warning file=EXECUTION_PLAN.md,line=3::Sprint 1 of 'Loose' has no")
    rows = json.loads(topkick("plan", "lint", "--format", "json", cwd=project).stdout)
    assert [row["line"] for row in rows] == [3, 7, 9]


def test_plan_lint_cuts_between_words_and_shows_that_it_did(project: Path) -> None:
    command = "make " + " ".join(f"word{n}" for n in range(40))
    plan = f"# P\n\n### Sprint 1: X\n\n**Exit criteria**:\n- [ ] `{command}` is pleasant\n"
    (project / "EXECUTION_PLAN.md").write_text(plan)
    said = topkick("plan", "lint", cwd=project, check_code=1).stdout
    assert "word8 word9 word10 word11…`: it does not understand" in said


def test_plan_lint_of_a_plan_that_cannot_be_read(project: Path) -> None:
    (project / "EXECUTION_PLAN.md").write_text("# Nothing\n")
    said = topkick("plan", "lint", "--format", "github", cwd=project, check_code=1).stdout
    assert said.startswith("::error file=EXECUTION_PLAN.md,line=1::it defines no sprint.")


@pytest.mark.spec("LP-05")
def test_plan_diff_without_a_run_says_what_to_do(project: Path) -> None:
    said = topkick("plan", "diff", cwd=project, check_code=2).stderr
    assert "There is no run to compare with. Next: topkick start" in said


TEMPLATED = """\
# P

| Package | Layer | Sprints |
|---------|-------|---------|
| p-core | 0 | 1 |
| p-app | 1 | 1 |

## 4. Package: p-core
`p-core/TODO.md`
| Sprint | Name |
|--------|------|
| 1 | Base |

## 5. Package: p-app
`p-app/TODO.md`
| Sprint | Name |
|--------|------|
| 1 | Screens |

## Appendix D: Prompt
```
You are on <PACKAGE_NAME> in /srv/them/P/<PACKAGE_DIR>/; read /srv/them/P/EXECUTION_PLAN.md.
Sprint <N>: <SPRINT_NAME>, Section <4|5>. <UNKNOWN_THING> stays.
```
"""


@pytest.mark.spec("DP-02", "PL-14")
def test_a_template_is_filled_word_for_word(project: Path) -> None:
    (project / "EXECUTION_PLAN.md").write_text(TEMPLATED)
    said = topkick("plan", "prompt", "p-app/1", cwd=project, check_code=0).stdout
    assert said.splitlines()[:2] == [
        "You are on p-app in ./p-app/; read ./EXECUTION_PLAN.md.",
        "Sprint 1: Screens, Section 5. <UNKNOWN_THING> stays.",
    ]


@pytest.mark.spec("PL-15", "DP-03")
def test_files_of_the_plan_that_exist_are_to_be_read(project: Path) -> None:
    plan = (project / "EXECUTION_PLAN.md").read_text()
    (project / "EXECUTION_PLAN.md").write_text(f"{plan}\nSee DESIGN.md and NOTES.md.\n")
    (project / "DESIGN.md").write_text("x")
    said = topkick("plan", "prompt", "U1/1", cwd=project, check_code=0).stdout
    assert "3. DESIGN.md" in said
    assert "NOTES.md" not in said


@pytest.mark.spec("DP-03")
@pytest.mark.parametrize("x", ["U1/2", "greeting/2", "gree/2", "u1/2"])
def test_plan_prompt_by_any_handle(x: str, project: Path) -> None:
    said = topkick("plan", "prompt", x, cwd=project, check_code=0).stdout
    assert "You are executing Sprint 2: The program." in said


# --- init, doctor, config ------------------------------------------------------------------


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda t: t.name)
def test_every_template_is_a_configuration_that_loads(
    template: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert template in TEMPLATES
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    (tmp_path / "topkick.toml").write_text(config_text(template))  # type: ignore[arg-type]
    agent = make_settings(load_config(find_project(tmp_path))).agent
    if agent.adapter != PLAIN:
        assert agent.adapter == agent.command[0]
        return
    words = " ".join(agent.command)
    by = {"argument": "{prompt}", "file": "{prompt_file}"}.get(agent.prompt.value, "")
    assert by in words
    assert "{model}" in words


def test_the_example_plan_reads_without_findings() -> None:
    reading = read(EXAMPLE_PLAN, default_name="x")
    assert reading.findings == ()
    assert all(s.checks for u in reading.plan.units for s in u.sprints)


def test_init_writes_once_and_never_overwrites(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    said = topkick("init", "--agent", "claude", "--example", cwd=tmp_path, check_code=0).stdout
    assert said.splitlines()[-1] == "Next: topkick plan show"
    first = (tmp_path / "topkick.toml").read_bytes()
    done = topkick("init", "--agent", "codex", cwd=tmp_path, check_code=2)
    assert '+agent = "codex"' in done.stderr
    assert (tmp_path / "topkick.toml").read_bytes() == first
    excluded = (tmp_path / ".git" / "info" / "exclude").read_text()
    assert excluded.count("SUPERVISOR_STATE.md") == 1


def test_init_finds_what_is_on_path(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("codex", "aider"):
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    topkick("init", cwd=tmp_path, env={"PATH": str(tools)}, check_code=0)
    assert 'agent = "codex"' in (tmp_path / "topkick.toml").read_text()


def test_init_with_nothing_on_path_says_what_to_do(tmp_path: Path) -> None:
    done = topkick("init", cwd=tmp_path, env={"PATH": str(tmp_path)}, check_code=2)
    assert "--command" in done.stderr
    assert not (tmp_path / "topkick.toml").exists()


def test_init_again_without_an_agent_on_path_says_that_it_was_done(tmp_path: Path) -> None:
    topkick("init", "--agent", "claude", cwd=tmp_path, check_code=0)
    done = topkick("init", cwd=tmp_path, env={"PATH": str(tmp_path)}, check_code=2)
    assert "topkick.toml exists and was not changed" in done.stderr
    assert "No agent program" not in done.stderr


def test_init_with_a_program_of_the_project(tmp_path: Path) -> None:
    topkick("init", "--command", "./agent.sh '{prompt_file}'", cwd=tmp_path, check_code=0)
    text = (tmp_path / "topkick.toml").read_text()
    assert 'command = ["{project}/agent.sh", "{prompt_file}"]' in text
    assert 'prompt = "file"' in text


def test_doctor(project: Path) -> None:
    done = topkick("doctor", cwd=project, check_code=0)
    for what in ("python", "git", "plan", "state", "agent", "journal", "supervisor"):
        assert f" {what} " in done.stdout, what


def test_doctor_fails_for_an_agent_that_is_not_there(project: Path) -> None:
    (project / "topkick.toml").write_text(config_text(own("nope", ["no-such-program-here"])))
    found = json.loads(topkick("doctor", "--json", cwd=project, check_code=1).stdout)
    failing = [f for f in found if f["level"] == "fail"]
    assert [f["what"] for f in failing] == ["agent"]
    assert failing[0]["advice"]


def test_doctor_says_to_mend_a_broken_file(project: Path) -> None:
    (project / "topkick.toml").write_text('agent = "x"\n[agents\n')
    found = json.loads(topkick("doctor", "--json", cwd=project, check_code=1).stdout)
    failing = [f for f in found if f["what"] == "agent"]
    assert "line 2" in failing[0]["detail"]
    assert failing[0]["advice"] == f"correct {project / 'topkick.toml'}, line 2"


def test_doctor_never_sets_an_unknown_program_to_work(project: Path) -> None:
    script = project / "agent.sh"
    script.write_text("#!/bin/sh\ntouch worked\n")
    script.chmod(0o755)
    (project / "topkick.toml").write_text(config_text(own("mine", ["{project}/agent.sh"])))
    topkick("doctor", cwd=project, check_code=0)
    assert not (project / "worked").exists()


def test_config_show(project: Path) -> None:
    said = json.loads(topkick("config", "show", cwd=project, check_code=0).stdout)
    assert said["limits"]["max_agents"] == 4
    assert said["tree"]["copy"] == []


def test_config_show_needs_no_plan(tmp_path: Path) -> None:
    (tmp_path / "topkick.toml").write_text("[limits]\nmax_agents = 3\n")
    said = json.loads(topkick("config", "show", cwd=tmp_path, check_code=0).stdout)
    assert said["limits"]["max_agents"] == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tree]\ncopy_ = []\n", "tree.copy_: no such setting; did you mean copy?"),
        ("[gate]\nagnt = 1\n", "gate.agnt: no such setting\n"),
        ("[limits]\nmax_agent = 1\n", "did you mean max_agents?"),
        ("agnt = 1\n", "agnt: no such setting; did you mean agent?"),
    ],
)
def test_a_misspelt_setting_is_answered_with_one_of_its_table(
    text: str, told: str, project: Path
) -> None:
    (project / "topkick.toml").write_text(text)
    assert told in topkick("config", "show", cwd=project, check_code=2).stderr


# --- quick loading -------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["--version"], ["--help"]])
def test_looking_loads_nothing_heavy(words: list[str], project: Path) -> None:
    program = (
        "import sys\n"
        f"sys.argv = ['topkick', *{words!r}]\n"
        "from topkick.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"loaded = [m for m in {HEAVY!r} if m in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.spec("DP-09")
def test_an_agent_that_took_over_has_nobody_to_switch_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    (tmp_path / "topkick.toml").write_text(
        'agent = "a"\n[agents.a]\ncommand = ["true"]\n[agents.b]\ncommand = ["true"]\n'
        '[limits]\non_limit = "b"\n'
    )
    config = load_config(find_project(tmp_path))
    first, later = make_settings(config), make_settings(config, agent="b")
    assert first.on_limit is OnLimit.SWITCH
    assert first.other_agent is not None
    assert first.other_agent.name == "b"
    assert later.on_limit is OnLimit.WAIT


@pytest.mark.parametrize("amount", ["inf", "nan", "-1", "0"])
def test_a_budget_is_an_amount(tmp_path: Path, amount: str) -> None:
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    (tmp_path / "topkick.toml").write_text(
        f'[agents.a]\ncommand = ["true"]\n[budget]\nrun = {{ usd = {amount} }}\n'
    )
    with pytest.raises(UsageError, match=r"budget\.run\.usd"):
        load_config(find_project(tmp_path))
