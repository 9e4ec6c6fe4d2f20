"""BD-01: what counts as a requirement, where it stands, and how sure that is."""

import pytest

from topkick.planning.breakdown.detection import find
from topkick.planning.breakdown.imperatives import order
from topkick.planning.breakdown.language import CHINESE, Voice, tongue_of
from topkick.planning.breakdown.model import Confidence, FoundRequirements, RequirementKind


def texts(found: FoundRequirements) -> list[str]:
    return [one.text for one in found.requirements]


@pytest.mark.spec("BD-01")
@pytest.mark.parametrize(
    ("document", "kind", "confidence", "text"),
    [
        (
            "## Requirements\n\n1. Store notes on disk\n",
            RequirementKind.LISTED,
            "explicit",
            "Store notes on disk",
        ),
        (
            "## Behaviour\n\nThe tool MUST store notes.\n",
            RequirementKind.STATEMENT,
            "explicit",
            "Store notes",
        ),
        (
            "## Behaviour\n\nThe tool must store notes.\n",
            RequirementKind.STATEMENT,
            "implicit",
            "Store notes",
        ),
        (
            "## Behaviour\n\n- As a cook, I want to see my notes, so that I can cook.\n",
            RequirementKind.STORY,
            "explicit",
            "Let a cook see their notes",
        ),
        (
            "## Behaviour\n\n- [ ] Sync the notes\n",
            RequirementKind.CHECKLIST,
            "implicit",
            "Sync the notes",
        ),
        (
            "## Features\n\n- Dark mode for notes\n",
            RequirementKind.LISTED,
            "implicit",
            "Provide dark mode for notes",
        ),
        (
            "## Behaviour\n\nAdd a search for notes.\n",
            RequirementKind.STATEMENT,
            "implicit",
            "Add a search for notes",
        ),
        (
            "## Behaviour\n\n### REQ-7: Search notes\n\nText.\n",
            RequirementKind.HEADING,
            "explicit",
            "Search notes",
        ),
        (
            "## Requirements\n\n| Feature | Description |\n|-|-|\n| Export | Write PDF files |\n",
            RequirementKind.ROW,
            "explicit",
            "Export: write PDF files",
        ),
    ],
)
def test_every_sign_of_a_requirement_is_known(
    document: str, kind: RequirementKind, confidence: str, text: str
) -> None:
    (one,) = find(document).requirements
    assert (one.text, one.kind, one.confidence.value) == (text, kind, confidence)


@pytest.mark.spec("BD-01")
def test_each_has_its_heading_and_its_lines() -> None:
    found = find(
        "# Title\n\n## Requirements\n\n### Behaviour\n\n- Store notes:\n  - as text\n"
        "  - as pictures\n\nNotes must be\nfound again. They must be sorted.\n"
    )
    assert [(one.heading, one.lines.first, one.lines.last) for one in found.requirements] == [
        ("Behaviour", 7, 9),
        ("Behaviour", 11, 12),
        ("Behaviour", 12, 12),
    ]
    assert found.requirements[0].confidence is Confidence.EXPLICIT


@pytest.mark.spec("BD-01", "BD-04")
@pytest.mark.parametrize(
    "title",
    [
        "Out of Scope",
        "4. Non-Goals",
        "Not included",
        "Future Work",
        "What Larder is NOT",
        "Won't do",
        "Explicitly out of scope (v1)",
        "明确不做",
        "Fora do escopo",
        "Nicht-Ziele",
        "Fuera de alcance",
        "Hors périmètre",
        "خارج از محدوده",
    ],
)
def test_what_is_out_of_scope_is_left_out_at_any_depth(title: str) -> None:
    found = find(
        f"## Requirements\n\n- Store notes on disk\n\n### {title}\n\n- Share the notes\n"
        "- [ ] Print the notes\n\n#### Requirements\n\nThe tool MUST sing.\n"
    )
    assert texts(found) == ["Store notes on disk"]


@pytest.mark.spec("BD-01", "BD-04")
def test_a_label_or_a_clause_may_say_that_it_is_out_of_scope() -> None:
    found = find(
        "## Features\n\n- Add a search; sorting is out of scope\n- Sharing is deferred to v3\n\n"
        "**Non-goals**:\n- Printing of notes\n\n**Requirements**:\n- Store notes on disk\n"
    )
    assert texts(found) == ["Add a search", "Store notes on disk"]


@pytest.mark.spec("BD-01")
def test_context_done_work_fences_and_quotes_are_no_requirements() -> None:
    found = find(
        "# T\n\n- [Contents](#contents)\n\n## Background\n\n- Add salt\n\nIt must rain.\n\n"
        "## Glossary\n\n- **Chunk**: must be whole\n\n## Requirements\n\n- [x] Choose a name\n"
        "- ~~Add a logo~~\n\n```\n- Add a fence\nIt MUST NOT count\n```\n\n> It MUST NOT count\n\n"
        "- Store notes on disk\n"
    )
    assert texts(found) == ["Store notes on disk"]


@pytest.mark.spec("BD-01")
def test_questions_are_kept_apart() -> None:
    found = find(
        "## Requirements\n\n- Store notes in a database (which one is TBD)\n\n## Open Questions\n\n"
        "- Which port?\n- ~~Which name?~~ Resolved: larder\n"
    )
    assert [question.line for question in found.questions] == [3, 7]


@pytest.mark.spec("BD-01")
@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("WHEN a file is gone THEN the system SHALL say so", "Say so when a file is gone"),
        (
            "IF it is late THEN the tool SHALL NOT ring",
            "Make sure that the tool never rings if it is late",
        ),
        ("Session tokens MUST be signed", "Make sure that session tokens are signed"),
        ("Keys must never be stored in the app", "Make sure that keys are never stored in the app"),
        ("Each command must log its start", "Make each command log its start"),
        ("**FR-12**: The system shall keep a journal", "Keep a journal"),
        ("**Error Handling**: show what to do next", "Error handling: show what to do next"),
        (
            "Manifest generated with checksums",
            "Make sure that manifest is generated with checksums",
        ),
        (
            "`larder list` shows the oldest first",
            "Make sure that `larder list` shows the oldest first",
        ),
        ("Is it fast enough?", ""),
        ('"I never know what I have", says Ann', ""),
        ("see chapter 4", ""),
    ],
)
def test_a_requirement_becomes_an_order(said: str, wanted: str) -> None:
    assert order(said) == wanted


@pytest.mark.spec("BD-01")
def test_other_tongues_keep_their_words() -> None:
    portuguese = tongue_of("O sistema deve ser simples e não precisa de uma rede para os dados")
    assert order("Criar a tela de entrada", Voice(portuguese)) == "Criar a tela de entrada"
    assert order("Tela de entrada", Voice(portuguese)) == "Implementar: Tela de entrada"
    assert order("支持多条件筛选", Voice(CHINESE)) == "支持多条件筛选"
    assert texts(find("## 功能需求\n\n- 股票列表的分页与搜索\n")) == ["实现：股票列表的分页与搜索"]
