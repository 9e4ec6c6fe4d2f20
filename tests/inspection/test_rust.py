"""The Rust reader: one small source a row, and exactly what is found in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.inspection.inventory import Inventory, TestCase
from topkick.inspection.languages.common.reader import read

pytestmark = pytest.mark.spec("VF-03")


def inventory(text: str, path: str = "src/cart.rs") -> Inventory:
    found = read(path, text)
    assert found is not None
    return found


def only_case(body: str) -> TestCase:
    found = inventory(f"#[test]\nfn a() {{\n{body}\n}}\n")
    assert not found.broken
    (case,) = found.cases
    return case


CASES = [
    ("#[test]\nfn adds() {}", ["adds"]),
    ("#[test] // why\nfn adds() {}", ["adds"]),
    ("#[tokio::test]\nasync fn adds() {}", ["adds"]),
    ('#[tokio::test(flavor = "multi_thread")]\nasync fn adds() {}', ["adds"]),
    ("#[async_std::test]\nasync fn adds() {}", ["adds"]),
    ("#[rstest]\nfn adds() {}", ["adds"]),
    ("#[test_case(1, 2)]\nfn adds(a: i32, b: i32) {}", ["adds"]),
    ("#[cfg(test)]\nmod tests {\n #[test]\n fn adds() {}\n}", ["tests::adds"]),
    ("mod a { mod b { #[test] fn adds() {} } }", ["a::b::adds"]),
    ("#[allow(dead_code)]\n#[test]\nfn adds() {}", ["adds"]),
    ("proptest! {\n #[test]\n fn adds(a in 0..9) { prop_assert!(a > 1); }\n}", ["adds"]),
    ("fn adds() {}", []),
    ("#[cfg(test)]\nfn adds() {}", []),
    ("// #[test]\nfn adds() {}", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_tests_of_a_file(text: str, expected: list[str]) -> None:
    assert [case.name for case in inventory(text).cases] == expected


ASSERTIONS = [
    ("assert!(x);", ["assert!(x)"]),
    ('assert!(x, "why {}", y);', ["assert!(x)"]),
    ("assert_eq!(add(1, 2), 3);", ["assert_eq!(add(1,2),3)"]),
    ('assert_eq!(x, 3, "why");', ["assert_eq!(x,3)"]),
    ("assert_ne!(x, 3); // why", ["assert_ne!(x,3)"]),
    ("debug_assert!(x);", ["debug_assert!(x)"]),
    ("assert!(matches!(x, Some(_)));", ["assert!(matches!(x,Some(_)))"]),
    ("insta::assert_snapshot!(x);", ["assert_snapshot!(x)"]),
    ('if x != 3 { panic!("no") }', ["if x!=3: panic!"]),
    ("match x { Ok(_) => {}, Err(_) => panic!(), }", ["if Err(_): panic!"]),
    ("let n = 5; assert_eq!(f(), n);", ["assert_eq!(f(),n)"]),
    ("for x in y { assert!(x); }", ["assert!(x)"]),
    ("if x { return; } assert!(y);", ["assert!(y)"]),
    ("assert!(false);", ["assert!(false)"]),
    ("f().unwrap();", ["f().unwrap()"]),
    ('f().expect("ok");', ['f().expect("ok")']),
    ("f()?;", ["f()?"]),
    ("let x = f().unwrap(); assert!(x);", ["assert!(x)"]),
    ("check_total(x);", ["check_total(x)"]),
    ("cart.assert_empty();", ["cart.assert_empty()"]),
    ("f();", []),
]


@pytest.mark.parametrize(("body", "expected"), ASSERTIONS)
def test_assertions_that_can_fail(body: str, expected: list[str]) -> None:
    case = only_case(body)
    assert (list(case.assertions), case.hollow) == (expected, 0)


HOLLOW = [
    "assert!(true);",
    'assert!(true, "why");',
    "assert!(1 == 1);",
    "assert!(!false);",
    "assert!(x == x);",
    "assert!(x || true);",
    "assert_eq!(1, 1);",
    "assert_eq!(x, x);",
    "assert_eq!(x.a, x.a);",
    'assert_eq!("a", "a");',
    "assert_ne!(1, 2);",
    "let n = 5; assert_eq!(n, 5);",
    "return; assert!(x);",
    "return Ok(()); assert!(x);",
    "if false { assert!(x); }",
    "if true { } else { assert!(x); }",
    "while false { assert!(x); }",
    "std::process::exit(0); assert!(x);",
    "let _ = std::panic::catch_unwind(|| { assert!(x); });",
]


@pytest.mark.parametrize("body", HOLLOW)
def test_assertions_that_cannot_fail(body: str) -> None:
    case = only_case(body)
    assert (case.assertions, case.hollow) == ((), 1)


SKIPS = [
    ("#[test]\n#[ignore]\nfn a() {}", "#[ignore]", ""),
    ('#[test]\n#[ignore = "slow"]\nfn a() {}', "#[ignore]", ""),
    ("#[ignore]\n#[test]\nfn a() {}", "#[ignore]", ""),
    ("#[test]\n#[cfg_attr(miri, ignore)]\nfn a() {}", "#[cfg_attr(…, ignore)]", "miri"),
    ("#[cfg(any())]\n#[test]\nfn a() {}", "#[cfg(any())]", ""),
    ("#[cfg(FALSE)]\nmod tests { #[test] fn a() {} }", "#[cfg(FALSE)]", ""),
    ("#[cfg(unix)]\n#[test]\nfn a() {}", "#[cfg]", "unix"),
    (
        '#[cfg(all(test, feature = "x"))]\nmod tests { #[test] fn a() {} }',
        "#[cfg]",
        'all(test,feature="x")',
    ),
    ("#[cfg(test)]\nmod tests { #[test] fn a() {} }", "", ""),
    ("#[test]\n#[should_panic]\nfn a() {}", "", ""),
]


@pytest.mark.parametrize(("text", "skip", "skip_if"), SKIPS)
def test_what_keeps_a_test_from_running(text: str, skip: str, skip_if: str) -> None:
    (case,) = inventory(text).cases
    assert (case.skip, case.skip_if) == (skip, skip_if)


WHOLE_SKIPS = [
    ("#[cfg(any())]\nmod tests {}", ["#[cfg(any())]"]),
    ("#[cfg(FALSE)]\nmod tests {}", ["#[cfg(FALSE)]"]),
    ("#[cfg(not(test))]\n#[test]\nfn a() {}", ["#[cfg(not(test))]"]),
    ('#![cfg(feature = "slow")]\n', ['#![cfg(feature="slow")]']),
    ("#![cfg(any())]\n", ["#![cfg(any())]"]),
    ("#![cfg(test)]\n", []),
    ("#[cfg(test)]\nmod tests {}", []),
    ("#[cfg(unix)]\nmod unix {}", []),
]


@pytest.mark.parametrize(("text", "expected"), WHOLE_SKIPS)
def test_what_keeps_a_whole_file_from_running(text: str, expected: list[str]) -> None:
    assert [mark.text for mark in inventory(text).whole_skips] == expected


def test_should_panic_is_part_of_the_essence() -> None:
    text = "#[test]\n#[should_panic]\nfn a() { f(); }"
    case = inventory(text).cases[0]
    assert "should_panic" in case.essence
    assert case.assertions == ("#[should_panic]",)
    assert case.essence != inventory(text.replace("#[should_panic]\n", "")).cases[0].essence


FUNCTIONS = [
    ("fn f() {}", "f", "empty body", False, False, False),
    ("fn f(a: i32) {}", "f", "empty body", False, True, False),
    ("pub fn f(a: i32) -> i32 { 0 }", "f", "return 0", False, True, False),
    ("fn f() -> bool { return true; }", "f", "return true", False, False, False),
    ("fn f() -> Option<i32> { None }", "f", "return None", False, False, False),
    ("fn f() -> Result<(), E> { Ok(()) }", "f", "return Ok(())", False, False, False),
    ("fn f() -> String { String::new() }", "f", "return String::new()", False, False, False),
    ("fn f() -> Vec<i32> { vec![] }", "f", "return vec![]", False, False, False),
    ("fn f() -> A { Default::default() }", "f", "return Default::default()", False, False, False),
    ("fn f(a: i32) -> i32 { a }", "f", "return a", False, False, False),
    ("fn f() -> i32 { todo!() }", "f", "todo!()", True, False, False),
    (
        'fn f() -> i32 { unimplemented!("later") }',
        "f",
        'unimplemented!("later")',
        True,
        False,
        False,
    ),
    ('fn f() { panic!("not implemented") }', "f", 'panic!("not implemented")', True, False, False),
    (
        "impl Cart { fn total(&self, x: i32) -> i32 { 0 } }",
        "Cart::total",
        "return 0",
        False,
        True,
        False,
    ),
    (
        "impl Shop for Cart { fn total(&self) -> i32 { 0 } }",
        "Cart::total",
        "return 0",
        False,
        False,
        False,
    ),
    ("trait A { fn f(&self) -> i32; }", "A::f", "", False, False, True),
    ("mod a { fn f() { g() } }", "a::f", "", False, False, False),
    ("fn f(a: i32) -> i32 { a + 1 }", "f", "", False, False, False),
    ("fn f() -> i32 { TOTAL }", "f", "", False, False, False),
    ('fn f() { panic!("no cart") }', "f", "", False, False, False),
    ("fn f(a: i32) -> i32 { let b = g(a); b }", "f", "", False, False, False),
]


@pytest.mark.parametrize(("text", "name", "stub", "loud", "unused", "is_abstract"), FUNCTIONS)
def test_functions(
    text: str, name: str, stub: str, loud: bool, unused: bool, is_abstract: bool
) -> None:
    (it,) = inventory(text).functions
    assert (it.name, it.stub, it.loud, it.is_abstract) == (name, stub, loud, is_abstract)
    assert it.unused == unused


SUPPRESSIONS = [
    ("#[allow(dead_code)]\nfn f() {}", ["clippy"]),
    ("#[allow(clippy::all)]\nfn f() {}", ["clippy"]),
    ('#[expect(unused, reason = "x")]\nfn f() {}', ["clippy"]),
    ("#![allow(dead_code)]\nfn f() {}", ["clippy-file"]),
    ("#[cfg_attr(coverage_nightly, coverage(off))]\nfn f() {}", ["coverage"]),
    ("#[cfg_attr(tarpaulin, ignore)]\nfn f() {}", ["coverage"]),
    ("#[deny(warnings)]\nfn f() {}", []),
    ("// #[allow(dead_code)]\nfn f() {}", []),
]


@pytest.mark.parametrize(("text", "expected"), SUPPRESSIONS)
def test_silenced_complaints(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(text).suppressions] == expected


CONDITIONS = [
    ('if std::env::var("CI").is_ok() { g(); }', "environment"),
    ('if env::var_os("GITHUB_ACTIONS").is_some() { g(); }', "environment"),
    ('if option_env!("CI").is_some() { g(); }', "environment"),
    ("if cfg!(test) { g(); }", "runner"),
    ('if std::env::args().any(|a| a.contains("test")) { g(); }', "runner"),
    ('if hostname::get().unwrap() == "builder" { g(); }', "host"),
    ("if SystemTime::now() < UNIX_EPOCH + Duration::from_secs(1790000000) { g(); }", "clock"),
    ("if Utc::now() > Utc.with_ymd_and_hms(2026, 1, 1, 0, 0, 0).unwrap() { g(); }", "clock"),
    ("let now = Utc::now(); if now.year() > 2025 { g(); }", "clock"),
    ('if env::current_dir().unwrap().ends_with("verify") { g(); }', "place"),
]


@pytest.mark.parametrize(("body", "expected"), CONDITIONS)
def test_code_that_asks_whether_it_is_tested(body: str, expected: str) -> None:
    assert [mark.name for mark in inventory(f"fn f() {{ {body} }}").conditions] == [expected]


HONEST = [
    'let u = env::var("DATABASE_URL").unwrap();',
    'env::set_var("CI", "1");',
    "let start = Instant::now(); if start.elapsed() > limit { g(); }",
    "let now = SystemTime::now();",
    "if token.expires < Utc::now() { g(); }",
    "let d = NaiveDate::from_ymd_opt(2026, 1, 1);",
    "let d = env::current_dir().unwrap();",
    'if cfg!(target_os = "linux") { g(); }',
    "let h = hostname::get().unwrap();",
    "std::process::exit(1);",
]


@pytest.mark.parametrize("body", HONEST)
def test_honest_code_has_no_conditions_and_no_patches(body: str) -> None:
    found = inventory(f"fn f() {{ {body} }}")
    assert (found.conditions, found.patches, found.whole_skips) == ((), (), ())


PATCHES = [
    ("#[test]\nfn a() { std::process::exit(0); }", ["std::process::exit"]),
    ("#[cfg(test)]\nmod tests { fn f() { process::exit(0) } }", ["process::exit"]),
    ("macro_rules! assert_eq { ($a:expr) => {}; }", ["assert_eq"]),
    ("macro_rules! assert { ($a:expr) => {}; }", ["assert"]),
    ("macro_rules! total { ($a:expr) => {}; }", []),
    ("fn main() { std::process::exit(0); }", []),
]


@pytest.mark.parametrize(("text", "expected"), PATCHES)
def test_changes_to_the_framework(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(text).patches] == expected


HELPERS = [
    ("fn check(a: i32) { assert!(a > 1); }", ("check(2)",)),
    ("fn check(a: i32) { }", ()),
    ("fn check(a: i32) { assert!(true); }", ()),
]


@pytest.mark.parametrize(("text", "expected"), HELPERS)
def test_a_helper_counts_if_it_asserts_something(text: str, expected: tuple[str, ...]) -> None:
    (case,) = inventory(f"#[test]\nfn a() {{ check(2); }}\n{text}\n").cases
    assert case.assertions == expected


def test_essence_has_no_blanks_and_comments() -> None:
    assert only_case("// why\nassert!( x );").essence == only_case("assert!(x);").essence


JUNK = [
    "(" * 20_000,
    "{" * 20_000,
    '"' * 20_000,
    "@a " * 4_000,
    '"a" ' * 4_000,
    "#[" * 4_000,
    "<" * 4_000,
]


@pytest.mark.parametrize("text", JUNK, ids=range(len(JUNK)))
def test_no_junk_stops_the_reader(text: str) -> None:
    assert inventory("#[test]\nfn a() {}\n" + text).broken


WORDS = st.sampled_from(
    [
        "#[test]",
        "#[ignore]",
        "fn a",
        "()",
        "{",
        "}",
        "assert!(",
        "true",
        ")",
        ";",
        "\n",
        '"',
        "'",
        'r#"',
        "//",
        "/*",
        "mod t ",
        "#[cfg(",
        "impl A ",
        "return",
        "?",
        "\0",
        "é",
        "<",
        ">",
        "!",
        "macro_rules! x ",
        "let x = ",
    ]
)


@settings(max_examples=60)
@given(st.lists(WORDS, max_size=50).map("".join) | st.text(max_size=200))
def test_no_text_stops_the_reader(text: str) -> None:
    assert read("src/a.rs", text) is not None
