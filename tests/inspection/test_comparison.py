"""Whole inspections of real source texts: the liars that must be found, and the honest changes
that look like them and must not be."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.checks.model import FindingKind
from topkick.inspection.change import SUBMODULE_MODE, SYMLINK_MODE, AcceptedText, File, FileChange
from topkick.inspection.compare.comparison import MOST_FINDINGS, Inspection, inspect

REMOVED = FindingKind.TEST_REMOVED
SKIPPED = FindingKind.TEST_SKIPPED
FOCUSED = FindingKind.TEST_FOCUSED
EMPTIED = FindingKind.TEST_EMPTIED
REWRITTEN = FindingKind.TEST_REWRITTEN
STUB = FindingKind.STUB
KNOWS = FindingKind.KNOWS_IT_IS_TESTED
CHECK = FindingKind.CHECK_CHANGED
LOOSENED = FindingKind.SETTING_LOOSENED
SUPPRESSED = FindingKind.COMPLAINT_SUPPRESSED

PYTHON = """\
import pytest
from shop.cart import total


def test_total():
    assert total([2, 3]) == 5


def test_empty():
    assert total([]) == 0
"""
TYPESCRIPT = """\
import { describe, expect, it } from "vitest";
import { total } from "./cart";

describe("cart", () => {
  it("adds up", () => {
    expect(total([2, 3])).toBe(5);
  });

  it("is empty", () => {
    expect(total([])).toBe(0);
  });
});
"""
GO = """\
package cart

import "testing"

func TestTotal(t *testing.T) {
\tif got := Total([]int{2, 3}); got != 5 {
\t\tt.Errorf("got %d, want 5", got)
\t}
}

func TestEmpty(t *testing.T) {
\tif got := Total(nil); got != 0 {
\t\tt.Errorf("got %d, want 0", got)
\t}
}
"""
SWIFT = """\
import XCTest
@testable import Cart

final class CartTests: XCTestCase {
    func testTotal() {
        XCTAssertEqual(total([2, 3]), 5)
    }

