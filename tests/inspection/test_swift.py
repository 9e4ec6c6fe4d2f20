"""The Swift reader: one small source a row, and exactly what is found in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.inspection.inventory import Inventory, TestCase
from topkick.inspection.languages.common.reader import read

pytestmark = pytest.mark.spec("VF-03")


def inventory(text: str, path: str = "Tests/CartTests/CartTests.swift") -> Inventory:
    found = read(path, text)
    assert found is not None
    return found


def only_case(body: str) -> TestCase:
    text = f"class CartTests: XCTestCase {{\n  func testA() async throws {{\n{body}\n  }}\n}}\n"
    found = inventory(text)
    assert not found.broken
    (case,) = found.cases
    return case


CASES = [
    ("class A: XCTestCase { func testB() {} }", ["A::testB"]),
    ("final class A: XCTestCase { func testB() async throws {} }", ["A::testB"]),
    ("class A: CartTestCase { func testB() {} }", ["A::testB"]),
    ("extension CartTests { func testB() {} }", ["CartTests::testB"]),
    ("@Test func adds() {}", ["adds"]),
    ('@Test("adds up") func adds() {}', ["adds"]),
    ("struct A { @Test func adds() {} }", ["A::adds"]),
    ("@Suite struct A { struct B { @Test func adds() {} } }", ["A::B::adds"]),
    ("@Test(arguments: [1, 2]) func adds(a: Int) {}", ["adds"]),
    ("class A: XCTestCase { func helper() {} }", []),
    ("class A: XCTestCase { func testB(a: Int) {} }", []),
    ("class A: XCTestCase { private func testB() {} }", []),
    ("class A { func testB() {} }", []),
    ("func testB() {}", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_tests_of_a_file(text: str, expected: list[str]) -> None:
    assert [case.name for case in inventory(text).cases] == expected


ASSERTIONS = [
    ("XCTAssertEqual(cart.total, 3)", ["XCTAssertEqual(cart.total,3)"]),
    ('XCTAssertEqual(cart.total, 3, "why")', ["XCTAssertEqual(cart.total,3)"]),
    ("XCTAssertEqual(a, 3, accuracy: 0.1)", ["XCTAssertEqual(a,3,accuracy:0.1)"]),
    ("XCTAssertTrue(a) // why", ["XCTAssertTrue(a)"]),
    ("XCTAssertNil(a)", ["XCTAssertNil(a)"]),
    ("XCTAssertThrowsError(try f())", ["XCTAssertThrowsError(try f())"]),
    ("let b = try XCTUnwrap(a)", ["XCTUnwrap(a)"]),
    ("#expect(a == 1)", ["#expect(a==1)"]),
    ('#expect(a == 1, "why")', ["#expect(a==1)"]),
    ("let b = try #require(a)", ["#require(a)"]),
    ('if a { XCTFail("no") }', ["if a: XCTFail"]),
    ('guard let b = a else { XCTFail("no"); return }', ["guard let b=a: XCTFail"]),
    ("do { try f() } catch { XCTFail() }", ["catch: XCTFail"]),
    ("XCTFail()", ["XCTFail"]),
    ("let n = 5\nXCTAssertEqual(f(), n)", ["XCTAssertEqual(f(),n)"]),
    ("if a { return }\nXCTAssertTrue(b)", ["XCTAssertTrue(b)"]),
    ("for a in b { XCTAssertTrue(a) }", ["XCTAssertTrue(a)"]),
    ("assertSnapshot(of: a, as: .image)", ["assertSnapshot(of:a,as:.image)"]),
    ("f()", []),
]


@pytest.mark.parametrize(("body", "expected"), ASSERTIONS)
def test_assertions_that_can_fail(body: str, expected: list[str]) -> None:
    case = only_case(body)
    assert (list(case.assertions), case.hollow) == (expected, 0)


HOLLOW = [
    "XCTAssertTrue(true)",
    "XCTAssert(true)",
    "XCTAssertFalse(false)",
    "XCTAssertEqual(1, 1)",
    "XCTAssertEqual(a, a)",
    "XCTAssertEqual(a.b, a.b)",
    "XCTAssertNil(nil)",
    "XCTAssertTrue(1 == 1)",
    "#expect(true)",
    "#expect(1 == 1)",
    "#expect(a == a)",
    "#expect(Bool(true) || true)",
    "let n = 5\nXCTAssertEqual(n, 5)",
    "return;\nXCTAssertTrue(a)",
    'throw XCTSkip("no")\nXCTAssertTrue(a)',
    "if false { XCTAssertTrue(a) }",
    "while false { XCTAssertTrue(a) }",
    "fatalError()\nXCTAssertTrue(a)",
]


@pytest.mark.parametrize("body", HOLLOW)
def test_assertions_that_cannot_fail(body: str) -> None:
    case = only_case(body)
    assert (case.assertions, case.hollow) == ((), 1)


SKIPS = [
    ('throw XCTSkip("no")', "XCTSkip", ""),
    ("try XCTSkipIf(a)", "XCTSkipIf", "a"),
    ("try XCTSkipIf(true)", "XCTSkipIf", ""),
    ("try XCTSkipUnless(a)", "XCTSkipUnless", "not a"),
    ("if a { throw XCTSkip() }", "XCTSkip", "a"),
    ('XCTExpectFailure("no")', "XCTExpectFailure", ""),
    ("f()", "", ""),
]


@pytest.mark.parametrize(("body", "skip", "skip_if"), SKIPS)
def test_what_keeps_a_test_from_running(body: str, skip: str, skip_if: str) -> None:
    case = only_case(body)
    assert (case.skip, case.skip_if) == (skip, skip_if)


MARKS = [
    ("@Test(.disabled()) func a() {}", ".disabled", ""),
    ('@Test("a", .disabled("no")) func a() {}', ".disabled", ""),
    ("@Suite(.disabled()) struct S { @Test func a() {} }", ".disabled", ""),
    ("@Test(.disabled(if: x)) func a() {}", ".disabled", "x"),
    ("@Test(.enabled(if: x)) func a() {}", ".enabled", "not x"),
    (
        "@available(iOS 15, *) class A: XCTestCase { func testA() {} }",
        "@available",
        "@available(iOS 15,*)",
    ),
    ("@Test(.tags(.slow)) func a() {}", "", ""),
]


@pytest.mark.parametrize(("text", "skip", "skip_if"), MARKS)
def test_marks_that_keep_a_test_from_running(text: str, skip: str, skip_if: str) -> None:
    (case,) = inventory(text).cases
    assert (case.skip, case.skip_if) == (skip, skip_if)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("#if false\nlet a = 1\n#endif\n", ["#if false"]), ("#if DEBUG\nlet a = 1\n#endif\n", [])],
)
def test_code_that_is_switched_off(text: str, expected: list[str]) -> None:
    assert [mark.text for mark in inventory(text).whole_skips] == expected


FUNCTIONS = [
    ("func f() {}", "f", "empty body", False, False, False),
    ("func f(a: Int) {}", "f", "empty body", False, True, False),
    ("func f(_ a: Int) -> Int { 0 }", "f", "return 0", False, True, False),
    ("func f() -> Int { return 0 }", "f", "return 0", False, False, False),
    ("func f() -> Int? { nil }", "f", "return nil", False, False, False),
    ('func f() -> String { "" }', "f", 'return ""', False, False, False),
    ("func f() -> [Int] { [] }", "f", "return []", False, False, False),
    ("func f(a: Int) -> Int { a }", "f", "return a", False, False, False),
    ("func f() -> Int { fatalError() }", "f", "fatalError()", True, False, False),
    ('func f() -> Int { fatalError("TODO") }', "f", 'fatalError("TODO")', True, False, False),
    ("struct A { func f() -> Int { 0 } }", "A.f", "return 0", False, False, False),
    ("extension A { func f() -> Int { 0 } }", "A.f", "return 0", False, False, False),
    ("protocol P { func f() -> Int }", "P.f", "", False, False, True),
    ("func f(a: Int) -> Int { a + 1 }", "f", "", False, False, False),
    ('func f() -> Int { fatalError("no cart") }', "f", "", False, False, False),
    ("func f() -> Int { total }", "f", "", False, False, False),
]


@pytest.mark.parametrize(("text", "name", "stub", "loud", "unused", "is_abstract"), FUNCTIONS)
def test_functions(
    text: str, name: str, stub: str, loud: bool, unused: bool, is_abstract: bool
) -> None:
    (it,) = inventory(text, "Sources/Cart.swift").functions
    assert (it.name, it.stub, it.loud, it.is_abstract) == (name, stub, loud, is_abstract)
    assert it.unused == unused


SUPPRESSIONS = [
    ("// swiftlint:disable:next force_cast\nlet a = 1", ["swiftlint"]),
    ("let a = 1 // swiftlint:disable:this force_cast", ["swiftlint"]),
    ("// swiftlint:disable all\nlet a = 1", ["swiftlint-file"]),
    ("// swiftlint:disable force_cast\nlet a = 1", ["swiftlint-file"]),
    ("// swiftlint:enable force_cast\nlet a = 1", []),
    ("// a note\nlet a = 1", []),
]


@pytest.mark.parametrize(("text", "expected"), SUPPRESSIONS)
def test_silenced_complaints(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(text).suppressions] == expected


CONDITIONS = [
    ('if ProcessInfo.processInfo.environment["CI"] != nil { g() }', "environment"),
    (
        'if ProcessInfo.processInfo.environment["XCTestConfigurationFilePath"] != nil { g() }',
        "environment",
    ),
    ('if getenv("CI") != nil { g() }', "environment"),
    ('if NSClassFromString("XCTest") != nil { g() }', "runner"),
    ('if NSClassFromString("XCTestCase") != nil { g() }', "runner"),
    ('if ProcessInfo.processInfo.hostName == "builder" { g() }', "host"),
    ('if NSUserName() == "runner" { g() }', "host"),
    ("if Date() < Date(timeIntervalSince1970: 1790000000) { g() }", "clock"),
    ("let now = Date()\nif now.timeIntervalSince1970 > 1790000000 { g() }", "clock"),
    ('if FileManager.default.currentDirectoryPath.contains("verify") { g() }', "place"),
]


@pytest.mark.parametrize(("body", "expected"), CONDITIONS)
def test_code_that_asks_whether_it_is_tested(body: str, expected: str) -> None:
    found = inventory(f"func f() {{\n{body}\n}}", "Sources/Cart.swift")
    assert [mark.name for mark in found.conditions] == [expected]


HONEST = [
    'let u = ProcessInfo.processInfo.environment["DATABASE_URL"]',
    "let now = Date()",
    "if expires < Date() { g() }",
    "let d = Date(timeIntervalSince1970: 1790000000)",
    "let h = ProcessInfo.processInfo.hostName",
    "let p = FileManager.default.currentDirectoryPath",
    'if name == "builder" { g() }',
    "if #available(iOS 15, *) { g() }",
]


@pytest.mark.parametrize("body", HONEST)
def test_honest_code_has_no_conditions_and_no_patches(body: str) -> None:
    found = inventory(f"func f() {{\n{body}\n}}", "Sources/Cart.swift")
    assert (found.conditions, found.patches, found.whole_skips) == ((), (), ())


PATCHES = [
    ("class A: XCTestCase { func testB() { exit(0) } }", ["exit"]),
    ("class A: NSObject, XCTestObservation {}", ["XCTestObservation"]),
    ("func XCTAssertEqual(_ a: Int, _ b: Int) {}", ["XCTAssertEqual"]),
    ("class A: XCTestCase { override func invokeTest() {} }", ["invokeTest"]),
    ("class A: XCTestCase { override func setUp() {} }", []),
    ("class A: XCTestCase { func testB() { f() } }", []),
]


@pytest.mark.parametrize(("text", "expected"), PATCHES)
def test_changes_to_the_framework(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(text).patches] == expected


HELPERS = [
    ("func check(_ a: Int) { XCTAssertEqual(a, f()) }", ("check(2)",)),
    ("func check(_ a: Int) { }", ()),
    ("func assertOk(_ a: Int) { }", ()),
]


@pytest.mark.parametrize(("text", "expected"), HELPERS)
def test_a_helper_counts_if_it_asserts_something(text: str, expected: tuple[str, ...]) -> None:
    name = "assertOk" if "assertOk" in text else "check"
    (case,) = inventory(f"class A: XCTestCase {{ func testB() {{ {name}(2) }} }}\n{text}\n").cases
    assert case.assertions == expected


def test_essence_has_no_blanks_and_comments() -> None:
    assert only_case("// why\nXCTAssertTrue( a )").essence == only_case("XCTAssertTrue(a)").essence


JUNK = ["(" * 20_000, "{" * 20_000, '"' * 20_000, '"a" ' * 4_000, "} ) " * 4_000]


@pytest.mark.parametrize("text", JUNK, ids=range(len(JUNK)))
def test_no_junk_stops_the_reader(text: str) -> None:
    assert inventory("@Test func a() {}\n" + text).broken


WORDS = st.sampled_from(
    [
        "class A: XCTestCase ",
        "@Test ",
        "func testA()",
        "{",
        "}",
        "XCTAssertTrue(",
        "true",
        ")",
        "\n",
        '"',
        '"""',
        "//",
        "/*",
        "#expect(",
        "#if false\n",
        "#endif\n",
        "return",
        "guard ",
        "else ",
        "\\(",
        "\0",
        "é",
        "<",
        "?",
        "!",
    ]
)


@settings(max_examples=60)
@given(st.lists(WORDS, max_size=50).map("".join) | st.text(max_size=200))
def test_no_text_stops_the_reader(text: str) -> None:
    assert read("Tests/ATests.swift", text) is not None
