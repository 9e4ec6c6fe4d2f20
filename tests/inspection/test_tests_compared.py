"""Test cases before and after, as hand-made inventories: what is a finding, what a suspicion, and
what is nothing."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.checks.model import FindingKind
from topkick.inspection.change import AcceptedText, File, FileChange
from topkick.inspection.compare.reader import ChangeReading, Side
from topkick.inspection.compare.suites import Compared, compare_tests
from topkick.inspection.inventory import Inventory, Mark, TestCase

CASE = TestCase(
    "TestCart::test_total", 3, ("cart.total() == 5",), essence="cart=Cart(2,3)\ncart.total() == 5"
)
OTHER = TestCase("test_empty", 9, ("Cart().total() == 0",), essence="Cart().total() == 0")


def side(
    path: str,
    *cases: TestCase,
    language: str = "python",
    is_test: bool = True,
    whole: str = "",
    broken: bool = False,
    shut: str = "",
) -> Side:
    marks = (Mark(1, whole),) if whole else ()
    essence = "\n".join(case.essence for case in cases)
    inventory = Inventory(language, cases, whole_skips=marks, broken=broken, essence=essence)
    return Side(
        File(path, b""),
        inventory,
        is_read=not shut,
        is_test=is_test,
        is_collected=is_test,
        shut=shut,
    )


def reading(before: Side | None, after: Side | None) -> ChangeReading:
    change = FileChange(before.file if before else None, after.file if after else None)
    return ChangeReading(change, before, after)


def compared(*pairs: tuple[Side | None, Side | None]) -> Compared:
    return compare_tests([reading(before, after) for before, after in pairs], AcceptedText())


def kinds(result: Compared) -> list[FindingKind]:
    return [it.kind for it in result.findings]


def suspected(result: Compared) -> list[FindingKind]:
    return [it.finding.kind for it in result.suspicions]


def one(case: TestCase | None) -> Compared:
    """The first of two tests of a file became `case`, or was removed."""
    after = (case, OTHER) if case else (OTHER,)
    return compared((side("tests/test_cart.py", CASE, OTHER), side("tests/test_cart.py", *after)))


@pytest.mark.spec("VF-03")
def test_a_case_that_is_gone() -> None:
    result = one(None)
    assert [it.what for it in result.findings] == ["test_total in tests/test_cart.py is gone"]
    assert kinds(result) == [FindingKind.TEST_REMOVED]
    assert result.findings[0].subject == "TestCart::test_total"
    assert result.findings[0].line == 3
    assert result.suspicions == ()


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("after", "kind"),
    [
        (replace(CASE, skip="pytest.mark.skip"), FindingKind.TEST_SKIPPED),
        (replace(CASE, skip_if="os.environ.get('CI')"), FindingKind.TEST_SKIPPED),
        (replace(CASE, skip="skipif", skip_if="which('git')"), FindingKind.TEST_SKIPPED),
        (replace(CASE, focused=True), FindingKind.TEST_FOCUSED),
        (replace(CASE, assertions=(), essence="pass"), FindingKind.TEST_EMPTIED),
        (replace(CASE, assertions=(), hollow=1, essence="True"), FindingKind.TEST_EMPTIED),
    ],
)
def test_a_case_that_does_not_ask_any_more(after: TestCase, kind: FindingKind) -> None:
    result = one(after)
    assert kinds(result) == [kind]
    assert result.findings[0].seen
    assert result.suspicions == ()


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "after",
    [
        replace(CASE, assertions=("cart.total() == 4",)),
        replace(CASE, assertions=("cart.total() is not None",)),
        replace(CASE, assertions=("cart.total() >= 4", "cart")),
        replace(CASE, essence="cart=5\ncart.total() == 5"),
        replace(CASE, essence="cart=MagicMock(2,3)\ncart.total() == 5"),
        replace(CASE, essence="cart=Cart(5)\ncart.total() == 5"),
        replace(CASE, essence="cart=Cart(2,3)\nreturn\ncart.total() == 5"),
        replace(CASE, essence="cart=Cart(2,3)\nif cart.full:\n cart.total() == 5"),
    ],
)
def test_a_case_that_asks_something_else_is_suspected(after: TestCase) -> None:
    result = one(after)
    assert result.findings == ()
    assert suspected(result) == [FindingKind.TEST_REWRITTEN]
    assert result.suspicions[0].path == "tests/test_cart.py"


@pytest.mark.spec("VF-03")
def test_some_assertions_fewer_is_a_suspicion() -> None:
    before = replace(CASE, assertions=("a == 1", "b == 2"))
    after = replace(CASE, assertions=("a == 1",))
    result = compared((side("t/test_a.py", before), side("t/test_a.py", after)))
    assert (kinds(result), suspected(result)) == ([], [FindingKind.TEST_REWRITTEN])
    assert "b == 2" in result.suspicions[0].finding.what


@pytest.mark.spec("VF-03")
def test_a_test_without_assertions_is_its_body() -> None:
    before = TestCase("test_x", 1, essence="check(total([1]), 1)")
    for essence, kind in [
        ("check(total([1]), 2)", [FindingKind.TEST_REWRITTEN]),
        ("check(total([1]), 1)\nmore()", []),
        ("check(total([1]), 1)", []),
    ]:
        after = replace(before, essence=essence)
        result = compared((side("t/test_a.py", before), side("t/test_a.py", after)))
        assert (kinds(result), suspected(result)) == ([], kind)
    after = replace(before, essence="pass")
    result = compared((side("t/test_a.py", before), side("t/test_a.py", after)))
    assert kinds(result) == [FindingKind.TEST_EMPTIED]


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "after",
    [
        CASE,
        replace(CASE, line=40),
        replace(CASE, name="TestBasket::test_total"),
        replace(CASE, name="test_sum_of_all"),
        replace(CASE, assertions=(*CASE.assertions, "cart.count == 2")),
        replace(CASE, assertions=("cart . total()==5",)),
        replace(CASE, essence="cart=Basket(2,3)\ncart.total() == 5"),
        replace(CASE, name="test_renamed", essence="cart=Cart(2, 3)\nlog()\ncart.total() == 5"),
    ],
)
def test_an_honest_change_of_a_case(after: TestCase) -> None:
    assert one(after) == Compared((), ())


@pytest.mark.spec("VF-03")
def test_files_and_cases_may_move() -> None:
    old, new = (
        side("tests/test_cart.py", CASE, OTHER),
        side("tests/unit/test_basket.py", CASE, OTHER),
    )
    assert compared((old, new)) == Compared((), ())
    assert compared((old, None), (None, new)) == Compared((), ())
    split = (None, side("tests/test_a.py", OTHER)), (None, side("tests/test_b.py", CASE))
    assert compared((old, None), *split) == Compared((), ())


@pytest.mark.spec("VF-03")
def test_names_of_moved_modules_may_change_in_assertions() -> None:
    code = side("shop/cart.py", is_test=False), side("store/cart.py", is_test=False)
    before = replace(CASE, assertions=("shop.cart.total() == 5",), essence="shop.cart.total() == 5")
    after = replace(
        CASE, assertions=("store.cart.total() == 5",), essence="store.cart.total() == 5"
    )
    tests = side("tests/test_a.py", before), side("tests/test_a.py", after)
    assert compared(tests, code) == Compared((), ())
    assert suspected(compared(tests)) == [FindingKind.TEST_REWRITTEN]


@pytest.mark.spec("VF-03")
def test_values_are_not_renamed_with_files() -> None:
    for old, new in (("5", "4"), ("True", "False")):
        code = side(f"shop/{old}.py", is_test=False), side(f"shop/{new}.py", is_test=False)
        before = replace(CASE, assertions=(f"total() == {old}",))
        after = replace(CASE, assertions=(f"total() == {new}",))
        tests = side("t/test_a.py", before), side("t/test_a.py", after)
        assert suspected(compared(tests, code)) == [FindingKind.TEST_REWRITTEN]


@pytest.mark.spec("VF-03")
def test_two_better_ones_make_it_a_suspicion() -> None:
    better = TestCase("test_one", 1, ("a == 1",)), TestCase("test_two", 5, ("b == 2",))
    result = compared((side("t/test_a.py", CASE), side("t/test_a.py", *better)))
    assert (kinds(result), suspected(result)) == ([], [FindingKind.TEST_REMOVED])
    assert result.suspicions[0].path == "t/test_a.py"
    elsewhere = compared((side("t/test_a.py", CASE), None), (None, side("t/test_b.py", *better)))
    assert suspected(elsewhere) == [FindingKind.TEST_REMOVED]


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "worse",
    [
        TestCase("test_one", 1, hollow=1),
        TestCase("test_one", 1),
        TestCase("test_one", 1, ("a == 1",), skip="skip"),
    ],
)
def test_a_worse_one_is_no_replacement(worse: TestCase) -> None:
    result = compared((side("t/test_a.py", CASE, OTHER), side("t/test_a.py", OTHER, worse)))
    assert FindingKind.TEST_REMOVED in kinds(result)


@pytest.mark.spec("VF-03")
def test_a_test_in_another_folder_is_no_replacement() -> None:
    better = TestCase("test_one", 1, ("a == 1",))
    result = compared((side("t/test_a.py", CASE), None), (None, side("u/test_b.py", better)))
    assert kinds(result) == [FindingKind.TEST_REMOVED]


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("after", "word"),
    [
        (None, "is gone"),
        (side("t/test_a.py", shut="a symbolic link to /dev/null"), "symbolic link to /dev/null"),
        (side("t/test_a.py", shut="binary"), "binary"),
        (side("t/test_a.py", broken=True), "cannot be parsed"),
        (side("t/a.py.old", CASE, is_test=False), "no runner looks"),
    ],
)
def test_a_file_that_is_no_test_file_any_more(after: Side | None, word: str) -> None:
    result = compared((side("t/test_a.py", CASE), after))
    assert kinds(result) == [FindingKind.TEST_REMOVED]
    assert word in result.findings[0].what
    assert result.suspicions == ()


@pytest.mark.spec("VF-03")
def test_many_tests_of_a_file_are_one_finding() -> None:
    cases = [replace(CASE, name=f"test_{n}", assertions=(f"a == {n}",)) for n in range(20)]
    result = compared((side("t/test_a.py", *cases), None))
    assert [it.what for it in result.findings] == ["t/test_a.py is gone, and with it 20 tests"]


@pytest.mark.spec("VF-03")
def test_broken_in_a_language_whose_reader_may_be_old() -> None:
    before = side("a.test.ts", CASE, language="typescript")
    after = side("a.test.ts", CASE, language="typescript", broken=True)
    assert suspected(compared((before, after))) == [FindingKind.TEST_REMOVED]
    assert compared((after, after)) == Compared((), ())


@pytest.mark.spec("VF-03")
def test_a_skip_of_the_whole_file() -> None:
    plain = side("t/test_a.py", CASE)
    shut = side("t/test_a.py", CASE, whole="pytestmark = skip")
    result = compared((plain, shut))
    assert kinds(result) == [FindingKind.TEST_SKIPPED]
    assert result.findings[0].subject == "t/test_a.py"
    assert compared((shut, shut)) == Compared((), ())
    assert kinds(compared((None, shut))) == [FindingKind.TEST_SKIPPED]
    assert kinds(compared((plain, replace(shut, inventory=replace(shut.inventory, cases=())))))
    usual = side("t/test_b.py", CASE, whole='pytest.importorskip("numpy")')
    assert compared((None, usual)) == Compared((), ())
    assert kinds(compared((plain, usual))) == [FindingKind.TEST_SKIPPED]
    assert kinds(compared((usual, shut))) == [FindingKind.TEST_SKIPPED]


@pytest.mark.spec("VF-03")
def test_a_case_that_is_born_skipped() -> None:
    def born(case: TestCase) -> list[FindingKind]:
        return kinds(compared((None, side("t/test_a.py", case))))

    assert born(replace(CASE, skip="skip")) == [FindingKind.TEST_SKIPPED]
    assert born(replace(CASE, skip_if="'CI' in os.environ")) == [FindingKind.TEST_SKIPPED]
    assert born(replace(CASE, skip="skipif", skip_if="sys.version_info > (3, 0)"))
    assert born(replace(CASE, skip="skipif", skip_if="sys.platform == 'win32'")) == []
    assert born(replace(CASE, skip="skipif", skip_if="shutil.which('git') is None")) == []
    assert born(replace(CASE, skip="skipif", skip_if="not available_timezones()")) == []
    assert born(replace(CASE, skip="skipif", skip_if="not os.environ.get('NET')"))
    assert born(replace(CASE, skip="skipif", skip_if="os.getenv('NET') is None"))
    assert born(replace(CASE, focused=True)) == [FindingKind.TEST_FOCUSED]


@pytest.mark.spec("VF-03")
def test_a_wider_skip_is_a_finding_and_a_narrower_one_is_not() -> None:
    always = replace(CASE, skip="skip")
    sometimes = replace(CASE, skip="skipif", skip_if="sys.platform == 'win32'")

    def change(before: TestCase, after: TestCase) -> list[FindingKind]:
        return kinds(compared((side("t/test_a.py", before), side("t/test_a.py", after))))

    assert change(sometimes, always) == [FindingKind.TEST_SKIPPED]
    assert change(sometimes, replace(sometimes, skip_if="True")) == [FindingKind.TEST_SKIPPED]
    assert change(always, sometimes) == []
    assert change(always, CASE) == []


@pytest.mark.spec("VF-03")
def test_a_product_function_with_the_name_of_a_test_is_none() -> None:
    product = TestCase("test_connection", 1, essence="ping()")
    assert compared((side("db.py", product, is_test=False), None)) == Compared((), ())


@pytest.mark.spec("VF-03")
def test_rust_tests_stand_beside_the_code() -> None:
    before = side("src/lib.rs", CASE, OTHER, language="rust", is_test=False)
    after = side("src/lib.rs", OTHER, language="rust", is_test=False)
    assert kinds(compared((before, after))) == [FindingKind.TEST_REMOVED]


@pytest.mark.spec("VF-03")
def test_a_second_definition_takes_the_place_of_the_first() -> None:
    hidden = TestCase(CASE.name, 20, essence="pass")
    before, after = side("t/test_a.py", CASE), side("t/test_a.py", CASE, hidden)
    assert kinds(compared((before, after))) == [FindingKind.TEST_EMPTIED]
    before = side("a.test.ts", CASE, language="typescript")
    after = side("a.test.ts", CASE, hidden, language="typescript")
    assert compared((before, after)) == Compared((), ())


@pytest.mark.spec("VF-03")
def test_swapping_an_easy_test_for_a_hard_one_shows() -> None:
    swapped = replace(OTHER, name=CASE.name)
    result = one(swapped)
    assert result.findings or result.suspicions


texts = st.sampled_from(["", "a", "a == 1", "b == 2", "pass", "f(1)", "mock.f(2)", "'x"])
cases = st.builds(
    TestCase,
    name=st.sampled_from(["test_a", "T::test_a", "x > y", "test_b", ""]),
    line=st.integers(0, 9),
    assertions=st.lists(texts, max_size=3).map(tuple),
    hollow=st.integers(0, 2),
    skip=texts,
    skip_if=texts,
    focused=st.booleans(),
    essence=texts,
)
any_side = st.one_of(
    st.none(),
    st.builds(
        lambda path, found, is_test, broken, whole: side(
            path, *found, is_test=is_test, broken=broken, whole=whole
        ),
        st.sampled_from(["t/test_a.py", "t/test_b.py", "u/x.rs", ""]),
        st.lists(cases, max_size=5),
        st.booleans(),
        st.booleans(),
        texts,
    ),
)
real_cases = cases.map(lambda it: replace(it, skip="", skip_if="", focused=False))


@settings(max_examples=50)
@given(st.lists(st.tuples(any_side, any_side), max_size=5))
def test_any_change_is_compared(pairs: list[tuple[Side | None, Side | None]]) -> None:
    result = compared(*pairs)
    assert all(it.what for it in result.findings)


@settings(max_examples=50)
@given(st.lists(any_side, max_size=5))
def test_no_change_is_nothing(them: list[Side | None]) -> None:
    assert compared(*((it, it) for it in them)) == Compared((), ())


@settings(max_examples=50)
@given(st.lists(st.lists(cases, max_size=4), max_size=5))
def test_files_that_are_renamed_are_nothing(files: list[list[TestCase]]) -> None:
    old = [side(f"t/test_{n}.py", *found) for n, found in enumerate(files)]
    new = [side(f"u/test_{n}{n}.py", *found) for n, found in enumerate(files)]
    assert compared(*zip(old, new, strict=True)) == Compared((), ())


@settings(max_examples=50)
@given(st.lists(cases, max_size=4), st.lists(real_cases, max_size=4))
def test_tests_that_are_added_are_nothing(old: list[TestCase], more: list[TestCase]) -> None:
    before = side("a.test.ts", *old, language="typescript")
    after = side("a.test.ts", *old, *more, language="typescript")
    assert compared((before, after)) == Compared((), ())