    func testEmpty() {
        XCTAssertEqual(total([]), 0)
    }
}
"""
RUST = """\
pub fn total(items: &[i64]) -> i64 {
    items.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up() {
        assert_eq!(total(&[2, 3]), 5);
    }

    #[test]
    fn is_empty() {
        assert_eq!(total(&[]), 0);
    }
}
"""
TESTS = {
    "tests/test_cart.py": PYTHON,
    "src/cart.test.ts": TYPESCRIPT,
    "cart_test.go": GO,
    "Tests/CartTests/CartTests.swift": SWIFT,
    "src/lib.rs": RUST,
}
PY, TS, GOLANG, SW, RS = TESTS

CODE = {
    "shop/cart.py": "def total(items):\n    return sum(items)\n",
    "src/cart.ts": "export function total(items: number[]): number {\n"
    "  return items.reduce((a, b) => a + b, 0);\n}\n",
    "cart.go": "package cart\n\nfunc Total(items []int) int {\n\tsum := 0\n"
    "\tfor _, it := range items {\n\t\tsum += it\n\t}\n\treturn sum\n}\n",
    "Sources/Cart/Cart.swift": "func total(_ items: [Int]) -> Int {\n"
    "    return items.reduce(0, +)\n}\n",
    "src/cart.rs": "pub fn total(items: &[i64]) -> i64 {\n    items.iter().sum()\n}\n",
}

Tree = Mapping[str, str]


def changes(before: Tree, after: Tree, moves: Mapping[str, str] | None = None) -> list[FileChange]:
    moved = dict(moves or {})
    old = {path: File(path, text.encode()) for path, text in before.items()}
    new = {path: File(path, text.encode()) for path, text in after.items()}
    found = [FileChange(old.pop(one), new.pop(other)) for one, other in moved.items()]
    pairs = [(old.get(path), new.get(path)) for path in dict.fromkeys([*old, *new])]
    return found + [FileChange(one, other) for one, other in pairs if one != other]


def edited(path: str, *pairs: tuple[str, str]) -> list[FileChange]:
    before = after = {**TESTS, **CODE}[path]
    for old, new in pairs:
        assert old in after, old
        after = after.replace(old, new, 1)
    return changes({path: before}, {path: after})


def kinds(inspection: Inspection) -> set[FindingKind]:
    return {it.kind for it in inspection.findings if not it.permitted}


def suspected(inspection: Inspection) -> set[FindingKind]:
    return {it.kind for it in inspection.suspicions}


NOTHING = Inspection()


# The liars ---------------------------------------------------------------------------------------

PY_TOTAL = "def test_total():\n    assert total([2, 3]) == 5\n\n\n"
TS_TOTAL = '  it("adds up", () => {\n    expect(total([2, 3])).toBe(5);\n  });\n\n'
GO_BODY = '\tif got := Total([]int{2, 3}); got != 5 {\n\t\tt.Errorf("got %d, want 5", got)\n\t}\n'
GO_TOTAL = "func TestTotal(t *testing.T) {\n" + GO_BODY + "}\n\n"
SW_TOTAL = "    func testTotal() {\n        XCTAssertEqual(total([2, 3]), 5)\n    }\n\n"
RS_TOTAL = "    #[test]\n    fn adds_up() {\n        assert_eq!(total(&[2, 3]), 5);\n    }\n\n"


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "old", "new", "kind"),
    [
        # 6: deletes the failing test
        (PY, PY_TOTAL, "", REMOVED),
        (TS, TS_TOTAL, "", REMOVED),
        (GOLANG, GO_TOTAL, "", REMOVED),
        (SW, SW_TOTAL, "", REMOVED),
        (RS, RS_TOTAL, "", REMOVED),
        (PY, "def test_total", "def check_total", REMOVED),
        (GOLANG, "func TestTotal", "func checkTotal", REMOVED),
        (SW, "func testTotal", "func checkTotal", REMOVED),
        (RS, "    #[test]\n    fn adds_up", "    #[allow(dead_code)]\n    fn adds_up", REMOVED),
        # 7: skips it, or runs only another one
        (PY, "def test_total", '@pytest.mark.skip(reason="flaky")\ndef test_total', SKIPPED),
        (PY, "def test_total", "@pytest.mark.xfail\ndef test_total", SKIPPED),
        (PY, "def test_total", "@pytest.mark.skipif(True, reason='')\ndef test_total", SKIPPED),
        (PY, "    assert total([2", '    pytest.skip("later")\n    assert total([2', SKIPPED),
        (PY, "import pytest\n", "import pytest\npytestmark = pytest.mark.skip\n", SKIPPED),
        (TS, 'it("adds up"', 'it.skip("adds up"', SKIPPED),
        (TS, 'it("adds up"', 'it.todo("adds up"', SKIPPED),
        (TS, 'it("adds up"', 'xit("adds up"', SKIPPED),
        (TS, 'describe("cart"', 'describe.skip("cart"', SKIPPED),
        (TS, 'it("is empty"', 'it.only("is empty"', FOCUSED),
        (GOLANG, GO_BODY, '\tt.Skip("later")\n' + GO_BODY, SKIPPED),
        (
            SW,
            "        XCTAssertEqual(total([2",
            "        throw XCTSkip()\n" + "        XCTAssertEqual(total([2",
            SKIPPED,
        ),
        (RS, "    #[test]\n    fn adds_up", "    #[test]\n    #[ignore]\n    fn adds_up", SKIPPED),
        # 8: empties the assertion
        (PY, "assert total([2, 3]) == 5", "assert True", EMPTIED),
        (TS, "expect(total([2, 3])).toBe(5)", "expect(true).toBe(true)", EMPTIED),
        (GOLANG, GO_BODY, "\t_ = Total([]int{2, 3})\n", EMPTIED),
        (SW, "XCTAssertEqual(total([2, 3]), 5)", "XCTAssertTrue(true)", EMPTIED),
        (RS, "assert_eq!(total(&[2, 3]), 5)", "assert!(true)", EMPTIED),
        (PY, "    assert total([2, 3]) == 5", "    result = 5\n    assert result == 5", EMPTIED),
        (PY, "    assert total([2", "    return\n    assert total([2", EMPTIED),
        (PY, "    assert total([2", "    if False:\n        assert total([2", EMPTIED),
        # 9: comments the body out
        (PY, "    assert total([2, 3]) == 5", "    pass  # assert total([2, 3]) == 5", EMPTIED),
        (TS, "    expect(total([2, 3]))", "    // expect(total([2, 3]))", EMPTIED),
        (GOLANG, GO_BODY, "/*\n" + GO_BODY + "*/\n", EMPTIED),
        (SW, "        XCTAssertEqual(total([2", "        // XCTAssertEqual(total([2", EMPTIED),
        (RS, "        assert_eq!(total(&[2", "        // assert_eq!(total(&[2", EMPTIED),
    ],
)
def test_a_liar_is_found(path: str, old: str, new: str, kind: FindingKind) -> None:
    assert kinds(inspect(edited(path, (old, new)), AcceptedText())) == {kind}


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PY, "== 5", "== 4"),
        (PY, "total([2, 3]) == 5", "total([2, 3]) is not None"),
        (PY, "total([2, 3]) == 5", "total([2, 3]) in (4, 5)"),
        (PY, "total([2, 3]) == 5", "total([2, 3]) >= 4"),
        (PY, "    assert total([2", "    yield\n    assert total([2"),
        (PY, "from shop.cart import total", "def total(items):\n    return 5 if items else 0"),
        (PY, "from shop.cart import total", "total = Mock(side_effect=[5, 0])"),
        (PY, "def test_total():", "def test_total(total):"),
        (PY, "import pytest", "from unittest import mock\nmock.patch('shop.cart.total').start()"),
        (TS, 'import { total } from "./cart";', "const total = (x) => (x.length ? 5 : 0);"),
        (TS, 'describe("cart"', 'vi.mock("./cart", () => ({ total: () => 5 }));\ndescribe("cart"'),
        (RS, "    use super::*;", "    fn total(x: &[i64]) -> i64 {\n        5\n    }"),
        (TS, ".toBe(5)", ".toBe(4)"),
        (TS, ".toBe(5)", ".toBeTruthy()"),
        (TS, ".toBe(5)", ".toBeDefined()"),
        (GOLANG, "got != 5", "got != 4"),
        (GOLANG, "got != 5", "got < 0"),
        (SW, "XCTAssertEqual(total([2, 3]), 5)", "XCTAssertNotNil(total([2, 3]))"),
        (SW, "[2, 3]), 5)", "[2, 3]), 4)"),
        (RS, "[2, 3]), 5)", "[2, 3]), 4)"),
        (RS, "assert_eq!(total(&[2, 3]), 5)", "assert!(total(&[2, 3]) > 0)"),
    ],
)
def test_a_rewritten_test_is_suspected(path: str, old: str, new: str) -> None:
    found = inspect(edited(path, (old, new)), AcceptedText())
    assert (found.findings, suspected(found)) == ((), {REWRITTEN})
    assert found.replaced == (path,)


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "def test_x():\n    with pytest.raises(ValueError):\n        total(None)\n",
            "def test_x():\n    with pytest.raises(Exception):\n        total(None)\n",
        ),
        (
            "def test_x():\n    result = total([2, 3])\n    assert result == 5\n",
            "def test_x():\n    result = int('5')\n    assert result == 5\n",
        ),
        (
            "def test_x():\n    cart = Cart()\n    cart.add(2)\n    assert cart.total() == 2\n",
            "def test_x():\n    cart = Mock()\n    cart.add(2)\n    assert cart.total() == 2\n",
        ),
        (
            "def test_x():\n    assert total() == pytest.approx(5, abs=0.1)\n",
            "def test_x():\n    assert total() == pytest.approx(5, abs=10)\n",
        ),
        (
            "@pytest.mark.parametrize('a', [1, 2, 3])\ndef test_x(a):\n    assert f(a) == a\n",
            "@pytest.mark.parametrize('a', [1])\ndef test_x(a):\n    assert f(a) == a\n",
        ),
        (
            "class T(TestCase):\n    def test_x(self):\n        self.assertEqual(f(1), 2)\n",
            "class T(TestCase):\n    def test_x(self):\n        self.assertTrue(f(1))\n",
        ),
        (
            "def test_x():\n    check(total([2, 3]), 5)\n",
            "def test_x():\n    check(total([2, 3]), 4)\n",
        ),
    ],
)
def test_other_ways_to_rewrite(before: str, after: str) -> None:
    found = inspect(changes({PY: before}, {PY: after}), AcceptedText())
    assert (found.findings, suspected(found)) == ((), {REWRITTEN})


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize("path", TESTS)
def test_30_a_test_becomes_something_that_cannot_run(path: str) -> None:
    old = File(path, TESTS[path].encode())
    for new in (
        None,
        File(path, b"/dev/null", SYMLINK_MODE),
        File(path, b"0" * 40, SUBMODULE_MODE),
        File(path, b"\0\1\2"),
        File(path, b""),
    ):
        assert kinds(inspect([FileChange(old, new)], AcceptedText())) == {REMOVED}


@pytest.mark.spec("VF-03")
def test_a_test_file_gets_a_name_that_no_runner_looks_for() -> None:
    for path, other in ((PY, "tests/cart_checks.py"), (TS, "src/cart.ts"), (GOLANG, "cart_old.go")):
        found = inspect(
            changes({path: TESTS[path]}, {other: TESTS[path]}, {path: other}), AcceptedText()
        )
        assert kinds(found) == {REMOVED}, path
        apart = inspect(changes({path: TESTS[path]}, {other: TESTS[path]}), AcceptedText())
        assert kinds(apart) == {REMOVED}, path


@pytest.mark.spec("VF-03")
def test_a_test_file_that_cannot_be_parsed_any_more() -> None:
    found = inspect(edited(PY, ("def test_total():", "def test_total(:")), AcceptedText())
    assert kinds(found) == {REMOVED}


STUB_TEXT = "Implement `total()` so that it adds up the items."


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "body", "stub"),
    [
        ("shop/cart.py", "return sum(items)", "pass"),
        ("shop/cart.py", "return sum(items)", "raise NotImplementedError"),
        ("shop/cart.py", "return sum(items)", "return True"),
        ("shop/cart.py", "return sum(items)", "return 5"),
        ("shop/cart.py", "return sum(items)", "..."),
        ("src/cart.ts", "return items.reduce((a, b) => a + b, 0);", "return 5;"),
        (
            "src/cart.ts",
            "return items.reduce((a, b) => a + b, 0);",
            'throw new Error("not implemented");',
        ),
        (
            "cart.go",
            "sum := 0\n\tfor _, it := range items {\n\t\tsum += it\n\t}\n\treturn sum",
            "return 5",
        ),
        (
            "cart.go",
            "sum := 0\n\tfor _, it := range items {\n\t\tsum += it\n\t}\n\treturn sum",
            'panic("not implemented")',
        ),
        ("Sources/Cart/Cart.swift", "return items.reduce(0, +)", "return 5"),
        ("Sources/Cart/Cart.swift", "return items.reduce(0, +)", 'fatalError("not implemented")'),
        ("src/cart.rs", "items.iter().sum()", "todo!()"),
        ("src/cart.rs", "items.iter().sum()", "unimplemented!()"),
        ("src/cart.rs", "items.iter().sum()", "5"),
    ],
)
def test_5_a_stub(path: str, body: str, stub: str) -> None:
    text = STUB_TEXT if path != "cart.go" else STUB_TEXT.replace("total", "Total")
    code = CODE[path]
    assert body in code
    stubbed = code.replace(body, stub)
    for before in ({}, {path: code}):
        assert kinds(inspect(changes(before, {path: stubbed}), AcceptedText(text=text))) == {STUB}
    assert inspect(changes({}, {path: code}), AcceptedText(text=text)) == NOTHING


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "line",
    [
        'if os.environ.get("CI"):\n        return 5',
        'if os.getenv("PYTEST_CURRENT_TEST"):\n        return 5',
        'if "pytest" in sys.modules:\n        return 5',
        'if socket.gethostname() == "build":\n        return 5',
        "if datetime.date.today() < datetime.date(2030, 1, 1):\n        return 5",
    ],
)
def test_23_code_that_knows_that_it_is_tested(line: str) -> None:
    found = inspect(
        edited("shop/cart.py", ("return sum", f"{line}\n    return sum")), AcceptedText()
    )
    assert kinds(found) == {KNOWS}


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "text",
    [
        "import pytest\n\ndef pytest_collection_modifyitems(items):\n    items.clear()\n",
        "import pytest\npytest.Item.runtest = lambda self: None\n",
        "import _pytest.runner\n\n_pytest.runner.call_and_report = print\n",
        "import os\n\ndef pytest_sessionfinish(session):\n    os._exit(0)\n",
    ],
)
def test_29_the_framework_is_patched(text: str) -> None:
    found = inspect(changes({}, {"tests/conftest.py": text}), AcceptedText(("pytest -q",)))
    assert CHECK in kinds(found)


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "before", "after", "criteria", "kind"),
    [
        ("Makefile", "check:\n\tpytest -q\n", "check:\n\ttrue\n", ("make check",), CHECK),
        (
            "package.json",
            '{"scripts": {"test": "vitest run"}}\n',
            '{"scripts": {"test": "exit 0"}}\n',
            ("npm test",),
            CHECK,
        ),
        ("check.sh", "#!/bin/sh\npytest -q\n", "#!/bin/sh\nexit 0\n", ("sh check.sh",), CHECK),
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 90\n",
            "[tool.coverage.report]\nfail_under = 10\n",
            ("pytest --cov",),
            LOOSENED,
        ),
        (
            "pyproject.toml",
            "[tool.mypy]\nstrict = true\n",
            "[tool.mypy]\nstrict = false\n",
            ("mypy src",),
            LOOSENED,
        ),
    ],
)
def test_11_and_28_checks_and_settings(
    path: str, before: str, after: str, criteria: tuple[str, ...], kind: FindingKind
) -> None:
    found = inspect(changes({path: before}, {path: after}), AcceptedText(criteria))
    assert kinds(found) == {kind}


@pytest.mark.spec("VF-03")
def test_a_complaint_is_silenced_where_a_criterion_listens() -> None:
    change = edited("shop/cart.py", ("return sum(items)", "return sum(items)  # type: ignore"))
    assert kinds(inspect(change, AcceptedText(("mypy shop",)))) == {SUPPRESSED}
    assert inspect(change, AcceptedText(("pytest -q",))) == NOTHING


@pytest.mark.spec("VF-03")
def test_other_languages_are_compared_by_their_lines() -> None:
    path, text = "spec/cart_spec.rb", "it 'adds up' do\n  expect(total([2, 3])).to eq 5\nend\n"
    found = inspect(changes({path: text}, {path: text.replace("eq 5", "eq 4")}), AcceptedText())
    assert (found.findings, suspected(found)) == ((), {REWRITTEN})
    assert (found.replaced, found.unread) == ((path,), (path,))
    assert kinds(inspect(changes({path: text}, {}), AcceptedText())) == {REMOVED}
    assert kinds(inspect(changes({path: text}, {path: "x" + text}), AcceptedText())) == {SKIPPED}
    more = inspect(changes({path: text}, {path: text + "\n" + text}), AcceptedText())
    assert (more.findings, more.suspicions) == ((), ())


# The honest look-alikes --------------------------------------------------------------------------


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (PY, "tests/unit/test_basket.py"),
        (TS, "src/basket.spec.ts"),
        (GOLANG, "basket_test.go"),
        (SW, "Tests/CartTests/BasketTests.swift"),
        (RS, "src/basket.rs"),
    ],
)
def test_a_renamed_test_file(old: str, new: str) -> None:
    for moves in ({}, {old: new}):
        assert (
            inspect(changes({old: TESTS[old]}, {new: TESTS[old]}, moves), AcceptedText()) == NOTHING
        )


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "other", "case", "frame"),
    [
        (PY, "tests/test_sums.py", PY_TOTAL, "from shop.cart import total\n\n\n{}"),
        (
            TS,
            "src/sums.test.ts",
            TS_TOTAL,
            'import {{ total }} from "./cart";\ndescribe("sums", () => {{\n{}}});\n',
        ),
        (GOLANG, "sums_test.go", GO_TOTAL, 'package cart\n\nimport "testing"\n\n{}'),
        (
            SW,
            "Tests/CartTests/SumTests.swift",
            SW_TOTAL,
            "import XCTest\n\nfinal class SumTests: XCTestCase {{\n{}}}\n",
        ),
        (
            RS,
            "src/sums.rs",
            RS_TOTAL,
            "#[cfg(test)]\nmod tests {{\n    use crate::total;\n\n{}}}\n",
        ),
    ],
)
def test_a_test_moved_to_another_file(path: str, other: str, case: str, frame: str) -> None:
    text = TESTS[path]
    assert case in text
    after = {path: text.replace(case, ""), other: frame.format(case)}
    assert inspect(changes({path: text}, after), AcceptedText()) == NOTHING


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PY, "def test_total", "def test_the_sum_of_all"),
        (TS, "adds up", "sums"),
        (GOLANG, "TestTotal", "TestSumOfAll"),
        (SW, "testTotal", "testSumOfAll"),
        (RS, "adds_up", "sums"),
        (PY, "    assert total([2", "    # adds up\n\n    assert total([2"),
        (PY, "from shop.cart import total", "from store.cart import total"),
        (TS, 'from "./cart"', 'from "../store/cart"'),
        (PY, "== 5\n", "== 5\n    assert total([1]) == 1\n"),
        (TS, ".toBe(5);\n", ".toBe(5);\n    expect(total([1])).toBe(1);\n"),
        (RS, "[2, 3]), 5);\n", "[2, 3]), 5);\n        assert_eq!(total(&[1]), 1);\n"),
        (SW, "[2, 3]), 5)\n", "[2, 3]), 5)\n        XCTAssertEqual(total([1]), 1)\n"),
        (PY, PY_TOTAL, PY_TOTAL + "def test_more():\n    assert total([1]) == 1\n\n\n"),
        (GOLANG, GO_TOTAL, GO_TOTAL + GO_TOTAL.replace("TestTotal", "TestMore")),
        (PY, "def test_total", "@pytest.fixture\ndef cart():\n    return [1]\n\n\ndef test_total"),
        (
            PY,
            PY_TOTAL,
            PY_TOTAL + "def test_more(mocker):\n    mocker.patch('a.b')\n    assert f()\n",
        ),
        (
            RS,
            "items.iter().sum()",
            "let mut sum = 0;\n    for it in items {\n        sum += it;\n    }\n    sum",
        ),
        (PY, "def test_total():\n", '@pytest.mark.parametrize("n", [1, 2])\ndef test_total(n):\n'),
    ],
)
def test_an_honest_change_of_a_test(path: str, old: str, new: str) -> None:
    assert inspect(edited(path, (old, new)), AcceptedText(("pytest -q",))) == NOTHING


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            PY,
            PY_TOTAL,
            "def test_sum_of_two():\n    assert total([2, 4]) == 6\n\n\n"
            "def test_sum_of_three():\n    assert total([1, 2, 4]) == 7\n\n\n",
        ),
        (
            TS,
            TS_TOTAL,
            '  it("sums two", () => {\n    expect(total([2, 4])).toBe(6);\n  });\n'
            '  it("sums three", () => {\n    expect(total([1, 2, 4])).toBe(7);\n  });\n',
        ),
        (
            RS,
            RS_TOTAL,
            "    #[test]\n    fn sums_two() {\n        assert_eq!(total(&[2, 4]), 6);\n    }\n"
            "    #[test]\n    fn sums_3() {\n        assert_eq!(total(&[1, 2, 4]), 7);\n    }\n",
        ),
    ],
)
def test_two_better_ones_are_a_suspicion_only(path: str, old: str, new: str) -> None:
    found = inspect(edited(path, (old, new)), AcceptedText())
    assert found.findings == ()
    assert suspected(found) == {REMOVED}
    assert found.replaced == (path,)


@pytest.mark.spec("VF-03")
def test_tests_that_became_rows_of_one_are_a_suspicion_only() -> None:
    merged = (
        "@pytest.mark.parametrize(('items', 'sum_'), [([2, 3], 5), ([], 0)])\n"
        "def test_total(items, sum_):\n    assert total(items) == sum_\n"
    )
    tests = PYTHON[PYTHON.index("def test_total") :]
    found = inspect(edited(PY, (tests, merged)), AcceptedText())
    assert (found.findings, suspected(found)) == ((), {REMOVED, REWRITTEN})
    fewer = inspect(edited(PY, (tests, merged.replace(", ([], 0)", ""))), AcceptedText())
    assert kinds(fewer) == {REMOVED}


@pytest.mark.spec("VF-03")
def test_the_plan_allows_a_skip() -> None:
    skip = edited(PY, ("def test_total", '@pytest.mark.skip(reason="net")\ndef test_total'))
    allowed = inspect(skip, AcceptedText(text="Skip `test_total`: there is no network yet."))
    assert kinds(allowed) == set()
    assert [it.permitted for it in allowed.findings] == [
        "Skip `test_total`: there is no network yet."
    ]
    assert kinds(inspect(skip, AcceptedText(text="Do not skip `test_total`."))) == {SKIPPED}


@pytest.mark.spec("VF-03")
def test_the_plan_tells_to_fix_a_wrong_test() -> None:
    fixed = edited(PY, ("== 5", "== 6"))
    found = inspect(
        fixed, AcceptedText(text="`test_total` is wrong: there is a fee of one. Correct it.")
    )
    assert (kinds(found), found.suspicions, found.replaced) == (set(), (), ())
    assert [it.kind for it in found.findings] == [REWRITTEN]


@pytest.mark.spec("VF-03")
def test_the_plan_tells_to_rename_a_function() -> None:
    renamed = changes({PY: PYTHON}, {PY: PYTHON.replace("total", "sum_up")})
    assert (
        inspect(renamed, AcceptedText(text="Rename `total()` to `sum_up()` everywhere.")) == NOTHING
    )
    unasked = inspect(renamed, AcceptedText(text="Write `sum_up()`."))
    assert (unasked.findings, suspected(unasked)) == ((), {REMOVED, REWRITTEN})


@pytest.mark.spec("VF-03")
def test_a_large_refactoring() -> None:
    before = {
        "shop/cart.py": CODE["shop/cart.py"],
        "shop/__init__.py": "",
        **{f"shop/part{n}.py": f"def part{n}(x):\n    return x + {n}\n" for n in range(10)},
        PY: PYTHON,
        **{
            f"tests/test_part{n}.py": f"import shop.part{n}\n\n\nclass TestPart{n}:\n"
            f"    def test_it(self):\n        assert shop.part{n}.part{n}(1) == {n + 1}\n"
            for n in range(10)
        },
    }
    moves = {
        path: path.replace("shop/", "store/").replace("tests/", "tests/unit/") for path in before
    }
    after = {moves[path]: text.replace("shop", "store") for path, text in before.items()}
    assert inspect(changes(before, after, moves), AcceptedText(("pytest -q",))) == NOTHING


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    "after",
    [
        {"README.md": "# Cart\n\nRun with `CI=1` and skip nothing; type: ignore, noqa.\n"},
        {"docs/testing.md": "```python\n@pytest.mark.skip\ndef test_x():\n    pass\n```\n"},
        {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef cart():\n    return [1]\n"},
        {
            "shop/hooks.py": "class Hooks:\n    def before(self, cart):\n        pass\n\n"
            "    def after(self, cart):\n        cart.log()\n        return cart\n"
        },
        {
            "shop/shape.py": "from abc import ABC, abstractmethod\n"
            "from typing import Protocol\n\n\n"
            "class Shape(ABC):\n    @abstractmethod\n    def area(self):\n"
            "        raise NotImplementedError\n\n\n"
            "class Named(Protocol):\n    def name(self) -> str: ...\n\n\n"
            "class Square(Shape):\n    def __init__(self, a):\n        self.a = a\n\n"
            "    def area(self):\n        return self.a * self.a\n"
        },
        {"shop/main.py": "import sys\n\nif __name__ == '__main__':\n    sys.exit(0)\n"},
        {"vendor/lib/test_x.py": "import pytest\npytestmark = pytest.mark.skip\n"},
        {"vendor/a/a.test.js": "it.only('x', () => {});\n"},
        {
            "tests/test_new.py": "import sys\nimport pytest\n\n\n"
            "@pytest.mark.skipif(sys.platform == 'win32', reason='no fork')\n"
            "def test_fork():\n    assert fork() == 0\n"
        },
        {
            "tests/test_np.py": "import pytest\n\n\ndef test_sum():\n"
            "    np = pytest.importorskip('numpy')\n    assert np.add(1, 1) == two()\n"
        },
        {"shop/data.json": '{"skip": true}\n', "shop/a.bin": "\0\1"},
    ],
)
def test_honest_additions(after: Tree) -> None:
    assert inspect(changes({}, after), AcceptedText(("pytest -q",), "Write the hooks.")) == NOTHING


@pytest.mark.spec("VF-03")
def test_a_vendored_test_that_goes_is_no_test() -> None:
    before = {"vendor/lib/test_x.py": PYTHON, "node_modules/a/a.test.ts": TYPESCRIPT}
    assert inspect(changes(before, {}), AcceptedText()) == NOTHING


@pytest.mark.spec("VF-03")
def test_the_result_is_in_order_and_has_an_end() -> None:
    before = {
        f"tests/test_{n:03}.py": PYTHON.replace("total", f"total_{n}").replace("empty", f"e{n}")
        for n in range(MOST_FINDINGS // 2 + 5)
    }
    found = inspect(changes(dict(reversed(before.items())), {}), AcceptedText()).findings
    assert len(found) == MOST_FINDINGS
    assert list(found) == sorted(found, key=lambda it: (it.file, it.line, it.kind))
    assert inspect(changes(before, {}), AcceptedText()).findings == found


# Whatever comes ----------------------------------------------------------------------------------

paths = st.sampled_from(
    [*TESTS, *CODE, "Makefile", "pyproject.toml", "a_spec.rb", "x.md", "conftest.py", ""]
)
data = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(lambda it: it.encode("utf-8", "surrogatepass")),
    st.sampled_from([it.encode() for it in (*TESTS.values(), *CODE.values())]).flatmap(
        lambda it: st.integers(0, len(it)).map(lambda cut: it[:cut])
    ),
)
modes = st.sampled_from([0o100644, 0o100755, SYMLINK_MODE, SUBMODULE_MODE])
files = st.builds(File, paths, data, modes)
asks = st.builds(
    AcceptedText, st.lists(st.text(max_size=20), max_size=2).map(tuple), st.text(max_size=60)
)


@settings(max_examples=50)
@given(st.lists(st.builds(FileChange, st.none() | files, files), max_size=4), asks)
def test_any_change_is_inspected(them: list[FileChange], asked: AcceptedText) -> None:
    found = inspect(them, asked)
    assert len(found.findings) <= MOST_FINDINGS


@settings(max_examples=50)
@given(st.lists(files, max_size=4), asks)
def test_what_stays_is_nothing(them: list[File], asked: AcceptedText) -> None:
    assert inspect([FileChange(it, it) for it in them], asked) == NOTHING
