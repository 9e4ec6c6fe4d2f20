"""People and agents read a criterion in the plan's own words, with what was expected and what came.

Neither the shell program that a criterion is compiled to, nor the path of the tree that checks run
in, is on any screen or in any order.
"""

import pytest
from gated import ended, waiting
from story_project import Project, plan, sprint, unit

ROUTES = "`grep -c route api/routes.py` returns 3"
WORDS = f"{ROUTES}: expected 3, got 6"
TESTS = "python3 -m unittest -q beta.test_it"
COMPILED = ("out=$(", "[ $c", "-lt 126", "import sys, traceback", "sys.argv", "bad = 0")


def _told(project: Project, said: str) -> dict[str, str]:
    """Return every screen and order that mentions a criterion."""
    pages = {" ".join(words): project.says(*words) for words in PAGES}
    prompts = {f"order {s.unit}.{n}": project.prompt(s) for n, s in enumerate(project.starts())}
    complete = project.says("report")
    return {"viewer": said, "board": project.board(), "report": complete, **pages, **prompts}


PAGES = (
    ("status",),
    ("explain",),
    ("explain", "U1/1"),
)


@pytest.mark.spec("DP-04", "GT-05", "SM-05")
def test_a_failing_criterion_is_told_in_the_words_of_the_plan(project: Project) -> None:
    text = plan(unit("api", sprint("CRITERION")), unit("beta", sprint(TESTS)))
    text = text.replace("\n```sh\nCRITERION\n```", f"- [ ] {ROUTES}")
    project.make(text, limits={"max_retries": 2})
    project.script("api.1.1", "wait('go'); commit('routes.py', 'route\\n' * 6)")
    project.script("api.1", "fail()")
    project.script("beta.1.1", "wait('go'); commit('wrong.py', 'x = 1\\ndef f(:\\n')")
    project.script("beta.1", "fail()")
    running = project.begin("start", "--yes", "--foreground")
    waiting(project, "api", "beta")
    project.let_go("go")
    said = ended(running, code=3)
    accepted, begun, said = said.partition("dispatched to")
    told = _told(project, begun + said)
    assert "out=$(grep -c route" in accepted, "a person accepts the very commands that are run"

    told["verify"] = project.says("verify", "U1/1", code=1)
    later = [s for s in project.starts() if s.unit == "api"][1:]
    for page in ("viewer", "board", "status", "explain U1/1", "report", "verify"):
        assert WORDS in told[page], f"{page}:\n{told[page]}"
    for start in later:
        assert f"- {WORDS}" in project.prompt(start)
    second = next(s for s in project.starts() if s.unit == "beta" and "wrong" in project.prompt(s))
    assert "- syntax: beta/wrong.py:2: invalid syntax" in project.prompt(second)
    assert "syntax: beta/wrong.py:2: invalid syntax" in told["board"]
    checked_in = str(project.place.state_dir)
    for name, page in told.items():
        for shell in (*COMPILED, checked_in):
            assert shell not in page, f"{name} shows {shell}:\n{page}"

    evidence = project.says("explain", "U1/1", "--evidence")
    assert "ran: out=$(grep -c route api/routes.py)" in evidence
