"""Journals of real runs, kept for every number of the rules and never written anew.

A change of a rule, an event or a screen shows here what it does to runs that are under way. A
journal of older rules must fold, and is left out by name when decisions are made again; a journal
of today's rules must be decided as it was, or the number of the rules is raised. Each has
a status page of its last record: `--rewrite-golden` writes the pages anew, never the journals.
`record.py` beside this file makes the journals of a new number.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rebuilt import Golden, page_of, rebuild

from topkick.app.journal.replay import redecide
from topkick.app.project import find_project
from topkick.engine.loop import FromAnotherVersion, replay
from topkick.engine.rules import RULES
from topkick.sprint.model import Overall
from topkick.sprint.status import overall

HERE = Path(__file__).parent
ALL = [Golden(path) for path in sorted(HERE.glob("*/*.jsonl"))]
SENTENCES = {"rules-1-troubled", "rules-2-troubled"}
"""They record why a sprint rested or was FATAL as a sentence, which today's program refuses."""
READ = [golden for golden in ALL if golden.name not in SENTENCES]
TODAYS = [golden for golden in ALL if golden.path.parent.name == f"rules-{RULES}"]
PLAN = "# EXECUTION_PLAN.md — Golden\n\n### Sprint 1: One\n\n**Exit criteria**:\n- [ ] `true`\n"


def _id(golden: Golden) -> str:
    return golden.name


def test_there_is_a_clean_a_troubled_a_killed_and_a_gated_run_of_all_rules() -> None:
    for number in range(1, RULES + 1):
        kept = {path.stem for path in (HERE / f"rules-{number}").glob("*.jsonl")}
        assert {"clean", "troubled", "killed", "gated"} <= kept, number


@pytest.mark.spec("J2", "J5", "J7")
@pytest.mark.parametrize("golden", READ, ids=_id)
def test_it_folds_and_its_end_is_known(golden: Golden) -> None:
    assert [r.seq for r in golden.records] == list(range(1, len(golden.records) + 1))
    assert overall(replay(golden.records)) is Overall.COMPLETED


@pytest.mark.parametrize("golden", [g for g in ALL if g not in READ], ids=_id)
def test_a_journal_with_holds_as_sentences_is_refused_in_plain_words(golden: Golden) -> None:
    with pytest.raises(FromAnotherVersion, match="written by another version of topkick"):
        replay(golden.records)


@pytest.mark.spec("J6", "J7")
@pytest.mark.parametrize("golden", READ, ids=_id)
def test_every_decision_in_it_is_what_the_rules_give(golden: Golden) -> None:
    found = redecide(golden.records)
    assert found.differences == ()
    assert found.records == len(golden.records)
    steps = {record.step for record in golden.records}
    assert found.left_out if golden not in TODAYS else found.steps == len(steps)


@pytest.mark.spec("J2", "RP-02")
@pytest.mark.parametrize("golden", READ, ids=_id)
def test_it_gives_the_page_that_it_gave(golden: Golden, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        golden.path.with_suffix(".txt").write_text(page_of(golden))
    assert page_of(golden) == golden.page()


@pytest.mark.spec("J6")
@pytest.mark.parametrize("golden", TODAYS[:1], ids=_id)
def test_the_program_itself_replays_and_checks_it(golden: Golden, tmp_path: Path) -> None:
    """Through the command line, on a real journal with hashes of its own."""
    (tmp_path / "EXECUTION_PLAN.md").write_text(PLAN)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    place = find_project(tmp_path)
    place.journal_path.parent.mkdir(parents=True, mode=0o700)
    rebuild(golden.records, place.journal_path)
    count = len(golden.records)
    said = _says(tmp_path, "journal", "replay", "--check")
    assert said.startswith(f"{count} records, ")
    assert said.endswith(" steps: every decision agrees with the rules.\n")
    assert json.loads(_says(tmp_path, "journal", "replay", "--check", "--json"))["same"] is True
    assert _says(tmp_path, "journal", "replay") == golden.page()
    shown = _says(tmp_path, "journal", "show", "--all", "--json").splitlines()
    assert shown == golden.path.read_text().splitlines(), "what is exported is what was written"


def _says(place: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "topkick", *words],
        cwd=place,
        env={**os.environ, "TZ": "UTC", "HOME": str(place)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
