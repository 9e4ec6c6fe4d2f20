"""Needs in progress files, in the forms that people and agents write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.sprint.needs.model import Resolution, named_in, resolution_of
from topkick.sprint.needs.progress_notes import LONGEST, MOST_NEEDS, needs_listed, types_defined


def section(*lines: str, title: str = "Cross-Package Needs") -> str:
    return "\n".join(["# P Progress", "- not this", f"## {title}", *lines, "## Next", "- nor this"])


@pytest.mark.spec("RP-05")
@pytest.mark.parametrize(
    ("text", "listed"),
    [
        (section("- the Box of parser"), ["the Box of parser"]),
        (section("* one", "", "2. two"), ["one", "two"]),
        (section("- one,", "  and more of it", "- two"), ["one,\nand more of it", "two"]),
        (section("- [ ] open", "- [x] ticked"), ["open"]),
        (section("- ~~struck~~", "- x ✅", "- y (resolved in sprint 3)"), []),
        (section("- (none)"), []),
        (section("- None at this time. It uses a string instead."), []),
        (section("- N/A"), []),
        (section("Nothing is needed."), []),
        (section("- one", title="Cross-Unit Needs"), ["one"]),
        (section("- how it was solved", title="Cross-Package Needs (Final State)"), []),
        (section("### Of the parser", "- one"), ["one"]),
        (section("- one", "- one"), ["one"]),
        ("no section", []),
    ],
)
def test_what_is_listed_as_needed(text: str, listed: list[str]) -> None:
    assert list(needs_listed(text)) == listed


def test_what_is_listed_is_bounded() -> None:
    many = section(*(f"- {n} {'x' * 2000}" for n in range(500)))
    found = needs_listed(many)
    assert len(found) == MOST_NEEDS
    assert max(map(len, found)) <= LONGEST


@pytest.mark.spec("RP-05")
def test_which_types_are_said_to_be_defined() -> None:
    text = section(
        "### Sources",
        "- Sources/A/BoundingBox.swift",
        "- `src/TextChunk.py` (new)",
        "- src/helpers.py",
        "- Sources/Models",
        "### Tests",
        "- Tests/A/BoundingBoxTests.swift",
        title="Files Created (cumulative)",
    )
    assert types_defined(text) == ("BoundingBox", "TextChunk")


@given(st.text(alphabet=st.sampled_from("#- *`ab/.\n~x[]1)("), max_size=200))
def test_no_text_is_too_odd(text: str) -> None:
    needs_listed(f"## Cross-Package Needs\n{text}")
    types_defined(f"## Files Created\n{text}")


@pytest.mark.spec("RP-05")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`Contrast` of wcag-algs", ["wcag-algs"]),
        ("`Contrast` from WcagAlgs", ["wcag-algs"]),
        ("uses SwiftValidationProfiles", ["validation-profiles", "validation"]),
        ("a uid of its own", []),
        ("something of ui", ["ui"]),
    ],
)
def test_units_are_known_however_their_names_are_joined(text: str, found: list[str]) -> None:
    names = ["validation", "wcag-algs", "validation-profiles", "ui"]
    assert list(named_in(text, names)) == found


@pytest.mark.spec("RP-05")
def test_the_table_of_imports_decides_and_without_one_what_is_waited_for() -> None:
    text = "`Rule` of profiles"
    assert resolution_of(text, "profiles", "`Profiles`", ()) is Resolution.IMPORT
    assert resolution_of(text, "profiles", "only parser", ["profiles"]) is not Resolution.IMPORT
    assert resolution_of(text, "profiles", "", ["profiles"]) is Resolution.IMPORT
    assert resolution_of(text, "profiles", "", ()) is Resolution.RECONCILIATION
    local = "a local protocol stands in for `Rule` of profiles"
    assert resolution_of(local, "profiles", "", ()) is Resolution.LOCAL_PROTOCOL
