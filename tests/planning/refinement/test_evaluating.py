"""Issues of a sprint: found, fixed or left; running `evaluate` twice changes nothing more."""

import pytest
from hypothesis import given, settings
from made_plans import MadePlan, plans

from topkick.plan_format.document import PlanReading, read
from topkick.plan_format.model import SprintPlan
from topkick.planning.project_facts import Surroundings
from topkick.planning.refinement.evaluation import Evaluated, evaluated
from topkick.planning.refinement.fitness import Fitness, FitnessCheck, assessed, fitness_of

NOWHERE = Surroundings()
PYTHON = Surroundings(
    "python",
    "python3 -m pytest",
    "tests",
    paths=frozenset({"src/app.py", "README.md"}),
    texts={"src/app.py": "def main(): ...\n"},
)


def read_it(text: str) -> PlanReading:
    return read(text, default_name="x")


def done(text: str, around: Surroundings = NOWHERE, max_turns: int = 50) -> Evaluated:
    return evaluated(text, read_it, around, max_turns)


def sprints(text: str) -> list[SprintPlan]:
    return [sprint for unit in read_it(text).plan.units for sprint in unit.sprints]


def issues(body: str, max_turns: int = 50) -> set[FitnessCheck]:
    found = assessed(read_it(f"# Plan\n\n### Sprint 1: A\n\n{body}"), max_turns)
    return {issue.check for issue in found[0].issues}


SOUND = """**Entry criteria**:
- [ ] First sprint — no prerequisites

**Tasks**:
1. Write `src/tokens.py`

**Exit criteria**:
- [ ] `python3 -m pytest tests/test_tokens.py` passes
- [ ] File exists: `src/tokens.py`
"""


# --- what is found ---------------------------------------------------------------------------


def test_a_sound_sprint_passes_every_check() -> None:
    assert issues(SOUND) == set()


@pytest.mark.spec("EV-01")
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("1. Write `src/tokens.py`", "1. Make it work", set()),  # a check names what it makes
        ("First sprint — no prerequisites", "The previous work is done", {FitnessCheck.INPUTS}),
        ("First sprint — no prerequisites", "Previous work in `src/a.py` is done", set()),
        (
            "`python3 -m pytest tests/test_tokens.py` passes",
            "It works correctly",
            {FitnessCheck.MEASURABLE},
        ),
        (
            "1. Write `src/tokens.py`",
            "1. Write `src/tokens.py`\n2. Write `src/trees.py`",
            {FitnessCheck.COVERAGE},
        ),
        ("1. Write `src/tokens.py`", "1. Write `src/tokens.py`\n2. Read `src/trees.py`", set()),
    ],
)
def test_one_thing_that_is_wrong(old: str, new: str, found: set[FitnessCheck]) -> None:
    assert old in SOUND
    assert issues(SOUND.replace(old, new)) == found


@pytest.mark.spec("EV-01")
def test_a_sprint_that_names_nothing() -> None:
    found = issues("**Tasks**:\n1. Make it work\n\n**Exit criteria**:\n- [ ] Looks good\n")
    assert found == {FitnessCheck.ARTIFACT, FitnessCheck.VERIFIABLE, FitnessCheck.MEASURABLE}


@pytest.mark.spec("EV-01")
def test_two_concerns() -> None:
    tasks = "1. Write `auth/login.py`\n2. Write `auth/token.py`\n"
    more = "3. Write `billing/cart.py`\n4. Write `billing/bill.py`\n"
    leaving = "\n**Exit criteria**:\n- [ ] `make login token cart bill` passes\n"
    assert FitnessCheck.CONCERN in issues(f"**Tasks**:\n{tasks}{more}{leaving}")
    assert FitnessCheck.CONCERN not in issues(f"**Tasks**:\n{tasks}{leaving}")
    # tests go with what they test
    tests = "3. Write `tests/test_login.py`\n4. Write `tests/test_token.py`\n"
    assert FitnessCheck.CONCERN not in issues(f"**Tasks**:\n{tasks}{tests}{leaving}")


@pytest.mark.spec("EV-01")
@pytest.mark.parametrize(
    ("turns", "fitness"),
    [(7, Fitness.UNDERSIZED), (8, Fitness.RIGHT), (40, Fitness.RIGHT), (41, Fitness.OVERSIZED)],
)
def test_the_limits_of_the_context(turns: int, fitness: Fitness) -> None:
    assert fitness_of(turns, 50) is fitness


