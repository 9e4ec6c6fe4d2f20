"""Which files hold tests, and what is read of them by text alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.inspection.languages.common.reader import read
from topkick.inspection.languages.common.testfiles import is_collected, is_test_file
from topkick.inspection.languages.plain import read_plainly

pytestmark = pytest.mark.spec("VF-03")

TESTS = [
    "test_cart.py",
    "cart_test.py",
    "tests/test_cart.py",
    "src/cart/tests/unit.py",
    "shop/tests.py",
    "src/cart.test.ts",
    "src/cart.spec.js",
    "src/cart.test.tsx",
    "cart.spec.mjs",
    "src/__tests__/cart.js",
    "cart.test.cjs",
    "e2e/login.spec.ts",
    "cypress/e2e/login.cy.ts",
    "test/cart.js",
    "test-cart.js",
    "cart_test.go",
    "pkg/cart/cart_test.go",
    "tests/cart.rs",
    "src/cart/tests.rs",
    "src/cart_test.rs",
    "Tests/CartTests/CartTests.swift",
    "Tests/Cart.swift",
    "CartUITests/Login.swift",
    "CartTests.swift",
    "src/test/java/shop/CartTest.java",
    "src/test/kotlin/shop/Cart.kt",
    "CartTest.java",
    "CartTests.cs",
    "CartSpec.scala",
    "shop.Tests/Cart.cs",
    "spec/cart_spec.rb",
    "test/cart_test.rb",
    "test/cart_test.exs",
    "tests/CartTest.php",
    "cart_test.dart",
    "cart_test.cc",
    "test_cart.c",
    "tests/testthat/test-cart.R",
    "cart.bats",
    "features/cart.feature",
    "t/cart.t",
    "CartSpec.hs",
    "cart_test.zig",
]

OTHERS = [
    "conftest.py",
    "tests/conftest.py",
    "tests/__init__.py",
    "cart.py",
    "src/cart/testing_room.md",
    "src/contest.py",
    "src/latest.ts",
    "src/attest.go",
    "README.md",
    "tests/data.json",
    "tests/README.md",
    "tests/fixtures/cart.py",
    "tests/golden/cart.txt",
    "jest.config.js",
    "vitest.config.ts",
    "src/cart.rs",
    "src/Cart.swift",
    "src/main/java/shop/Cart.java",
    "lib/cart.rb",
    "spec/spec_helper.rb",
    "cart.go",
    "src/cart.d.ts",
    "testdata/cart_test.go",
    "node_modules/a/a.test.js",
    "Makefile",
    ".gitignore",
    "test",
    "src/protest.py",
    "test/test_helper.exs",
    "package.json",
]


@pytest.mark.parametrize("path", TESTS)
def test_files_that_hold_tests(path: str) -> None:
    assert is_test_file(path)


@pytest.mark.parametrize("path", OTHERS)
def test_files_that_hold_none(path: str) -> None:
    assert not is_test_file(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_cart.py", True),
        ("tests/cart_test.py", True),
        ("tests/cart.py", False),
        ("tests/disabled_test_cart.py", False),
        ("cart_test.go", True),
        ("_cart_test.go", False),
        ("src/cart.test.ts", True),
        ("src/cart.test.ts.off", False),
        ("src/cart.disabled.ts", False),
        ("__tests__/cart.js", True),
        ("tests/cart.rs", True),
        ("CartTests.swift", True),
    ],
)
def test_files_that_runners_find(path: str, expected: bool) -> None:
    assert is_collected(path) == expected


SKIPS = [
    "@Disabled",
    '@Disabled("no")',
    "@Ignore",
    "  xit 'adds' do",
    "pending 'no'",
    "skip 'no'",
    "@tag :skip",
    "[Ignore]",
    '[Fact(Skip = "no")]',
    "$this->markTestSkipped('no');",
    "GTEST_SKIP();",
    "it.skip('a')",
    "xdescribe 'cart' do",
    "  skip",
    "@wip",
    "TEST(Cart, DISABLED_Adds) {",
    "assumeTrue(x);",
]


@pytest.mark.parametrize("line", SKIPS)
def test_words_that_skip(line: str) -> None:
    found = read_plainly(f"class A\n{line}\n  void adds() {{}}\n")
    assert [mark.line for mark in found.whole_skips] == [2]


@pytest.mark.parametrize(
    "text",
    [
        "@Test\nvoid adds() { assertEquals(3, total()); }",
        "it 'adds' do\n expect(1)\nend",
        "reader.skipped = 3",
        "def skipper; end",
        "# nothing is pending here",
    ],
)
def test_plain_tests_have_no_skips(text: str) -> None:
    assert read_plainly(text).whole_skips == ()


PLAIN_CASES = [
    ("@Test\n  void adds() {}", ["adds"]),
    ("@Test\n  fun `adds up`() {}", ["adds up"]),
    ("@ParameterizedTest\n@ValueSource\npublic void adds(int a) {}", ["adds"]),
    ("[Fact]\npublic void Adds() {}", ["Adds"]),
    ("  it 'adds up' do", ["adds up"]),
    ('test "adds up" do', ["adds up"]),
    ("  public function testAdds() {", ["testAdds"]),
    ("TEST(Cart, Adds) {", ["Cart, Adds"]),
    ('@test "adds up" {', ["adds up"]),
    ("void adds() {}", []),
]


@pytest.mark.parametrize(("text", "expected"), PLAIN_CASES)
def test_tests_of_other_languages(text: str, expected: list[str]) -> None:
    assert [case.name for case in read_plainly(text).cases] == expected


@pytest.mark.parametrize("path", ["README.md", "cart.rb", "Makefile", "a", "", "py", "cart.java"])
def test_other_languages_are_not_read_by_syntax(path: str) -> None:
    assert read(path, "x") is None


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("a.pyi", "python"),
        ("a.js", "javascript"),
        ("a.cjs", "javascript"),
        ("a.jsx", "javascript"),
        ("a.ts", "typescript"),
        ("a.tsx", "typescript"),
        ("a.mts", "typescript"),
        ("a.go", "go"),
        ("a.rs", "rust"),
        ("a.swift", "swift"),
        ("A.PY", "python"),
    ],
)
def test_a_reader_for_each_language(path: str, language: str) -> None:
    found = read(path, "")
    assert found is not None
    assert (found.language, found.broken, found.cases) == (language, False, ())


@given(st.text(max_size=400), st.text(max_size=60))
def test_no_text_stops_the_plain_reader(text: str, path: str) -> None:
    assert read_plainly(text).language == "other"
    assert is_test_file(path) in (True, False)
    assert is_collected(path) in (True, False)
