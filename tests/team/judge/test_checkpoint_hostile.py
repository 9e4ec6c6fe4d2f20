"""Long and hostile texts: every check comes to an end, soon, and in a bounded report."""

from dataclasses import replace
from itertools import pairwise
from time import process_time

import pytest
from checkpoint_material import (
    ARCHITECTURE,
    BRIEF,
    EPICS,
    PLAN,
    PRD,
    STATES,
    TALK,
    judged,
    material,
    message,
    state,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.team.judge.checks import BUILTIN
from topkick.team.judge.checks.planning import cycle
from topkick.team.judge.findings import JudgeResult, score
from topkick.team.judge.material import Material
from topkick.team.judge.report import Report, entry_of, read_report, render


def hostile(long: int) -> tuple[str, ...]:
    return (
        "#" * long,
        "# " * (long // 2),
        "# a\n" * (long // 4),
        "- " * (long // 2),
        "- a\n" * (long // 4),
        " " * long + "x",
        "|" * long,
        "|-" * (long // 2),
        "| a |\n|---|\n" * (long // 12),
        "```\n" * (long // 4),
        "<!--" * (long // 4),
        "<!---->" * (long // 7),
        "[" * long,
        "a " * (long // 2),
        "login " * (long // 6),
        "a-b-" * (long // 4),
        "FR-001 " * (long // 7),
        "## Goals\n" + "- G-1 members record an invoice\n" * (long // 40),
        "## Glossary\n" + "- sign-in: not " + "a, " * (long // 4),
        "## Glossary\n" + "".join(f"- word{n}: x\n" for n in range(long // 20)),
        "## Decisions\n" + "- Use a for b because c\n" * (long // 30),
        "## Decisions\n- Use " + "for " * (long // 8),
        "## Components\n" + "".join(f"- Part {n}: x\n" for n in range(long // 20)),
        "priority" + ":" * (long // 2),
        "{" * long,
        '{"tasks": [' + '{"id": "a"},' * (long // 14) + '{"id": "b"}]}',
        "\ud800" * 1000 + "\x00" * 1000,
    )


def with_everywhere(text: str) -> Material:
    places = (BRIEF, PRD, ARCHITECTURE, EPICS, PLAN, "wisdom/decisions.md")
    healthy = material("CHECKPOINT-002")
    plan = material("CHECKPOINT-003", ("PLAN-001",))
    return replace(
        healthy,
        documents={**healthy.documents, **plan.documents, **dict.fromkeys(places[:-1], text)},
        kinds={**healthy.kinds, **plan.kinds},
        wisdom={places[-1]: text},
    )


def seconds(text: str) -> float:
    """Return the CPU seconds of this process alone."""
    given_ = with_everywhere(text)
    begun = process_time()
    for name, check in BUILTIN.items():
        found = check.run(given_)
        assert found.result in set(JudgeResult), name
        assert len(found.details) <= 400, name
        assert len(found.evidence) <= 20, name
        assert all(len(line) <= 400 and "\n" not in line for line in found.evidence), name
    return process_time() - begun


@pytest.mark.spec("CK-11")
@pytest.mark.parametrize("number", range(len(hostile(8))))
def test_every_check_is_linear_on_every_hostile_text(number: int) -> None:
    """Four times the text takes about four times as long; what is quadratic takes sixteen."""
    short, long = seconds(hostile(10_000)[number]), seconds(hostile(40_000)[number])
    assert long < 10 * short + 0.5


pieces = st.sampled_from(
    [
        "## Goals\n",
        "## Decisions\n",
        "## Glossary\n",
        "## Components\n",
        "## Open Questions\n",
        "- ",
        "| ",
        " |\n|---|\n",
        "FR-001 ",
        "G-1 ",
        "sign-in: ",
        "login ",
        "Storage: ",
        "not ",
        "**",
        "`",
        "```\n",
        "<!--",
        "\n",
        "  ",
        "\x00",
        "\u2028",
        "é",
        "{",
        '"',
    ]
)


@pytest.mark.spec("CK-11")
@settings(max_examples=30)
@given(st.lists(pieces, max_size=60).map("".join), st.text(max_size=40))
def test_any_document_is_judged_and_reported(text: str, word: str) -> None:
    states = (
        *STATES,
        state("writer", "DRAFT-004", decisions=[word], terminology_keys=[word, text]),
    )
    given_ = material(
        states=states,
        messages=(*TALK, message("writer", "fast_advance", 30, task_id=word)),
        files_more={EPICS: text, ARCHITECTURE: f"{word}\n{text}"},
    )
    findings = judged("CHECKPOINT-002", given_)
    report = Report(
        "CHECKPOINT-002",
        "T",
        "r.md",
        given_.scope,
        word,
        "",
        findings,
        score(findings),
        given_.read(),
    )
    assert read_report(render(report)) == entry_of(report)


@pytest.mark.spec("CK-11")
@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=4), max_size=6
    )
)
def test_a_circle_is_found_if_there_is_one_and_only_then(needs: dict[str, list[str]]) -> None:
    left = dict(needs)
    while free := [t for t, all_ in left.items() if not any(n in left for n in all_)]:
        for task in free:
            del left[task]
    found = cycle(needs)
    assert bool(found) == bool(left)
    if found:
        assert found[0] == found[-1]
        assert all(b in needs[a] for a, b in pairwise(found))


@pytest.mark.spec("CK-11")
def test_a_long_chain_of_tasks_is_no_recursion() -> None:
    chain = {str(n): [str(n + 1)] for n in range(5_000)}
    assert cycle({**chain, "5000": []}) == []
    assert len(cycle({**chain, "5000": ["0"]})) == 5_002
