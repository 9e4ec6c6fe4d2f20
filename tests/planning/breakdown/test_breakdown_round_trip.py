"""BD-03: what a breakdown writes, the reader of plans reads back to the same model."""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from proof.plans.agreement import differences
from topkick.plan_format import document
from topkick.planning.breakdown.model import (
    BreakdownDraft,
    BreakdownTask,
    DraftSprint,
    DraftUnit,
    LineRange,
    RequirementQuestion,
)
from topkick.planning.breakdown.writer import normalised, write

PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
HOSTILE = st.sampled_from(
    [
        "Sprint 3",
        "Sprint 3: Again",
        "Sprint 1 Success",
        "## Phase 2",
        "3. Parser",
        "2.1 Unit 4: Lexer",
        "a | b | c",
        "`code` and **bold** _it_",
        "```sh",
        "- [ ] box",
        "[x] ticked",
        "<!-- comment -->",
        "> quote",
        "none",
        "None (yet)",
        "No-op mode",
        "All previous",
        "everything",
        "Total",
        "Archive",
        "Rules",
        "Exit criteria",
        "**Tasks**:",
        "Depends on: Parser",
        "A and B, C; D & E + F",
        "A to B",
        "A-B",
        "A",
        "B",
        "WU-1 through WU-3",
        "日本語の要件",
        "\u0646\u06cc\u0627\u0632\u200c\u0647\u0627",
        "naïve – dash — and \u2028 lines",
        "trailing ###",
        "---",
        "1. 2) 3. deep",
        "\\| escaped \\`",
        "Build gate: `make test`",
        "TBD: which one?",
        "A → B --> C",
    ]
)
TEXTS = st.one_of(HOSTILE, st.text(max_size=30))
LINES = st.integers(1, 500).flatmap(
    lambda first: st.integers(first, first + 9).map(lambda last: LineRange(first, last))
)
TASKS = st.builds(BreakdownTask, TEXTS.map(lambda text: f"{text}x"), LINES)
SPRINTS = st.builds(
    DraftSprint,
    TEXTS,
    st.lists(TASKS, min_size=1, max_size=4).map(tuple),
    st.lists(TEXTS, max_size=3).map(lambda said: (*said, "File exists: `src/a.py`")),
    st.sampled_from(["", "2 tasks — no more belong to this goal"]),
)


@st.composite
def drafts(draw: st.DrawFn) -> BreakdownDraft:
    names = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    units = tuple(
        DraftUnit(
            name,
            draw(st.lists(SPRINTS, min_size=1, max_size=2).map(tuple)),
            draw(
                st.sampled_from([".", "src", "packages/core", "../x", "a b c", "README.md", "a`b"])
            ),
            draw(st.integers(0, 3)),
            tuple(draw(st.sets(st.sampled_from(names[:at])))) if at else (),
        )
        for at, name in enumerate(names)
    )
    questions = draw(
        st.lists(st.builds(RequirementQuestion, TEXTS, st.integers(1, 99)), max_size=2)
    )
    return BreakdownDraft(draw(TEXTS), draw(TEXTS), units, tuple(questions))


@pytest.mark.spec("BD-03")
@settings(max_examples=60, deadline=None, phases=PHASES)
@given(drafts())
def test_what_is_written_is_read_back_the_same(given_draft: BreakdownDraft) -> None:
    draft = normalised(given_draft)
    reading = document.read(write(draft), default_name="somewhere")
    assert differences(draft, reading) == ()


@pytest.mark.spec("BD-03")
@settings(max_examples=40, deadline=None, phases=PHASES)
@given(drafts())
def test_to_normalise_twice_changes_nothing(given_draft: BreakdownDraft) -> None:
    draft = normalised(given_draft)
    assert normalised(draft) == draft
