"""Words that route around a test are found, wherever they stand; words that forbid it are not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.inspection.weasel_words import routes_around

pytestmark = pytest.mark.spec("VF-03")

HITS = [
    ("This one is a **drift candidate**.", 1, "drift"),
    ("We add a drift gate.\n", 1, "drift"),
    ("Skip on macOS if it is slow.", 1, "skip by place"),
    ("We skip the test on the CI.", 1, "skip by place"),
    ("Make it host-conditional.", 1, "skip by place"),
    ("A skip-on-env marker helps.", 1, "skip by place"),
    ("xfail on arm64", 1, "skip by place"),
    ("We can't fix it in time, so skip on CI.", 1, "skip by place"),
    ("\n\nWe could *relax\nthe assertion* here.", 3, "softer check"),
    ("SOFTENING THE TEST is quick.", 1, "softer check"),
    ("Loosen\nthe\ncheck.", 1, "softer check"),
    ("A long line about nothing.\nThen one\nmay weaken that strict assertion.", 3, "softer check"),
    ("Use `pytest.skip` there.", 1, "skip mark"),
    ("Mark them xfail.", 1, "skip mark"),
    ("Add a marker for env-specific failures.", 1, "skip mark"),
    ("Here is a fix-or-skip menu.", 1, "menu"),
    ("fix vs skip", 1, "menu"),
    ("We can either fix it or work around it.", 1, "menu"),
    ("Fix the parser, or adjust the test.", 1, "menu"),
    ("This may need test adjustment.", 1, "too strict"),
    ("The test may be too strict.", 1, "too strict"),
    ("I think the assertion is too tight.", 1, "too strict"),
    ("Put it on the compat allowlist.", 1, "allowlist"),
    ("Fix the parser or take the fallback path.", 1, "fallback"),
    ("Consider it done even though two tests fail.", 1, "other success"),
    ("The remaining failures are acceptable.", 1, "other success"),
    ("1. Fix the code\n2. Adjust the test\n", 2, "menu of fixes"),
    ("- [ ] skip the failing test\n- [ ] fix the code\n", 1, "menu of fixes"),
    ("| Test | Skip? |\n|---|:--|\n| a | no |\n", 1, "column"),
    ("text\n\n| **Drift candidate?** | n |\n| --- | --- |\n", 3, "column"),
    ("Test | Adjust test?\n---|---\n", 1, "column"),
    ("> We relax the assertion.", 1, "softer check"),
    ("```\ncode\n```\nWe relax the check.", 4, "softer check"),
    ("Do not wait; relax the assertion.", 1, "softer check"),
]


@pytest.mark.parametrize(("text", "line", "name"), HITS, ids=[h[0][:40] for h in HITS])
def test_a_way_around_is_found(text: str, line: int, name: str) -> None:
    marks = routes_around(text)
    assert [(m.line, m.name) for m in marks if m.name == name] == [(line, name)]
    assert all(mark.text for mark in marks)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Do not relax the assertion.",
        "Never skip on CI.",
        "You must not\nloosen the check.",
        "Fix it rather than relaxing the assertion.",
        "Skipping on CI is not allowed.",
        "Relaxing the assertion is forbidden.",
        "Remove the xfail marker.",
        "No `pytest.skip`, no xfail.",
        "```python\npytest.skip('no')\n```\n",
        "~~~\nrelax the assertion\n~~~\n",
        "````\n```\nrelax the assertion\n```\n````\n",
        "The parser must skip blank lines on input.",
        "The reader falls back to a slower path.",
        "A fallback path exists for old files.",
        "- Fix the code\n- Add a test\n- Update the docs\n",
        "- Implement the cart\n- Update the tests\n",
        "| Test | Result |\n|---|---|\n| a | skip |\n",
        "The strict mode checks more.",
        "We test the relaxed mode of the solver.",
        "1. Fix the parser.\n2. Fix the lexer.\n\nTest stays as written.",
        "We can either fix it or work around it in the parser.\n\n**Test stays as written.**",
    ],
)
def test_honest_words_are_let_be(text: str) -> None:
    assert routes_around(text) == ()


def test_the_permitted_halt_hides_no_softer_check() -> None:
    text = "1. Fix the parser\n2. Relax the assertion\n\nTest stays as written."
    assert {mark.name for mark in routes_around(text)} >= {"softer check"}


def test_marks_come_in_the_order_of_lines() -> None:
    text = "xfail\n\ndrift gate\n\nrelax the check\n"
    assert [mark.line for mark in routes_around(text)] == [1, 3, 5]


WORDS = [
    "relax",
    "the",
    "assertion",
    "skip",
    "on",
    "ci",
    "not",
    "\n",
    "- ",
    "|",
    "---",
    "```",
    "*",
    "_",
]


@settings(deadline=None)
@given(st.text(max_size=300) | st.lists(st.sampled_from(WORDS), max_size=80).map(" ".join))
def test_no_text_breaks_it(text: str) -> None:
    lines = text.count("\n") + 1
    assert all(1 <= mark.line <= lines for mark in routes_around(text))
