"""Every case in which topkick drives a real program: the actions and the expected result."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proof.agents.boards import a_bad_answer, a_board
from proof.agents.epics import an_epic
from proof.agents.supervised import Project, Wishes
from proof.agents.teams import a_team

COMMIT = "git add -A -- '*.txt' && git commit -q -m work"
HELLO = [{"write": ["hello.txt", "hello\n"]}, {"sh": COMMIT}, {"text": "done"}]
# Not the program `sleep`, which Claude Code refuses to run. All of them end by themselves.
SLEEP = "python3 -c 'import time; time.sleep(45)'"
BUSY = (
    f"setsid {SLEEP} & echo $! > child.pid; (trap '' TERM; {SLEEP}) & echo $! > deaf.pid; "
    f"echo $$ > tool.pid; exec {SLEEP}"
)
SHORT = "echo $$ > tool.pid; python3 -c 'import time; time.sleep(4)'"
FEW = {"max_retries": 1}
QUICK = {"max_retries": 1, "stall_poll_seconds": 0.4}

Play = Callable[[Project], None]


@dataclass(frozen=True, slots=True)
class Case:
    """A case; `expected` is the conclusion of the first order, by program."""

    name: str
    expected: Mapping[str, str]
    plan: str
    play: Play
    wishes: Wishes = field(default_factory=Wishes)
    only: str = ""


def plan(*sprints: tuple[list[Mapping[str, Any]], str]) -> str:
    """Return a plan with one unit; each sprint has its model's script and a check."""
    return "# Rehearsal\n\n" + "\n".join(
        f"## Sprint {n}: Part {n}\n\nREHEARSE: {json.dumps(steps)}\n\n"
        f"**Exit criteria**:\n- [ ] `{check}` passes\n"
        for n, (steps, check) in enumerate(sprints, start=1)
    )


def units(count: int) -> str:
    rows = "".join(f"| u{n} | . | 1 |\n" for n in range(count))
    parts = "".join(
        f"## u{n}\n### Sprint 1: Part {n}\n\nREHEARSE: "
        + json.dumps(
            [
                {"write": [f"u{n}.txt", "x\n"]},
                {"sh": f"until git add u{n}.txt && git commit -q -m u{n} u{n}.txt; do :; done"},
                {"text": "done"},
            ]
        )
        + f"\n\n**Exit criteria**:\n- [ ] `test -e u{n}.txt` passes\n\n"
        for n in range(count)
    )
    return f"# Side by side\n\n| Work Unit | Directory | Sprints |\n|-|-|-|\n{rows}\n{parts}"


# --- actions -----------------------------------------------------------------------------------


def to_the_end(project: Project) -> None:
    said = project.topkick("start", "--yes", "--foreground")
    assert "COMPLETED, checked" in said, said
    assert (project.completed(), project.orders(), project.charged()) == (1, 1, 0)


def fails_once(project: Project) -> None:
    """Check that an order without work is charged as one attempt."""
    project.topkick("start", "--yes", "--foreground", code=3)
    assert (project.completed(), project.orders(), project.charged()) == (0, 1, 1)


def charges_nobody(project: Project) -> None:
    """Check that no attempt is charged: the sprint backs off, or its agent is unusable."""
    project.topkick("start", "--yes")
    project.until(project.reports, "the first order is judged")
    project.until(lambda: project.rows("TroubleMet"), "trouble is on record")
    project.topkick("stop", code=None)
    assert (project.completed(), project.charged()) == (0, 0)


def is_down(project: Project) -> None:
    said = project.topkick("start", "--yes", "--foreground", code=3)
    assert project.rows("AgentDown"), said
    assert (project.orders(), project.charged()) == (1, 0)


def waits_for_the_reset(project: Project) -> None:
    charges_nobody(project)
    (limit,) = project.rows("LimitMet")
    assert limit["until_us"] > 0


def _at_work(project: Project) -> None:
    project.topkick("start", "--yes")
    project.until(lambda: len(project.tool_pids()) == 3, "all of the tool runs")
    assert project.living()


def ended_by(*words: str) -> Play:
    def play(project: Project) -> None:
        _at_work(project)
        project.topkick(*words, code=None)
        project.until(lambda: project.rows("AgentExited"), "the agent ended")
        assert not project.living(), f"survivors: {project.living()}"
        assert project.charged() == 0

    return play


def supervisor_dies(project: Project) -> None:
    """Check that the agent continues, is found again, and its work is judged once."""
    supervisor = project.begin("start", "--yes", "--foreground")
    project.until(project.tool_pids, "the tool runs")
    supervisor.kill()
    supervisor.wait()
    project.topkick("resume", "--yes", "--foreground")
    assert (project.completed(), project.orders(), project.charged()) == (1, 1, 0)