@pytest.mark.spec("EV-01")
@pytest.mark.parametrize(
    ("body", "turns"),
    [
        # R + 2(C + M) + B + ceil(75 a file / 75) + V + 5
        ("Nothing.\n", 5),
        ("**Tasks**:\n1. Write `a.py`\n", 8),  # 0 + 2 + 0 + 1 + 0 + 5
        ("**Tasks**:\n1. Write `a.py` and `b.py`\n", 11),  # 0 + 4 + 0 + 2 + 0 + 5
        ("**Entry criteria**:\n- [ ] `x.py` exists\n\n**Tasks**:\n1. Write `a.py`\n", 9),
        ("**Tasks**:\n1. Write `a.py`\n\n**Exit criteria**:\n- [ ] `make build` passes\n", 10),
        ("**Tasks**:\n1. Write `a.py`\n\n**Exit criteria**:\n- [ ] B\n- [ ] C\n", 10),
    ],
)
def test_turns(body: str, turns: int) -> None:
    found = assessed(read_it(f"# Plan\n\n### Sprint 1: A\n\n{body}"), 50)
    assert found[0].turns == turns


def test_what_is_for_people_needs_no_check() -> None:
    body = (
        "**Type**: manual\n\n**Tasks**:\n1. Talk to them\n\n**Exit criteria**:\n- [ ] They agree\n"
    )
    assert issues(body) == set()


# --- what is mended --------------------------------------------------------------------------


@pytest.mark.spec("EV-02")
def test_criteria_are_proposed_from_what_tasks_make() -> None:
    tasks = "1. Create `src/tokens.py`\n2. Add `Token` to `src/app.py`\n"
    text = f"# Plan\n\n### Sprint 1: A\n\n**Tasks**:\n{tasks}\n---\n"
    result = done(text, PYTHON)
    assert result.text == text.replace(
        "`src/app.py`\n",
        "`src/app.py`\n\n**Exit criteria**:\n"
        "- File exists: `src/tokens.py` (proposed)\n"
        "- `src/app.py` contains `Token` (proposed)\n"
        "- Tests pass: `python3 -m pytest` (proposed)\n",
    )
    assert (result.checked_before, result.checked_after) == (0, 1)
    assert [c.command for c in sprints(result.text)[0].exit] == [
        "test -e src/tokens.py",
        "grep -qF -- Token src/app.py",
        "python3 -m pytest",
    ]


@pytest.mark.spec("EV-02")
@pytest.mark.parametrize(
    ("path", "tests", "command"),
    [
        ("tests/test_a.py", "python3 -m pytest", "python3 -m pytest tests/test_a.py"),
        ("tests/test_a.py", "pytest -q", "pytest tests/test_a.py"),
        ("tests/test_a.py", "python3 -m unittest", "python3 -m unittest tests/test_a.py"),
        ("pkg/parse/parse_test.go", "go test ./...", "go test ./pkg/parse"),
        ("Tests/CoreTests/ParseTests.swift", "swift test", "swift test --filter ParseTests"),
        ("tests/parse.rs", "cargo test", "cargo test --test parse"),
        ("src/parse.test.ts", "npm test", "npm test -- src/parse.test.ts"),
        ("src/parse.test.ts", "pnpm test", "pnpm run test src/parse.test.ts"),
        ("spec/parse_test.rb", "bundle exec rspec", "test -e spec/parse_test.rb"),
        ("src/parse.py", "python3 -m pytest", "test -e src/parse.py"),
    ],
)
def test_a_named_test_has_to_pass_alone(path: str, tests: str, command: str) -> None:
    text = f"# Plan\n\n### Sprint 1: A\n\n**Tasks**:\n1. Write `{path}`\n"
    around = Surroundings("", tests, "", "", frozenset({"README.md"}))
    found = sprints(done(text, around).text)[0].checks
    assert found[0].command == command


