"""Texts that look like results, verdicts or orders improve no verdict, and nothing in them is run.

A share of `python -m proof.liars forged`: texts are chosen by their place in the list.
"""

import pytest

from proof.liars.bench import Bench
from proof.liars.forged import run
from proof.liars.forged_texts import texts

PARTS = 2
EVERY = 6


def test_there_are_enough_texts() -> None:
    assert len(set(texts())) >= 200


@pytest.mark.spec("VF-02", "VF-03")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_forged_text_improves_a_verdict_or_is_run(part: int) -> None:
    chosen = texts()[part :: PARTS * EVERY]
    assert len(chosen) >= 20
    batch = Bench().use(lambda place: run(place, chosen))
    assert batch.wrong == ()
