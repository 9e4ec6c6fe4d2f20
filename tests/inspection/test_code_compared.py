"""Stubs, silenced complaints, code that knows of its tests: as hand-made inventories."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import AcceptedText, File, FileChange
from topkick.inspection.compare.code import compare_code
from topkick.inspection.compare.reader import ChangeReading, Side
from topkick.inspection.compare.suites import (
    other_tests_removed,
    other_tests_rewritten,
    other_tests_skipped,
)
from topkick.inspection.inventory import Function, Inventory, Mark, TestCase

REAL = Function("work", 1)
LOUD = Function("total", 5, "raise NotImplementedError", loud=True)
QUIET = Function("total", 5, "return True", unused=True)


def side(
    *functions: Function,
    path: str = "src/cart.py",
    text: str = "",
    suppressions: tuple[Mark, ...] = (),
    conditions: tuple[Mark, ...] = (),
    patches: tuple[Mark, ...] = (),
    whole: tuple[Mark, ...] = (),
    cases: tuple[TestCase, ...] = (),
    is_test: bool = False,
    is_read: bool = True,
) -> Side:
    inventory = Inventory(
        "python",
        cases,
        functions,
        whole_skips=whole,
        suppressions=suppressions,
        conditions=conditions,
        patches=patches,
    )
    return Side(File(path, text.encode()), inventory, is_read=is_read, is_test=is_test)


def reading(before: Side | None, after: Side | None) -> ChangeReading:
    change = FileChange(before.file if before else None, after.file if after else None)
    return ChangeReading(change, before, after)


def code(
    *pairs: tuple[Side | None, Side | None], text: str = "", criteria: tuple[str, ...] = ()
) -> tuple[Finding, ...]:
    return compare_code([reading(*pair) for pair in pairs], AcceptedText(criteria, text))


def kinds(findings: tuple[Finding, ...]) -> list[FindingKind]:
    return [it.kind for it in findings]


STUBBED = [FindingKind.STUB]


@pytest.mark.spec("VF-03")
def test_a_stub_that_says_so() -> None:
    found = code((None, side(REAL, LOUD)))
    assert kinds(found) == STUBBED
    assert (found[0].file, found[0].line, found[0].subject) == ("src/cart.py", 5, "total")
    assert kinds(code((side(REAL, Function("total", 2)), side(REAL, LOUD)))) == STUBBED


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "text",
    [
        "Implement `total()`.",
        "Implement total() in the cart.",
        "Write `Cart.total` so that it adds up.",
    ],
)
def test_a_quiet_stub_of_what_was_asked_for(text: str) -> None:
    assert kinds(code((None, side(REAL, QUIET)), text=text)) == STUBBED


@pytest.mark.spec("VF-03")
def test_nothing_but_stubs() -> None:
    assert kinds(code((None, side(QUIET, text="def total(x):\n    return True\n")))) == STUBBED


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (None, side(REAL, QUIET), "Write the total of the cart."),  # a common word is no name
        (None, side(REAL, Function("hook", 2, "pass")), "Write work()."),
        (side(LOUD), side(REAL, LOUD), ""),
        (side(LOUD), side(LOUD, path="src/basket.py"), ""),
        (None, side(REAL, Function("area", 2, "raise NotImplementedError", True, False, True)), ""),
        (None, side(LOUD, path="tests/fakes.py"), ""),
        (None, side(LOUD, path="test_x.py", is_test=True), ""),
        (side(LOUD), side(REAL), ""),
        (None, side(REAL, Function("answer", 2, "return 42")), "`answer()` returns 42."),
        (None, side(QUIET, text="\n".join(f"x{n} = {n}" for n in range(20))), ""),
        (None, side(Function("on_start", 2, "pass"), text="def on_start():\n pass\nrun()"), ""),
        (None, side(Function("name", 2, "return 'a'"), text="def name():\n return 'a'"), ""),
    ],
)
def test_honest_functions(before: Side | None, after: Side, text: str) -> None:
    assert code((before, after), text=text) == ()


@pytest.mark.spec("VF-03")
def test_a_real_function_that_becomes_a_constant() -> None:
    before = side(REAL, Function("is_valid", 2))
    after = side(REAL, Function("is_valid", 2, "return True", unused=True))
    assert kinds(code((before, after))) == STUBBED


@pytest.mark.spec("VF-03")
def test_a_constant_answer_to_a_question_is_a_stub() -> None:
    answer = Function("is_valid", 2, "return True", unused=True)
    text = "Write `is_valid(code)`: it returns True if the code is valid."
    assert kinds(code((None, side(REAL, answer)), text=text)) == STUBBED


NOQA = Mark(3, "x = 1  # noqa: F841", "noqa")
IGNORE = Mark(4, "y()  # type: ignore", "type-ignore")
WHOLE = Mark(1, "# mypy: ignore-errors", "type-ignore-file")


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("mark", "criterion", "is_found"),
    [
        (NOQA, "ruff check .", True),
        (NOQA, "make lint", True),
        (NOQA, "pytest -q", False),
        (NOQA, "mypy src", False),
        (IGNORE, "mypy src", True),
        (IGNORE, "npx pyright", True),
        (IGNORE, "ruff check .", False),
        (IGNORE, "", False),
        (WHOLE, "", True),
        (Mark(1, "// eslint-disable-next-line", "eslint"), "npx eslint .", True),
        (Mark(1, "// @ts-ignore", "ts-ignore"), "npx tsc --noEmit", True),
        (Mark(1, "// @ts-ignore", "ts-ignore"), "npm test", False),
        (Mark(1, "# pragma: no cover", "coverage"), "pytest --cov=src", True),
        (Mark(1, "# pragma: no cover", "no-cover"), "pytest --cov=src", True),
        (Mark(1, "//nolint:errcheck", "nolint"), "golangci-lint run", True),
        (Mark(1, "// swiftlint:disable:this x", "swiftlint"), "swiftlint --strict", True),
        (Mark(1, "#[allow(clippy::all)]", "clippy"), "cargo clippy -- -D warnings", True),
        (Mark(1, "#[allow(clippy::all)]", "clippy"), "cargo test", False),
    ],
)
def test_a_complaint_that_is_silenced(mark: Mark, criterion: str, is_found: bool) -> None:
    found = code((side(REAL), side(REAL, suppressions=(mark,))), criteria=(criterion,))
    assert kinds(found) == [FindingKind.COMPLAINT_SUPPRESSED] * is_found


@pytest.mark.spec("VF-03")
def test_a_suppression_that_moved_is_an_old_one() -> None:
    old = side(suppressions=(NOQA, WHOLE))
    new = side(path="src/basket.py", suppressions=(Mark(30, NOQA.text, "noqa"), WHOLE))
    assert code((old, None), (None, new), criteria=("ruff check",)) == ()
    more = side(path="src/b.py", suppressions=(NOQA, NOQA, Mark(7, "z  # noqa", "noqa"), WHOLE))
    found = code((old, more), criteria=("ruff check",))
    assert len(found) == 2


@pytest.mark.spec("VF-03")
def test_code_that_knows_that_it_is_tested() -> None:
    mark = Mark(7, 'if os.environ.get("CI"):', "CI")
    found = code((side(REAL), side(REAL, conditions=(mark,))))
    assert kinds(found) == [FindingKind.KNOWS_IT_IS_TESTED]
    assert found[0].subject == "CI"
    assert code((side(conditions=(mark,)), side(path="src/b.py", conditions=(mark,)))) == ()


@pytest.mark.spec("VF-03")
def test_a_condition_to_skip_on_is_said_once() -> None:
    mark = Mark(7, '@pytest.mark.skipif("CI" in os.environ)', "CI")
    case = TestCase("test_x", 8, skip="skipif", skip_if='"CI" in os.environ')
    tests = side(path="tests/test_x.py", conditions=(mark,), cases=(case,), is_test=True)
    assert code((None, tests)) == ()


@pytest.mark.spec("VF-03")
def test_the_framework_is_patched() -> None:
    mark = Mark(2, "pytest.Item.runtest = lambda self: None", "pytest.Item.runtest")
    found = code((None, side(path="conftest.py", patches=(mark,))))
    assert kinds(found) == [FindingKind.CHECK_CHANGED]
    assert found[0].subject == "pytest.Item.runtest"
    assert code((side(patches=(mark,)), side(patches=(mark,)))) == ()


# Languages without a reader ---------------------------------------------------------------------

SPEC = "require 'cart'\n\nit 'adds up' do\n  expect(total).to eq 5\nend\n"


def spec(text: str, path: str = "spec/cart_spec.rb", skip: str = "") -> Side:
    marks = (Mark(1, skip),) if skip else ()
    return side(path=path, text=text, is_test=True, is_read=False, whole=marks)


@pytest.mark.spec("VF-03")
def test_another_language_by_its_lines() -> None:
    weaker = spec(SPEC.replace("eq 5", "eq 4"))
    (found,) = other_tests_rewritten([reading(spec(SPEC), weaker)])
    assert found[0].kind is FindingKind.TEST_REWRITTEN
    assert found[1] == "spec/cart_spec.rb"
    assert "eq 5" in found[0].what


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "pairs",
    [
        [(spec(SPEC), spec(SPEC + "it 'is new' do\n  expect(1).to eq 1\nend\n"))],
        [(spec(SPEC), spec("# new\n" + SPEC.replace("require 'cart'", "require 'basket'")))],
        [(spec(SPEC), spec(SPEC, path="spec/basket_spec.rb"))],
        [(spec(SPEC), None), (None, spec(SPEC, path="spec/basket_spec.rb"))],
        [(spec(SPEC + "foo bar\n"), spec(SPEC)), (None, spec("foo bar", path="spec/b_spec.rb"))],
        [(spec(SPEC, skip="xit"), spec(SPEC, skip="xit", path="spec/basket_spec.rb"))],
    ],
)
def test_honest_changes_in_another_language(pairs: list[tuple[Side | None, Side | None]]) -> None:
    readings = [reading(*pair) for pair in pairs]
    assert list(other_tests_rewritten(readings)) == []
    assert list(other_tests_removed(readings)) == []
    assert list(other_tests_skipped(readings)) == []


@pytest.mark.spec("VF-03")
def test_a_file_in_another_language_that_is_gone_or_skipped() -> None:
    link = Side(File("spec/cart_spec.rb", b""), Inventory(""), is_test=True, shut="a symbolic link")
    for after in (None, link, side(path="spec/cart.rb.old", text=SPEC)):
        (found,) = other_tests_removed([reading(spec(SPEC), after)])
        assert found.kind is FindingKind.TEST_REMOVED
    (found,) = other_tests_skipped([reading(spec(SPEC), spec(SPEC, skip="xit 'adds up'"))])
    assert found.kind is FindingKind.TEST_SKIPPED


words = st.sampled_from(["", "total", "noqa", "type-ignore-file", "return 5", "pass", "CI"])
marks = st.lists(st.builds(Mark, st.integers(0, 9), words, words), max_size=4).map(tuple)
functions = st.builds(
    Function, words, st.integers(0, 9), words, st.booleans(), st.booleans(), st.booleans()
)
sides = st.builds(
    lambda found, one, two, three, is_test: side(
        *found, suppressions=one, conditions=two, patches=three, is_test=is_test, text="a\n\n#b"
    ),
    st.lists(functions, max_size=4),
    marks,
    marks,
    marks,
    st.booleans(),
)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.none() | sides, st.none() | sides), max_size=4), st.text())
def test_any_change_is_compared(pairs: list[tuple[Side | None, Side | None]], text: str) -> None:
    code(*pairs, text=text, criteria=(text, "ruff", "mypy"))


@settings(max_examples=50)
@given(st.lists(sides, max_size=4))
def test_no_change_is_nothing(them: list[Side]) -> None:
    pairs = [(it, it) for it in them]
    assert code(*pairs, text="total() pass", criteria=("ruff", "mypy")) == ()
