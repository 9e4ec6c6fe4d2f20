"""Operation names: their form, how one is chosen, and how it is written in the front matter."""

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.plan_format.document import read
from topkick.plan_format.front_matter import (
    content_hash,
    feature_name_in,
    is_literal,
    is_operation_name,
    name_in,
    same_but_for_the_name,
    with_feature_name,
    without_prefix,
)
from topkick.plan_format.model import Plan
from topkick.planning.naming.operation_name import THEMES, operation_name, theme_of
from topkick.planning.naming.themes import GENERAL, MOODS

NAME = "OPERATION OVERNIGHT PORRIDGE"
SPRINTS = "## Sprint 1: First\n\n- [ ] `make`\n\n---\n\n## Sprint 2: Second\n"


def _plan(title: str, *sprints: str, note: str = "") -> Plan:
    body = "".join(f"\n## Sprint {n}: {name}\n" for n, name in enumerate(sprints or ("One",), 1))
    return read(f"# {title}\n\n{note}\n{body}", default_name="folder").plan


# --- the form --------------------------------------------------------------------------------


@pytest.mark.spec("NM-01")
def test_the_vocabulary_is_large_and_every_name_has_the_form() -> None:
    every = (*THEMES, GENERAL)
    phrases = [phrase for theme in every for phrase in theme.phrases]
    cast = [f"{mood} {who}" for theme in every for who in theme.cast for mood in MOODS]
    assert len(THEMES) >= 30
    assert all(len(set(theme.phrases)) >= 12 for theme in every)
    assert [p for p in phrases if not is_operation_name(f"OPERATION {p}")] == []
    formed = {name for name in cast if is_operation_name(f"OPERATION {name}")}
    assert len(formed) > 5000
    assert len(formed) > 0.95 * len(set(cast))
    assert all(theme.keywords for theme in THEMES)


@pytest.mark.spec("NM-01")
@pytest.mark.parametrize(
    "name",
    [
        "OPERATION",
        "OPERATION PORRIDGE",
        "OPERATION ONE TWO THREE FOUR FIVE",
        "Operation Overnight Porridge",
        "OVERNIGHT PORRIDGE",
        "OPERATION OVERNIGHT  PORRIDGE",
        "OPERATION OVERNIGHT PORRIDGE\n",
        "OPERATION OVERNIGHT: PORRIDGE",
        "OPERATION OVERNIGHT \x1b[31mPORRIDGE",
        "OPERATION UNCHARACTERISTICALLY TRANSCONTINENTAL PORRIDGE PROCRASTINATION",
    ],
)
def test_what_is_no_name(name: str) -> None:
    assert not is_operation_name(name)


@pytest.mark.spec("NM-02")
def test_a_name_is_found_in_an_answer_and_is_no_word_of_the_title() -> None:
    answer = "Sure! OPERATION LEDGER PARTY\n**OPERATION WE'RE OFF**\nOPERATION TWO WORDS"
    assert name_in(answer, "The ledger") == "OPERATION WE'RE OFF"
    assert name_in("operation two words", "") == ""
    assert name_in("OPERATION ONE", "") == ""
    assert is_literal("OPERATION LEDGER PARTY", "A Ledger of all")
    assert without_prefix("OPERATION NIGHT OWL") == "NIGHT OWL"
    assert without_prefix("Night owl") == "Night owl"


# --- the choice ------------------------------------------------------------------------------


@pytest.mark.spec("NM-01")
@pytest.mark.parametrize(
    ("title", "sprints", "theme"),
    [
        ("Login and sessions", (), "auth"),
        ("Gadget", ("Postgres schema", "Tables"), "databases"),
        ("Gadget", ("Rate limits for guests",), "rate-limits"),
        ("WebSocket gateway", (), "sockets"),
        ("Gadget", ("Tests", "Write tests for payments"), "payments"),
        ("Gadget", ("First", "Second"), "general"),
        ("计划", (), "general"),
    ],
)
def test_the_theme_is_what_the_plan_speaks_of(
    title: str, sprints: tuple[str, ...], theme: str
) -> None:
    assert theme_of(_plan(title, *sprints)).name == theme


@pytest.mark.spec("NM-01", "NM-02")
def test_the_same_plan_has_the_same_name_and_others_have_others() -> None:
    plans = [_plan("Login and sessions", note=f"Note {n}.") for n in range(40)]
    names = [operation_name(plan) for plan in plans]
    assert names == [operation_name(plan) for plan in plans]
    assert len(set(names)) > 15
    assert all(is_operation_name(name) for name in names)


@pytest.mark.spec("NM-01")
def test_another_name_is_never_the_present_one_and_comes_round_only_after_all() -> None:
    plan = _plan("Login and sessions")
    name, seen = operation_name(plan), []
    while name not in seen:
        seen.append(name)
        name = operation_name(plan, name)
    assert len(seen) > 150
    assert name == seen[0]
    assert operation_name(plan, "OPERATION BY A PERSON") == seen[0]


