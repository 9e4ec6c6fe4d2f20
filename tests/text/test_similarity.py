"""Words, stems and names by which texts are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.text import similarity
from topkick.text.similarity import Likeness


@given(st.text(max_size=80))
def test_words_are_small_and_have_no_marks(text: str) -> None:
    assert all(word == word.casefold() and "_" not in word for word in similarity.words(text))
    assert similarity.joined(text) == "".join(similarity.words(text))


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_a_stem_begins_its_word(word: str) -> None:
    assert word.startswith(similarity.stem(word))
    assert len(similarity.stem(word)) >= min(3, len(word))


@pytest.mark.parametrize("name", ["user_store", "UserStore", "user-store", "User Store"])
def test_one_name_in_four_spellings(name: str) -> None:
    assert similarity.joined(name) == "userstore"


def test_stems_meet() -> None:
    assert {similarity.stem(w) for w in ("parsing", "parsed", "parses", "parser")} == {"pars"}
    assert similarity.telling("The HttpParser parses a request") == {"http", "pars", "request"}
    assert [similarity.singular(w) for w in ("stories", "files", "class")] == [
        *("story", "file", "class")
    ]


@pytest.mark.parametrize(
    ("asked", "given", "found"),
    [
        ("export invoices as PDF", "An invoice can be exported as PDF", Likeness.STRONG),
        ("export invoices as PDF", "Delete old invoices", Likeness.WEAK),
        ("export invoices as PDF", "Sign in with a password", Likeness.NONE),
    ],
)
def test_likeness(asked: str, given: str, found: Likeness) -> None:
    assert similarity.likeness(asked, given) is found


def test_a_name_is_found_in_its_spellings() -> None:
    text = similarity.Haystack.of("The AuthService calls user-store.")
    assert text.names("Auth Service")
    assert text.names("UserStore")
    assert not text.names("Billing")