@pytest.mark.spec("EV-02")
@pytest.mark.parametrize(
    "task",
    [
        "Update `README.md`",  # it is there already
        "Read `src/other.py`",
        "Delete `src/old.py`",
        "Call `main` in `src/app.py`",  # `main` is in it already
        "Create `app.py`",  # there is one in some folder
    ],
)
def test_nothing_is_proposed_that_would_prove_nothing(task: str) -> None:
    text = f"# Plan\n\n### Sprint 1: A\n\n**Tasks**:\n1. {task}\n"
    assert done(text, Surroundings("", "", "", "", PYTHON.paths, PYTHON.texts)).text == text


@pytest.mark.spec("EV-02")
def test_proposals_go_below_the_criteria_there_are_in_their_style() -> None:
    text = """# Plan

### Sprint 1: A

**Tasks**:
1. Create `src/a.py`

**Exit criteria**:
* [ ] People like it

### Sprint 2: B

**Tasks**:
1. Create `src/b.py`

**Deliverables**:
- A nice thing
"""
    assert done(text).text == text.replace(
        "People like it\n", "People like it\n* [ ] File exists: `src/a.py` (proposed)\n"
    ).replace("A nice thing\n", "A nice thing\n- File exists: `src/b.py` (proposed)\n")


@pytest.mark.spec("EV-02")
def test_vague_words_get_the_command_that_shows_it() -> None:
    said = "- [ ] The cache works correctly.\n- [ ] `make` passes\n"
    text = f"# Plan\n\n### Sprint 1: A\n\n**Exit criteria**:\n{said}"
    result = done(text, PYTHON)
    assert "- [ ] The cache works correctly: `python3 -m pytest` passes (proposed)\n" in result.text
    assert result.sharpened == 1
    assert all(c.command for c in sprints(result.text)[0].exit)


LARGE = "".join(f"{n}. Write `src/part{n}.py`\n" for n in range(1, 15))
LARGE_PLAN = f"""# Plan

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| Parts     | .         | 3       | 0     | none         |

### Sprint 1: Small

**Tasks**:
1. Write `src/first.py`

**Exit criteria**:
- [ ] File exists: `src/first.py`

### Sprint 2: Large

**Entry criteria**:
- [ ] Sprint 1 complete

**Tasks**:
{LARGE}
**Exit criteria**:
- [ ] `make test` passes
- [ ] File exists: `src/part3.py`
- [ ] File exists: `src/part12.py`
- [ ] It is a joy to read

### Sprint 3: Last

**Entry criteria**:
- [ ] Sprint 2 complete

**Tasks**:
1. Write `src/last.py`

**Exit criteria**:
- [ ] File exists: `src/last.py`
"""


@pytest.mark.spec("EV-02")
def test_a_sprint_that_is_too_large_is_halved() -> None:
    result = done(LARGE_PLAN)
    first, one, two, last = sprints(result.text)
    assert (first.id, one.id, two.id, last.id) == ("1", "2", "3", "4")
    assert (one.name, two.name) == ("Large", "Large, continued")
    assert [len(one.tasks), len(two.tasks)] == [7, 7]
    assert [c.text for c in one.exit] == [
        "`make test` passes",
        "File exists: `src/part3.py`",
        *(f"File exists: `src/part{n}.py` (proposed)" for n in (1, 2, 4, 5)),
    ]
    assert [c.text for c in two.exit][:3] == [
        "`make test` passes",
        "File exists: `src/part12.py`",
        "It is a joy to read",
    ]
    assert [c.text for c in two.entry] == ["Sprint 2 complete"]
    assert [c.text for c in last.entry] == ["Sprint 3 complete"]  # the end of what was halved
    assert "| Parts     | .         | 4       | 0     | none         |" in result.text
    assert "1. Write `src/part8.py`" in result.text
    assert all(one.fitness is Fitness.RIGHT for one in result.after)
    assert (len(result.before), len(result.after), result.splits) == (3, 4, 1)
    assert done(result.text).text == result.text


@pytest.mark.spec("EV-02")
def test_halves_that_are_still_too_large_are_halved_again() -> None:
    result = done(LARGE_PLAN, max_turns=30)
    assert result.splits > 2
    assert all(one.fitness is not Fitness.OVERSIZED for one in result.after)
    assert [s.id for s in sprints(result.text)] == [str(n + 1) for n in range(len(result.after))]
    tasks = [task for sprint in sprints(result.text) for task in sprint.tasks]
    assert tasks == [task for sprint in sprints(LARGE_PLAN) for task in sprint.tasks]