@pytest.mark.spec("NM-01")
def test_a_name_does_not_repeat_the_title() -> None:
    said = " ".join(GENERAL.phrases)
    plan = _plan(f"{said} and a plan of no theme"[:900])
    name = operation_name(plan)
    for _ in range(300):
        assert not is_literal(name, plan.title)
        name = operation_name(plan, name)


# --- the front matter ------------------------------------------------------------------------


def _shiftless(value: Any) -> Any:
    """Return a plan's values without line numbers."""
    if isinstance(value, dict):
        return {k: _shiftless(v) for k, v in value.items() if k not in ("line", "feature_name")}
    if isinstance(value, list | tuple):
        return [_shiftless(one) for one in value]
    return value


_KEYS = st.sampled_from(
    [
        "type: execution-plan",
        "# a comment  ",
        "",
        "quoted: 'a  b' ",
        "list:\n  - one",
        "  feature_name: of something else",
        "feature_names: many",
    ]
)
_OWN = st.sampled_from(
    ["feature_name:", "feature_name: Old", 'feature_name : "Old"  ', "feature_name:\tX"]
)


@st.composite
def _texts(draw: st.DrawFn) -> str:
    keys = draw(st.lists(_KEYS, max_size=4))
    own = draw(st.lists(_OWN, max_size=2))
    inside = draw(st.permutations([*keys, *own]))
    closing = draw(st.sampled_from(["---", "...", "--- "]))
    kind = draw(st.sampled_from(["none", "closed", "unclosed"]))
    if kind == "closed":
        head = "\n".join([draw(st.sampled_from(["---", "---  "])), *inside, closing, ""])
    else:
        head = "" if kind == "none" else "---\n"
    title = draw(st.sampled_from(["# Notes\n\n", "\n\n# Notes\n\n", "Some words\n", ""]))
    body = SPRINTS.replace("---\n", "") if kind == "unclosed" else SPRINTS
    text = head + title + body.rstrip("\n") + draw(st.sampled_from(["", "\n", " \n\n"]))
    text = text.replace("\n", "\r\n") if draw(st.booleans()) else text
    return draw(st.sampled_from(["", "\ufeff"])) + text


@pytest.mark.spec("NM-01")
@settings(max_examples=300, deadline=None)
@given(_texts())
def test_a_name_is_read_back_and_nothing_else_has_changed(text: str) -> None:
    named = with_feature_name(text, NAME)
    before, after = read(text, default_name="x").plan, read(named, default_name="x").plan
    assert after.feature_name == feature_name_in(named) == NAME
    assert before.feature_name == feature_name_in(text)
    assert _shiftless(asdict(after)) == _shiftless(asdict(before))
    assert content_hash(named) == content_hash(text) == before.sha256
    assert with_feature_name(named, NAME) == named
    _only_the_name_was_put_in(text, named)


@pytest.mark.spec("NM-01")
@settings(max_examples=200, deadline=None)
@given(_texts(), _texts())
def test_plans_are_the_same_by_their_hash_or_by_their_words(one: str, other: str) -> None:
    assert same_but_for_the_name(one, with_feature_name(one, NAME))
    assert same_but_for_the_name(one, other) == (content_hash(one) == content_hash(other))
    assert not same_but_for_the_name(one, one + "\nMore.")


def _only_the_name_was_put_in(text: str, named: str) -> None:
    """Check that only the line or block of the name differs between the two texts."""
    old, new = text.split("\n"), named.split("\n")
    start = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    behind = min(len(old), len(new)) - start
    tail = 0
    while tail < behind and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    gone, come = old[start : len(old) - tail], new[start : len(new) - tail]
    gone = [line.removeprefix("\ufeff") for line in gone]
    come = [line.removeprefix("\ufeff") for line in come]
    assert all(line.startswith("feature_name") or line == come[-1] for line in gone)
    assert len(come) - len(gone) in (0, 1, 4)
    assert any(line.startswith(f"feature_name: {NAME}") for line in come) or text == named


@pytest.mark.spec("NM-01")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("# A\n", f"---\nfeature_name: {NAME}\n---\n\n# A\n"),
        ("\ufeff# A\r\nb", f"\ufeff---\r\nfeature_name: {NAME}\r\n---\r\n\r\n# A\r\nb"),
        ("---\na: 'b' # c\n---\n# A", f"---\na: 'b' # c\nfeature_name: {NAME}\n---\n# A"),
        ("---\nfeature_name: x\na: b\n...\n", f"---\nfeature_name: {NAME}\na: b\n...\n"),
        ("---\r\nfeature_name: 'x'\r\n---\r\n", f"---\r\nfeature_name: {NAME}\r\n---\r\n"),
        ("---\n# A\n", f"---\nfeature_name: {NAME}\n---\n\n---\n# A\n"),
        ("", f"---\nfeature_name: {NAME}\n---\n\n"),
    ],
)
def test_the_bytes_of_a_named_plan(text: str, named: str) -> None:
    assert with_feature_name(text, NAME) == named
