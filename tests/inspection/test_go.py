"""The Go reader: one small source a row, and exactly what is found in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.inspection.inventory import Inventory, TestCase
from topkick.inspection.languages.common.reader import read

pytestmark = pytest.mark.spec("VF-03")


def inventory(text: str, path: str = "cart_test.go") -> Inventory:
    found = read(path, text)
    assert found is not None
    return found


def only_case(body: str) -> TestCase:
    found = inventory(f"package cart\n\nfunc TestA(t *testing.T) {{\n{body}\n}}\n")
    assert not found.broken
    (case,) = found.cases
    return case


CASES = [
    ("func TestTotal(t *testing.T) {}", ["TestTotal"]),
    ("func Test_total(t *testing.T) {}", ["Test_total"]),
    ("func BenchmarkTotal(b *testing.B) {}", ["BenchmarkTotal"]),
    ("func FuzzTotal(f *testing.F) {}", ["FuzzTotal"]),
    ("func ExampleTotal() {}", ["ExampleTotal"]),
    ("func (s *CartSuite) TestTotal() {}", ["CartSuite::TestTotal"]),
    ("func TestMain(m *testing.M) { os.Exit(m.Run()) }", []),
    ("func Testimony(t *testing.T) {}", []),
    ("func total() {}", []),
    ("func testTotal(t *testing.T) {}", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_tests_of_a_file(text: str, expected: list[str]) -> None:
    assert [case.name for case in inventory(f"package cart\n{text}\n").cases] == expected


def test_only_files_called_test_hold_tests() -> None:
    assert inventory("package a\nfunc TestA(t *testing.T) {}\n", "cart.go").cases == ()


ASSERTIONS = [
    ('if got != 3 { t.Errorf("got %d", got) }', ["if got!=3: t.Errorf"]),
    ('if got := f(); got != 3 { t.Fatalf("x") }', ["if got:=f();got!=3: t.Fatalf"]),
    ("if got != 3 {\n\t// why\n\tt.Fail()\n}", ["if got!=3: t.Fail"]),
    ("if err != nil { t.Fatal(err) }", ["if err!=nil: t.Fatal"]),
    ("if ok { a() } else { t.Error() }", ["if not ok: t.Error"]),
    ('t.Fatal("never")', ["t.Fatal"]),
    ("require.NoError(t, err)", ["require.NoError(t,err)"]),
    ("assert.Equal(t, 3, got)", ["assert.Equal(t,3,got)"]),
    ("a := assert.New(t)\na.Equal(3, got)", ["a.Equal(3,got)"]),
    ("is := is.New(t)\nis.Equal(3, got)", ["is.Equal(3,got)"]),
    (
        'if diff := cmp.Diff(a, b); diff != "" { t.Error(diff) }',
        ['if diff:=cmp.Diff(a,b);diff!="": t.Error'],
    ),
    ('t.Run("b", func(t *testing.T) { if x { t.Error() } })', ["if x: t.Error"]),
    ("for _, tt := range tests { if f(tt) != 1 { t.Error() } }", ["if f(tt)!=1: t.Error"]),
    ("switch x { case 1: t.Error() }", ["if case 1: t.Error"]),
    ("assertTotal(t, got)", ["assertTotal(t,got)"]),
    ("checkTotal(t, got)", ["checkTotal(t,got)"]),
    ("g := NewWithT(t)\ng.Expect(a).To(Equal(1))", []),
    ("Expect(a).To(Equal(1))", ["Expect(a).To(Equal(1))"]),
    ("if x { return }\nassert.True(t, y)", ["assert.True(t,y)"]),
    ("log.Fatal(err)", []),
    ("_ = err.Error()", []),
    ("f()", []),
]


@pytest.mark.parametrize(("body", "expected"), ASSERTIONS)
def test_assertions_that_can_fail(body: str, expected: list[str]) -> None:
    case = only_case(body)
    assert (list(case.assertions), case.hollow) == (expected, 0)


HOLLOW = [
    "if false { t.Fatal() }",
    "if 1 != 1 { t.Fatal() }",
    "if got != got { t.Fatal() }",
    "if !true { t.Fatal() }",
    "x := 3\nif x != 3 { t.Fatal() }",
    "assert.True(t, true)",
    "assert.Equal(t, 1, 1)",
    "assert.Equal(t, got, got)",
    "require.Nil(t, nil)",
    "assert.False(t, false)",
    "assert.NoError(t, nil)",
    "return\nassert.True(t, x)",
    "return\nif x { t.Fatal() }",
    't.Skip("no")\nassert.True(t, x)',
    "t.SkipNow()\nif x { t.Error() }",
    "panic(1)\nassert.True(t, x)",
]


@pytest.mark.parametrize("body", HOLLOW)
def test_assertions_that_cannot_fail(body: str) -> None:
    case = only_case(body)
    assert (case.assertions, case.hollow) == ((), 1)


def test_an_example_asserts_by_its_output() -> None:
    text = "package a\nfunc ExampleTotal() {\n\tfmt.Println(3)\n\t// Output: 3\n}\n"
    assert inventory(text).cases[0].assertions == ("// Output: 3",)
    assert inventory(text.replace("Output", "Note")).cases[0].assertions == ()


SKIPS = [
    ('t.Skip("no")', "t.Skip()", ""),
    ('t.Skipf("no %d", 1)', "t.Skipf()", ""),
    ("t.SkipNow()", "t.SkipNow()", ""),
    ("if testing.Short() { t.Skip() }", "t.Skip()", "testing.Short()"),
    ('if os.Getenv("CI") != "" { t.Skip() }', "t.Skip()", 'os.Getenv("CI")!=""'),
    ("if true { t.Skip() }", "t.Skip()", ""),
    ('t.Run("b", func(t *testing.T) { t.Skip() })', "t.Skip()", 'in t.Run("b"'),
    ("reader.Skip(3)", "", ""),
    ("f()", "", ""),
]


@pytest.mark.parametrize(("body", "skip", "skip_if"), SKIPS)
def test_what_keeps_a_test_from_running(body: str, skip: str, skip_if: str) -> None:
    case = only_case(body)
    assert (case.skip, case.skip_if) == (skip, skip_if)


WHOLE_SKIPS = [
    ("//go:build ignore\n\npackage a\n", ["//go:build ignore"]),
    ("//go:build integration\n\npackage a\n", ["//go:build integration"]),
    ("// +build ignore\n\npackage a\n", ["// +build ignore"]),
    ("// about the package\npackage a\n", []),
    ("package a\n//go:build ignore\n", []),
    ("package a\n//go:generate x\n", []),
]


@pytest.mark.parametrize(("text", "expected"), WHOLE_SKIPS)
def test_build_constraints(text: str, expected: list[str]) -> None:
    assert [mark.text for mark in inventory(text).whole_skips] == expected


FUNCTIONS = [
    ("func f() {}", "f", "empty body", False, False, False),
    ("func f(a int) {}", "f", "empty body", False, True, False),
    (
        "func (c *Cart) Total(a, b int) int { return 0 }",
        "Cart.Total",
        "return 0",
        False,
        True,
        False,
    ),
    ("func f() error { return nil }", "f", "return nil", False, False, False),
    ("func f(a int) (int, error) { return 0, nil }", "f", "return 0,nil", False, True, False),
    ("func f() (*Cart, error) { return nil, nil }", "f", "return nil,nil", False, False, False),
    ('func f() string { return "" }', "f", 'return ""', False, False, False),
    ("func f() Cart { return Cart{} }", "f", "return Cart{}", False, False, False),
    (
        "func f() (*Cart, error) { return &Cart{}, nil }",
        "f",
        "return &Cart{},nil",
        False,
        False,
        False,
    ),
    ("func f(a int) int { return a }", "f", "return a", False, False, False),
    ('func f() int { panic("TODO") }', "f", 'panic("TODO")', True, False, False),
    (
        'func f() int { panic("not implemented") }',
        "f",
        'panic("not implemented")',
        True,
        False,
        False,
    ),
    (
        'func f() error { return errors.New("not implemented") }',
        "f",
        'return errors.New("not implemented")',
        True,
        False,
        False,
    ),
    (
        'func f() (int, error) { return 0, errors.New("todo") }',
        "f",
        'return 0,errors.New("todo")',
        True,
        False,
        False,
    ),
    ("type A interface { F(x int) int }", "A.F", "", False, False, True),
    ("func f(x int) int", "f", "", False, False, True),
    ("func f(a int) int { return a + 1 }", "f", "", False, False, False),
    ("func f() int { return total }", "f", "", False, False, False),
    ('func f(a int) { panic("negative") }', "f", "", False, True, False),
    ("func f(a int) int { if a > 1 { return 1 }; return 0 }", "f", "", False, False, False),
]


@pytest.mark.parametrize(("text", "name", "stub", "loud", "unused", "is_abstract"), FUNCTIONS)
def test_functions(
    text: str, name: str, stub: str, loud: bool, unused: bool, is_abstract: bool
) -> None:
    (it,) = inventory(f"package a\n{text}\n", "cart.go").functions
    assert (it.name, it.stub, it.loud, it.is_abstract) == (name, stub, loud, is_abstract)
    assert it.unused == unused


SUPPRESSIONS = [
    ("package a\nvar x = 1 //nolint\n", ["golangci"]),
    ("package a\nvar x = 1 //nolint:errcheck // why\n", ["golangci"]),
    ("package a\nvar x = 1 // #nosec\n", ["golangci"]),
    ("//nolint:all\npackage a\n", ["golangci-file"]),
    ("package a\n// no lint here\n", []),
    ('package a\nvar x = "//nolint"\n', []),
]


@pytest.mark.parametrize(("text", "expected"), SUPPRESSIONS)
def test_silenced_complaints(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(text).suppressions] == expected


CONDITIONS = [
    ('if os.Getenv("CI") != "" { f() }', "environment"),
    ('_, ok := os.LookupEnv("GITHUB_ACTIONS")', "environment"),
    ("if testing.Testing() { f() }", "runner"),
    ('if flag.Lookup("test.v") != nil { f() }', "runner"),
    ('if strings.HasSuffix(os.Args[0], ".test") { f() }', "runner"),
    ('h, _ := os.Hostname()\nif h == "builder" { f() }', "host"),
    ('if strings.HasPrefix(host(os.Hostname()), "ci") { f() }', "host"),
    ("if time.Now().Before(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) { f() }", "clock"),
    ("if time.Now().Unix() < 1790000000 { f() }", "clock"),
    ("if time.Now().Year() > 2025 { f() }", "clock"),
    (
        "now := time.Now()\nif now.After(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) { f() }",
        "clock",
    ),
    ('d, _ := os.Getwd()\nif strings.Contains(d, "verify") { f() }', "place"),
]


@pytest.mark.parametrize(("body", "expected"), CONDITIONS)
def test_code_that_asks_whether_it_is_tested(body: str, expected: str) -> None:
    found = inventory(f"package a\nfunc g() {{\n{body}\n}}\n", "cart.go")
    assert [mark.name for mark in found.conditions] == [expected]


HONEST = [
    'u := os.Getenv("DATABASE_URL")',
    't.Setenv("CI", "1")',
    'os.Setenv("CI", "1")',
    "start := time.Now()\nif time.Since(start) > time.Second { f() }",
    "if expires.Before(time.Now()) { f() }",
    "d := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)",
    'if got := d.Format("2006-01-02"); got != "2026-01-01" { f() }',
    "h, err := os.Hostname()\nif err != nil { f() }",
    "d, err := os.Getwd()\nif err != nil { f() }",
    'if runtime.GOOS == "windows" { f() }',
    "if len(os.Args) < 2 { os.Exit(1) }",
    'if os.Args[1] == "serve" { f() }',
]


@pytest.mark.parametrize("body", HONEST)
def test_honest_code_has_no_conditions_and_no_patches(body: str) -> None:
    found = inventory(f"package a\nfunc g() {{\n{body}\n}}\n", "cart.go")
    assert (found.conditions, found.patches, found.whole_skips) == ((), (), ())


PATCHES = [
    ("func TestMain(m *testing.M) { os.Exit(0) }", ["TestMain", "os.Exit"]),
    ("func TestMain(m *testing.M) {}", ["TestMain"]),
    ("func TestMain(m *testing.M) { m.Run(); os.Exit(0) }", ["os.Exit"]),
    ("func init() { os.Exit(0) }", ["os.Exit"]),
    ("func TestA(t *testing.T) { os.Exit(0) }", ["os.Exit"]),
    ('func init() { flag.Set("test.run", "None") }', ["flag.Set"]),
    ("func init() { os.Args = nil }", ["os.Args"]),
    ("func TestMain(m *testing.M) { os.Exit(m.Run()) }", []),
    ("func TestMain(m *testing.M) { code := m.Run(); clean(); os.Exit(code) }", []),
    ("func TestA(t *testing.T) { t.Parallel() }", []),
]


@pytest.mark.parametrize(("text", "expected"), PATCHES)
def test_changes_to_the_framework(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(f"package a\n{text}\n").patches] == expected


HELPERS = [
    ("func check(t *testing.T, a int) { if a != 1 { t.Error() } }", ("check(t,2)",)),
    ("func check(t *testing.T, a int) { }", ()),
    ("func check(t *testing.T, a int) { if false { t.Error() } }", ()),
]


@pytest.mark.parametrize(("text", "expected"), HELPERS)
def test_a_helper_counts_if_it_asserts_something(text: str, expected: tuple[str, ...]) -> None:
    (case,) = inventory(f"package a\nfunc TestA(t *testing.T) {{ check(t, 2) }}\n{text}\n").cases
    assert case.assertions == expected


def test_methods_of_a_suite_assert_by_the_suite() -> None:
    text = "package a\nfunc (s *S) TestA() { s.Equal(1, x); s.Require().NoError(err); s.total() }\n"
    assert inventory(text).cases[0].assertions == ("s.Equal(1,x)", "s.Require().NoError(err)")


def test_essence_has_no_blanks_and_comments() -> None:
    one = only_case("// why\nif  x  {\n\tt.Error()\n}")
    assert one.essence == only_case("if x { t.Error() }").essence


JUNK = [
    "(" * 20_000,
    "{" * 20_000,
    '"' * 20_000,
    "-> " * 4_000,
    "case a:" * 4_000,
    "`" * 20_000,
    "@a " * 4_000,
]


@pytest.mark.parametrize("text", JUNK, ids=range(len(JUNK)))
def test_no_junk_stops_the_reader(text: str) -> None:
    assert inventory("package a\nfunc TestA(t *testing.T) {}\n" + text).broken


WORDS = st.sampled_from(
    [
        "package a\n",
        "func ",
        "TestA",
        "(t *testing.T)",
        "{",
        "}",
        "if ",
        "x != 1",
        "t.Error()",
        "\n",
        ";",
        '"',
        "`",
        "//",
        "/*",
        "return",
        "t.Skip()",
        "case ",
        ":",
        "->",
        "\0",
        "é",
        "(",
        ")",
        ":=",
        "type ",
        "interface",
    ]
)


@settings(max_examples=60)
@given(st.lists(WORDS, max_size=50).map("".join) | st.text(max_size=200))
def test_no_text_stops_the_reader(text: str) -> None:
    for path in ("a_test.go", "a.go"):
        assert read(path, text) is not None