@pytest.mark.spec("EV-02")
def test_ids_that_are_no_plain_numbers_stay_and_the_second_half_gets_a_letter() -> None:
    text = LARGE_PLAN.replace("Sprint 2", "Sprint WU1.S2").replace("Sprint 3:", "Sprint WU1.S3:")
    result = done(text)
    assert [s.id for s in sprints(result.text)] == ["1", "WU1.S2", "WU1.S2b", "WU1.S3"]
    assert [c.text for c in sprints(result.text)[3].entry] == ["Sprint WU1.S2b complete"]


@pytest.mark.spec("EV-02")
def test_concerns_are_parted() -> None:
    text = """# Plan

### Sprint 1: Both

**Tasks**:
1. Write `auth/login.py`
2. Write `auth/token.py`
3. Write `billing/cart.py`
4. Write `billing/bill.py`

**Exit criteria**:
- [ ] File exists: `auth/login.py`
- [ ] File exists: `auth/token.py`
- [ ] File exists: `billing/cart.py`
- [ ] File exists: `billing/bill.py`
"""
    one, two = sprints(done(text).text)
    assert one.tasks == ("Write `auth/login.py`", "Write `auth/token.py`")
    assert [c.text for c in two.exit] == [
        "File exists: `billing/cart.py`",
        "File exists: `billing/bill.py`",
    ]


@pytest.mark.spec("EV-02")
def test_a_very_small_sprint_goes_into_the_next() -> None:
    text = """# Plan

### Sprint 1: Tiny

**Entry criteria**:
- [ ] First sprint — no prerequisites

**Tasks**:
1. Say yes

**Exit criteria**:
- [ ] Said

### Sprint 2: Next

**Entry criteria**:
- [ ] Sprint 1 complete

**Tasks**:
1. Write `src/a.py`
2. Write `src/b.py`

**Exit criteria**:
- [ ] File exists: `src/a.py`
- [ ] File exists: `src/b.py`

### Sprint 3: Last

**Entry criteria**:
- [ ] Sprint 2 complete

**Tasks**:
1. Write `src/c.py`

**Exit criteria**:
- [ ] File exists: `src/c.py`
"""
    result = done(text, max_turns=70)
    one, last = sprints(result.text)
    assert (one.id, one.name, last.id) == ("1", "Next", "2")
    assert one.tasks == ("Say yes", "Write `src/a.py`", "Write `src/b.py`")
    assert [c.text for c in one.entry] == ["First sprint — no prerequisites"]
    assert one.exit[0].text == "Said"
    assert [c.text for c in last.entry] == ["Sprint 1 complete"]
    assert "3. Write `src/b.py`" in result.text
    assert (result.merges, len(result.after)) == (1, 2)
    assert "it is the last of its unit" in result.left[0].message
    assert done(result.text, max_turns=70).text == result.text


@pytest.mark.spec("EV-02")
def test_what_no_program_should_split_is_left_to_a_person() -> None:
    body = "\n".join(f"We write `src/part{n}.py`." for n in range(20))
    text = f"# Plan\n\n### Sprint 1: Prose\n\n{body}\n"
    result = done(text)
    assert result.splits == 0
    assert "Split it by hand, because its tasks are not one list" in result.left[0].message


def test_a_box_is_not_added_where_it_would_make_other_headings_sprints() -> None:
    text = "# Plan\n\n### 1. First\n1. Create `src/a.py`\n\n### 2. Second\n1. Create `src/b.py`\n"
    assert [s.name for s in sprints(text)] == ["First", "Second"]
    result = done(text)
    assert [s.name for s in sprints(result.text)] == ["First", "Second"]
    assert result.checked_after == 2


@pytest.mark.spec("EV-02")
@settings(max_examples=min(40, settings().max_examples))
@given(plans())
def test_twice_is_once_and_nothing_is_lost(made: MadePlan) -> None:
    text = made.text()
    result = done(text, PYTHON, max_turns=24)
    before, after = sprints(text), sprints(result.text)
    assert len(after) == len(before) + result.splits - result.merges
    assert [t for s in after for t in s.tasks] == [t for s in before for t in s.tasks]
    lost = {c.text for s in before for c in s.exit} - {c.text for s in after for c in s.exit}
    assert not lost
    assert done(result.text, PYTHON, max_turns=24).text == result.text
