"""Check that the architecture is covered: components have stories, and the plan cites it.

Reads: Components of the architecture, stories of the epics, the text of the plan.
"""

import re
from collections.abc import Mapping

from topkick.team.judge.checks.builtin import (
    Builtin,
    BuiltinOutcome,
    absent,
    failed,
    listed,
    passed,
    warned,
)
from topkick.team.judge.checks.traceability import IMPL_ONLY
from topkick.team.judge.documents import (
    DocumentItem,
    DocumentSection,
    below,
    outline,
    rows_and_bullets,
)
from topkick.team.judge.findings import Group
from topkick.team.judge.material import Material
from topkick.text.similarity import Haystack

MOST_NAME_WORDS = 6
MOST_COMPONENTS = 100
_COMPONENTS = re.compile(r"\b(?:components?|modules?|services?|building blocks)\b", re.IGNORECASE)
_PICTURE = re.compile(r"\b(?:diagrams?|interactions?|overview)\b", re.IGNORECASE)
_STORY = re.compile(r"\b(?:STORY|US|EPIC|ST|S|E)-?[0-9]{1,4}\b|\bstor(?:y|ies)\b", re.IGNORECASE)
_CITES = re.compile(r"\bADR-?[0-9]{1,4}\b|\barchitecture[/.\w-]*\.(?:md|json)\b|\barchitecture/")
_SPEAKS = re.compile(r"\barchitectur", re.IGNORECASE)


def components_have_stories(material: Material) -> BuiltinOutcome:
    gone = absent(material, "architecture", "epics")
    if gone is not None:
        return gone
    found = components(material.of("architecture"))
    if not found:
        place = material.place("architecture")
        return warned(f"no components found in {place}; list them below `## Components`", [place])
    everything = Haystack.of("\n".join(material.of("epics").values()))
    stories = Haystack.of("\n".join(_stories(material.of("epics"))))
    lost = [each for each in found if not everything.names(each.name)]
    if lost:
        told = listed([each.name for each in lost])
        return failed(f"components without a story: {told}", [each.told for each in lost])
    outside = [each for each in found if not stories.names(each.name)]
    if outside:
        told = listed([each.name for each in outside])
        return warned(f"named only outside of stories: {told}", [each.told for each in outside])
    return passed(f"{len(found)} components have stories")


def plan_cites_architecture(material: Material) -> BuiltinOutcome:
    if material.session.mode == IMPL_ONLY and not material.of("architecture"):
        return passed("a session without a specification has no architecture to cite")
    gone = absent(material, "plan", "architecture")
    if gone is not None:
        return gone
    text = "\n".join(material.of("plan").values())
    plan = Haystack.of(text)
    parts = [each.name for each in components(material.of("architecture"))]
    cited = [name for name in parts if plan.names(name)]
    if _CITES.search(text) or cited:
        return passed(f"the plan cites it: {listed(cited)}" if cited else "the plan cites it")
    if _SPEAKS.search(text):
        return warned(
            "the plan mentions an architecture without citing it", list(material.of("plan"))
        )
    return failed(
        "the plan cites neither the architecture nor any of its components",
        list(material.of("plan")),
    )


def components(documents: Mapping[str, str]) -> list[DocumentItem]:
    """Return the headings below Components, else its bullets and rows."""
    found: list[DocumentItem] = []
    for path, text in documents.items():
        sections = below(text, _COMPONENTS, _PICTURE)
        for number, section in enumerate(sections):
            found += _named(path, sections[number - 1] if number else None, section)
    kept = [each for each in found if 0 < len(each.name.split()) <= MOST_NAME_WORDS]
    return list({each.name.casefold(): each for each in reversed(kept)}.values())[::-1][
        :MOST_COMPONENTS
    ]


def _named(
    path: str, before: DocumentSection | None, section: DocumentSection
) -> list[DocumentItem]:
    is_below = before is not None and not _COMPONENTS.fullmatch(section.title)
    if is_below and section.level > 2:
        return [DocumentItem(path, section.line, section.title.partition(":")[0], section.title)]
    return list(rows_and_bullets(path, section))


def _stories(documents: Mapping[str, str]) -> list[str]:
    """Return sections, bullets and rows that are stories, or below a heading that says so."""
    found: list[str] = []
    for path, text in documents.items():
        level = 0
        for section in outline(text):
            level = level if level and section.level > level else 0
            if level or _STORY.search(section.title):
                level = level or section.level
                found += (section.title, *section.lines)
            else:
                found += (i.text for i in rows_and_bullets(path, section) if _STORY.search(i.text))
    return found


CHECKS = (
    Builtin(
        name="components-have-stories",
        group=Group.CONSISTENCY,
        about="Every component of the architecture has a story in the epics.",
        reads=("architecture.Components", "epics"),
        passes="a story names each component",
        warns="one is named only outside of stories, none is listed, or a document is missing",
        fails="a component is not in the epics at all",
        run=components_have_stories,
    ),
    Builtin(
        name="plan-cites-architecture",
        group=Group.CONSISTENCY,
        about="The plan cites the architecture.",
        reads=("plan", "architecture.Components"),
        passes="the plan names the document, an ADR or a component; or no specification exists",
        warns="the plan has only the word, or a document is missing",
        fails="the plan names nothing of the architecture",
        run=plan_cites_architecture,
    ),
)