def goes_on(project: Project) -> None:
    """Check that the second order resumes the conversation of the first."""
    project.topkick("start", "--yes", "--foreground")
    first, second = project.rows("RunDispatched")
    talk = project.reports()[0]["conversation"]["id"]
    assert "resumes" not in first["dispatch"]
    assert second["dispatch"]["resumes"]["id"] == talk
    assert (project.completed(), project.charged()) == (1, 0)


def side_by_side(project: Project) -> None:
    project.topkick("start", "--yes", "--foreground")
    talks = {report["conversation"]["id"] for report in project.reports()}
    assert (project.completed(), len(talks)) == (4, 4)


# --- the cases ---------------------------------------------------------------------------------

ONE = plan((HELLO, "grep -q hello hello.txt"))
LATER = plan(([{"sh": SHORT}, *HELLO], "grep -q hello hello.txt"))
AWAY = plan(([{"sh": BUSY}, *HELLO], "grep -q hello hello.txt"))
HALF = "if [ -e a.txt ]; then echo b > b.txt; else echo a > a.txt; fi; " + COMMIT
TWICE = plan(([{"sh": HALF}, {"text": "done"}], "test -e a.txt")).replace(
    "- [ ] `test -e a.txt` passes", "- [ ] `test -e a.txt` passes\n- [ ] `test -e b.txt` passes"
)
LOOP = plan(([], "grep -q hello hello.txt")).replace("REHEARSE: []", "Go on and on.")
PLAIN = plan(([], "grep -q hello hello.txt")).replace("REHEARSE: []", "Say hello.")


def in_clones(project: Project) -> None:
    """Check that each agent commits in its own clone, even from inside its sandbox."""
    project.topkick("start", "--yes", "--foreground")
    assert (project.completed(), project.charged()) == (2, 0)
    assert not list(project.root.glob("u*.txt")), "the checkout was touched"
    project.topkick("land", "--yes")
    assert {"u0", "u1"} <= set(project.git("log", "--format=%s").split())
    project.topkick("clean", "--yes")


def both(conclusion: str) -> Mapping[str, str]:
    return {"claude": conclusion, "codex": conclusion}


def _trouble(name: str, scenario: str = "", **limits: Any) -> Case:
    wishes = Wishes(scenario or name, limits=limits)
    return Case(name, both("provider trouble"), PLAIN, charges_nobody, wishes)


def _down(name: str, conclusion: str) -> Case:
    return Case(name, both(conclusion), PLAIN, is_down, Wishes(name))


CASES = (
    Case("edits and commits", both("finished"), ONE, to_the_end),
    Case(
        "turn limit",
        both("turn limit"),
        LOOP,
        fails_once,
        Wishes("loop", limits={**FEW, "max_turns": 4}),
    ),
    _down("401", "authentication"),
    _down("404", "bad request or model"),
    _trouble("429-2"),
    Case(
        "429-7200",
        both("usage limit"),
        PLAIN,
        waits_for_the_reset,
        Wishes("429-7200", limits={"stall_poll_seconds": 0.4}),
    ),
    Case(
        "usage limit",
        {"claude": "usage limit"},
        PLAIN,
        waits_for_the_reset,
        Wishes("usage-limit", key="CLAUDE_CODE_OAUTH_TOKEN"),
        only="claude",
    ),
    Case("plan limit", {"codex": "usage limit"}, PLAIN, waits_for_the_reset,
         Wishes("plan-limit"), only="codex"),
    _trouble("500"),
    _trouble("529"),
    _trouble("cut"),
    Case("hang", both("silent"), PLAIN, fails_once, Wishes("hang", limits=QUICK)),
    Case("prompt too long", both("context exhausted"), PLAIN, fails_once,
         Wishes("too-long", limits=FEW)),
    Case("refusal", both("refused"), PLAIN, fails_once, Wishes("refusal", limits=FEW)),
    Case("permission denied", both("permission denied"), ONE, fails_once,
         Wishes(agent={"permissions": "readonly"}, limits=FEW)),
    Case("ended by stop", {}, AWAY, ended_by("stop", "--now")),
    Case("ended by killall", {}, AWAY, ended_by("killall")),
    Case("supervisor killed", both("finished"), LATER, supervisor_dies),
    Case("continuation", both("finished"), TWICE, goes_on),
    Case("four side by side", both("finished"), units(4), side_by_side),
    Case("in clones", both("finished"), units(2), in_clones, Wishes(isolation="clone")),
    Case("a board", both("finished"), ONE, a_board),
    Case("a board without form", both("finished"), ONE, a_bad_answer),
    Case("an epic", both("finished"), ONE, an_epic),
    Case("a team", both("finished"), ONE, a_team),
)  # fmt: skip


def cases_for(kind: str) -> Iterator[Case]:
    return (case for case in CASES if case.only in ("", kind))
