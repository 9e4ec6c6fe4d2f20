"""The JavaScript and TypeScript reader: one small source a row, and exactly what is found in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.inspection.inventory import Inventory, TestCase
from topkick.inspection.languages.common.reader import read

pytestmark = pytest.mark.spec("VF-03")


def inventory(text: str, path: str = "src/cart.test.ts") -> Inventory:
    found = read(path, text)
    assert found is not None
    return found


def only_case(body: str, path: str = "src/cart.test.ts") -> TestCase:
    (case,) = inventory(f"test('a', async (t) => {{ {body} }});", path).cases
    return case


CASES = [
    ("it('adds', () => {})", ["adds"]),
    ("test('adds', () => {})", ["adds"]),
    ('test("adds", function () {})', ["adds"]),
    ("test(`adds ${n}`, () => {})", ["adds ${n}"]),
    ("test('adds', async () => {}, 5000)", ["adds"]),
    ("test('adds', { timeout: 5 }, () => {})", ["adds"]),
    ("describe('cart', () => { it('adds', () => {}); })", ["cart > adds"]),
    (
        "describe('a', () => { describe('b', () => { it('c', () => {}); it('d', () => {}) }) })",
        ["a > b > c", "a > b > d"],
    ),
    ("context('cart', function () { specify('adds', function () {}) })", ["cart > adds"]),
    ("it.each([1, 2])('adds %i', (n) => {})", ["adds %i"]),
    ("test.each`a|b\n${1}|${2}`('adds $a', () => {})", ["adds $a"]),
    ("test.concurrent('adds', async () => {})", ["adds"]),
    ("test.concurrent.each([1])('adds %i', async () => {})", ["adds %i"]),
    ("describe.each([1])('cart %i', () => { it('adds', () => {}) })", ["cart %i > adds"]),
    ("test.describe('cart', () => { test('adds', async ({ page }) => {}) })", ["cart > adds"]),
    ("Deno.test('adds', () => {})", ["adds"]),
    ("Deno.test({ name: 'adds', fn() {} })", ["adds"]),
    ("QUnit.module('cart', () => { QUnit.test('adds', assert => {}) })", ["cart > adds"]),
    ("test('a', async (t) => { await t.test('b', () => {}) })", ["a"]),
    ("it.todo('adds')", ["adds"]),
    ("it('adds')", []),
    ("pattern.test('adds')", []),
    ("if (/a/.test(x)) { f() }", []),
    ("test(3)", []),
    ("function test(a, b) {}", []),
    ("beforeEach(() => {})", []),
    ("const test = base.extend({ a: async () => {} })", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
@pytest.mark.parametrize("path", ["cart.test.ts", "cart.test.tsx", "cart.test.js", "cart.spec.mjs"])
def test_the_tests_of_a_file(text: str, expected: list[str], path: str) -> None:
    found = inventory(text, path)
    assert ([case.name for case in found.cases], found.broken) == (expected, False)


ASSERTIONS = [
    ("expect(a).toBe(1);", ["expect(a).toBe(1)"]),
    ("expect( a ) . toBe( 1 ) // why\n", ["expect(a).toBe(1)"]),
    ("expect(a).not.toBe(1)", ["expect(a).not.toBe(1)"]),
    ("await expect(a()).resolves.toBe(1)", ["expect(a()).resolves.toBe(1)"]),
    ("expect(() => a()).toThrow()", ["expect(()=>a()).toThrow()"]),
    ("expect(a).toBeTruthy()", ["expect(a).toBeTruthy()"]),
    ("expect(a).to.equal(1)", ["expect(a).to.equal(1)"]),
    ("expect(a).to.be.true", ["expect(a).to.be.true"]),
    ("expect(spy).toHaveBeenCalledWith(1)", ["expect(spy).toHaveBeenCalledWith(1)"]),
    ("expect.assertions(2)", ["expect.assertions(2)"]),
    ("assert.equal(a, 1)", ["assert.equal(a,1)"]),
    ("assert(a)", ["assert(a)"]),
    ("assert.strictEqual(a, 1)", ["assert.strictEqual(a,1)"]),
    ("assert.rejects(a())", ["assert.rejects(a())"]),
    ("t.is(a, 1)", ["t.is(a,1)"]),
    ("t.deepEqual(a, [1])", ["t.deepEqual(a,[1])"]),
    ("a.should.equal(1)", ["a.should.equal(1)"]),
    ("cy.get('a').should('exist')", ["cy.get('a').should('exist')"]),
    ("if (a) { expect(b).toBe(1) }", ["expect(b).toBe(1)"]),
    ("await t.test('b', () => { expect(a).toBe(1) })", ["expect(a).toBe(1)"]),
    ("try { a() } catch (e) { expect(e).toBe(1) }", ["expect(e).toBe(1)"]),
    ("try { expect(a).toBe(1) } catch (e) { throw e }", ["expect(a).toBe(1)"]),
    ("try { expect(a).toBe(1) } finally { b() }", ["expect(a).toBe(1)"]),
    ("try { expect(a).toBe(1) } catch (e) { done(e) }", ["expect(a).toBe(1)"]),
    ("a().then(() => expect(b).toBe(1))", ["expect(b).toBe(1)"]),
    ("a().then(() => expect(b).toBe(1)).catch(done)", ["expect(b).toBe(1)"]),
    ("expect(true).toBe(false)", []),
    ("const n = 5; expect(total(n)).toBe(n)", ["expect(total(n)).toBe(n)"]),
    ("if (a) return; expect(b).toBe(1)", ["expect(b).toBe(1)"]),
    ("expectTotal(a)", ["expectTotal(a)"]),
    ("a()", []),
]


@pytest.mark.parametrize(("body", "expected"), ASSERTIONS)
def test_assertions_that_can_fail(body: str, expected: list[str]) -> None:
    case = only_case(body)
    assert list(case.assertions) == expected
    assert case.hollow == (1 if body == "expect(true).toBe(false)" else 0)


HOLLOW = [
    "expect(true).toBe(true)",
    "expect(1).toBe(1)",
    "expect(1).toEqual(1)",
    "expect(1 + 1).toBe(2)",
    "expect('a').toBe('a')",
    "expect(true).toBeTruthy()",
    "expect(false).toBeFalsy()",
    "expect(null).toBeNull()",
    "expect(1).toBeDefined()",
    "expect(a).toBe(a)",
    "expect(a.b).toEqual(a.b)",
    "expect(true).to.be.true",
    "expect(true).to.equal(true)",
    "expect(a)",
    "expect(a).toBe",
    "const n = 5; expect(n).toBe(5)",
    "const n = 5; expect(n).toBe(n)",
    "assert(true)",
    "assert(1)",
    "assert.ok(true)",
    "assert.equal(1, 1)",
    "assert.strictEqual(a, a)",
    "t.is(1, 1)",
    "t.true(true)",
    "t.falsy(false)",
    "return; expect(a).toBe(1)",
    "return\nexpect(a).toBe(1)",
    "throw new Error('x'); expect(a).toBe(1)",
    "t.skip(); expect(a).toBe(1)",
    "if (false) { expect(a).toBe(1) }",
    "if (0) expect(a).toBe(1)",
    "if (!true) { expect(a).toBe(1) }",
    "if (true) { } else { expect(a).toBe(1) }",
    "if (false && a) { expect(a).toBe(1) }",
    "while (false) { expect(a).toBe(1) }",
    "try { expect(a).toBe(1) } catch { }",
    "try { expect(a).toBe(1) } catch (e) { }",
    "try { expect(a).toBe(1) } catch (e) { console.log(e) }",
    "await a().then(() => expect(b).toBe(1)).catch(() => {})",
    "await expect(a()).resolves.toBe(1).catch(() => {})",
]


@pytest.mark.parametrize("body", HOLLOW)
def test_assertions_that_cannot_fail(body: str) -> None:
    case = only_case(body)
    assert (case.assertions, case.hollow) == ((), 1)


SKIPS = [
    ("it.skip('a', () => {})", "it.skip", ""),
    ("test.skip('a', () => {})", "test.skip", ""),
    ("xit('a', () => {})", "xit", ""),
    ("xtest('a', () => {})", "xtest", ""),
    ("it.todo('a')", "it.todo", ""),
    ("test.todo('a')", "test.todo", ""),
    ("test.failing('a', () => {})", "test.failing", ""),
    ("test.fails('a', () => {})", "test.fails", ""),
    ("test.fixme('a', async () => {})", "test.fixme", ""),
    ("test.skip.each([1])('a', () => {})", "test.skip", ""),
    ("test.concurrent.skip('a', () => {})", "test.concurrent.skip", ""),
    ("test.skipIf(x)('a', () => {})", "test.skipIf", "x"),
    ("test.runIf(x)('a', () => {})", "test.runIf", "!(x)"),
    ("describe.skip('b', () => { it('a', () => {}) })", "describe.skip", ""),
    ("xdescribe('b', () => { it('a', () => {}) })", "xdescribe", ""),
    ("describe.skipIf(x)('b', () => { it('a', () => {}) })", "describe.skipIf", "x"),
    (
        "describe.skip('c', () => { describe('b', () => { it('a', () => {}) }) })",
        "describe.skip",
        "",
    ),
    ("test('a', { skip: true }, () => {})", "skip: true", ""),
    ("test('a', { skip: 'why' }, () => {})", "skip: 'why'", ""),
    ("test('a', { skip: x }, () => {})", "skip: x", "x"),
    ("test('a', { todo: true }, () => {})", "todo: true", ""),
    ("test('a', { skip: false }, () => {})", "", ""),
    ("it('a', function () { this.skip() })", "this.skip()", ""),
    ("test('a', (t) => { t.skip('no') })", "t.skip()", ""),
    ("it('a', function () { if (x) this.skip() })", "this.skip()", "x"),
    ("it('a', function () { if (true) this.skip() })", "this.skip()", ""),
    ("it('a', () => { pending('no') })", "pending()", ""),
    ("Deno.test({ name: 'a', ignore: true, fn() {} })", "ignore: true", ""),
    ("it('a', () => { stream.skip(3) })", "", ""),
    ("it('a', () => {})", "", ""),
]


@pytest.mark.parametrize(("text", "skip", "skip_if"), SKIPS)
def test_what_keeps_a_test_from_running(text: str, skip: str, skip_if: str) -> None:
    (case,) = inventory(text).cases
    assert (case.skip, case.skip_if) == (skip, skip_if)


FOCUSED = [
    ("it.only('a', () => {})", True),
    ("test.only('a', () => {})", True),
    ("fit('a', () => {})", True),
    ("fdescribe('b', () => { it('a', () => {}) })", True),
    ("describe.only('b', () => { it('a', () => {}) })", True),
    ("test.only.each([1])('a', () => {})", True),
    ("test('a', { only: true }, () => {})", True),
    ("test('a', { only: false }, () => {})", False),
    ("it('a', () => {})", False),
    ("it('only', () => { x.only() })", False),
]


@pytest.mark.parametrize(("text", "expected"), FOCUSED)
def test_focus(text: str, expected: bool) -> None:
    (case,) = inventory(text).cases
    assert case.focused == expected


FUNCTIONS = [
    ("function f() {}", "f", "empty body", False, False, False),
    ("function f(a) {}", "f", "empty body", False, True, False),
    ("export function f(a: number): number { return 1; }", "f", "return 1", False, True, False),
    ("export const f = (a) => { return null }", "f", "return null", False, True, False),
    ("const f = () => true", "f", "return true", False, False, False),
    ("const f = (a) => a", "f", "return a", False, False, False),
    ("const f = a => []", "f", "return []", False, True, False),
    ("const f = function (a) { return {} }", "f", "return {}", False, True, False),
    ("async function f() { return undefined }", "f", "return undefined", False, False, False),
    ("function f() { return; g() }", "f", "return", False, False, False),
    (
        "function f() { return Promise.resolve(null) }",
        "f",
        "return Promise.resolve(null)",
        False,
        False,
        False,
    ),
    (
        "function f() { throw new Error('not implemented') }",
        "f",
        "throw new Error('not implemented')",
        True,
        False,
        False,
    ),
    (
        "function f() { throw new Error('TODO') }",
        "f",
        "throw new Error('TODO')",
        True,
        False,
        False,
    ),
    ("class A { g(x: number) { return 0 } }", "A.g", "return 0", False, True, False),
    ("class A { g = (x) => { return 0 } }", "A.g", "return 0", False, True, False),
    ("abstract class A { abstract f(): number }", "A.f", "", False, False, True),
    ("interface A { f(): number }", "A.f", "", False, False, True),
    ("declare function f(): void", "f", "", False, False, True),
    ("class A { constructor(private a: string) {} }", "A.constructor", "", False, True, False),
    ("function f(a) { return a + 1 }", "f", "", False, False, False),
    ("function f(a) { if (!a) throw new Error('no a'); return a }", "f", "", False, False, False),
    ("function f() { throw new Error('no connection') }", "f", "", False, False, False),
    ("const f = (a) => g(a)", "f", "", False, False, False),
    ("function f() { return TOTAL }", "f", "", False, False, False),
]


@pytest.mark.parametrize(("text", "name", "stub", "loud", "unused", "is_abstract"), FUNCTIONS)
def test_functions(
    text: str, name: str, stub: str, loud: bool, unused: bool, is_abstract: bool
) -> None:
    (it,) = inventory(text, "src/cart.ts").functions
    assert (it.name, it.stub, it.loud, it.is_abstract) == (name, stub, loud, is_abstract)
    assert it.unused == unused


SUPPRESSIONS = [
    ("f() // eslint-disable-line", ["eslint"]),
    ("// eslint-disable-next-line no-undef\nf()", ["eslint"]),
    ("/* eslint-disable */\nf()", ["eslint-file"]),
    ("/* eslint-disable no-undef */\nf()", ["eslint-file"]),
    ("// @ts-ignore\nf()", ["typescript"]),
    ("// @ts-expect-error\nf()", ["typescript"]),
    ("// @ts-nocheck\nf()", ["typescript-file"]),
    ("/* istanbul ignore next */\nf()", ["coverage"]),
    ("/* istanbul ignore file */\nf()", ["coverage-file"]),
    ("/* c8 ignore next */\nf()", ["coverage"]),
    ("/* v8 ignore next 3 */\nf()", ["coverage"]),
    ("// biome-ignore lint: x\nf()", ["biome"]),
    ("const a = '// @ts-ignore'", []),
    ("// eslint is fine\nf()", []),
]


@pytest.mark.parametrize(("text", "expected"), SUPPRESSIONS)
def test_silenced_complaints(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(text).suppressions] == expected


CONDITIONS = [
    ("if (process.env.CI) { f() }", "environment"),
    ("if (process.env['CI']) { f() }", "environment"),
    ("const isCi = !!process.env.GITHUB_ACTIONS", "environment"),
    ("const x = process.env.JEST_WORKER_ID ? 1 : f()", "environment"),
    ("if ('CI' in process.env) f()", "environment"),
    ("if (process.env.VITEST) f()", "environment"),
    ("if (process.env.NODE_ENV === 'test') f()", "environment"),
    ("if (Deno.env.get('CI')) f()", "environment"),
    ("if (import.meta.env.VITEST) f()", "environment"),
    ("if (process.env.TOPKICK_X) f()", "environment"),
    ("if (typeof jest !== 'undefined') f()", "runner"),
    ("if (typeof vi === 'object') f()", "runner"),
    ("if (import.meta.vitest) f()", "runner"),
    ("if (process.argv[1].includes('jest')) f()", "runner"),
    ("if (new Error().stack.includes('test')) f()", "runner"),
    ("if (os.hostname() === 'builder') f()", "host"),
    ("const h = os.hostname(); if (h.startsWith('ci')) f()", "host"),
    ("if (new Date() < new Date('2026-01-01')) f()", "clock"),
    ("if (Date.now() > 1790000000000) f()", "clock"),
    ("if (Date.now() < Date.parse('2026-01-01')) f()", "clock"),
    ("if (new Date() > new Date(2026, 0, 1)) f()", "clock"),
    ("const now = new Date()\nif (now < new Date('2026-01-01')) f()", "clock"),
    ("const end = new Date('2026-01-01')\nif (new Date() > end) f()", "clock"),
    ("if (new Date().getFullYear() > 2025) f()", "clock"),
    ("if (new Date().toISOString() > '2026-01-01') f()", "clock"),
    ("if (process.cwd().includes('verify')) f()", "place"),
    ("if (__dirname === '/srv/verify') f()", "place"),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS)
def test_code_that_asks_whether_it_is_tested(text: str, expected: str) -> None:
    assert [mark.name for mark in inventory(text, "src/cart.ts").conditions] == [expected]


HONEST = [
    "const url = process.env.DATABASE_URL",
    "const isProduction = process.env.NODE_ENV === 'production'",
    "const mode = process.env.NODE_ENV",
    "process.env.CI = '1'",
    "delete process.env.CI",
    "vi.stubEnv('CI', '1')",
    "const created = new Date()",
    "const started = Date.now(); if (Date.now() - started > 3000) f()",
    "if (token.expires < Date.now()) f()",
    "const day = new Date('2026-01-01')",
    "expect(format(new Date('2026-01-01'))).toBe('2026-01-01')",
    "const name = os.hostname()",
    "const here = path.join(__dirname, 'data.json')",
    "if (process.platform === 'win32') f()",
    "if (process.argv.length > 2) f()",
    "if (typeof window === 'undefined') f()",
    "if (import.meta.url === `file://${process.argv[1]}`) main()",
    "jest.mock('./cart')",
    "jest.spyOn(console, 'log')",
    "expect.extend({ toBeWithinRange(a) { return { pass: a > 1 } } })",
    "process.exitCode = 1",
    "window.location = x",
    "vi.useFakeTimers().setSystemTime(new Date('2026-01-01'))",
    "function f() { process.exit(1) }",
    "jest.setTimeout(30000)",
]


@pytest.mark.parametrize("text", HONEST)
def test_honest_code_has_no_conditions_and_no_patches(text: str) -> None:
    found = inventory(text, "src/cart.ts")
    assert (found.conditions, found.patches, found.whole_skips) == ((), (), ())


PATCHES = [
    ("global.expect = f", "global.expect"),
    ("globalThis.test = f", "globalThis.test"),
    ("globalThis.it = it.skip", "globalThis.it"),
    ("process.exit = f", "process.exit"),
    ("process.exitCode = 0", "process.exitCode"),
    ("process.on('exit', () => { f() })", "process.on"),
    ("expect.extend({ toBe() { return { pass: true } } })", "expect.extend toBe"),
    ("expect.extend({ toEqual: () => ({ pass: true }) })", "expect.extend toEqual"),
    ("expect.prototype = f", "expect.prototype"),
    ("assert.equal = () => {}", "assert.equal"),
    ("process.exit(0)", "process.exit"),
    ("const expect = () => ({ toBe() {} })", "expect"),
    ("function expect(a) { return x }", "expect"),
    ("Object.defineProperty(globalThis, 'expect', { value: f })", "Object.defineProperty"),
]


@pytest.mark.parametrize(("text", "expected"), PATCHES)
def test_changes_to_the_framework(text: str, expected: str) -> None:
    assert [mark.name for mark in inventory(text).patches] == [expected]


HELPERS = [
    ("function check(a) { expect(a).toBe(1) }\ntest('a', () => { check(2) })", ("check(2)",)),
    ("const check = (a) => expect(a).toBe(1)\ntest('a', () => { check(2) })", ("check(2)",)),
    ("function check(a) { }\ntest('a', () => { check(2) })", ()),
    ("function assertOk(a) { }\ntest('a', () => { assertOk(2) })", ()),
]


@pytest.mark.parametrize(("text", "expected"), HELPERS)
def test_a_helper_counts_if_it_asserts_something(text: str, expected: tuple[str, ...]) -> None:
    (case,) = inventory(text).cases
    assert case.assertions == expected


def test_essence_has_no_blanks_and_comments() -> None:
    one = inventory("test('a', () => { /* why */ expect( a ).toBe(1) // x\n })")
    other = inventory("test('a', () => {\n  expect(a).toBe(1)\n})")
    assert one.cases[0].essence == other.cases[0].essence
    assert one.essence == other.essence


JUNK = [
    "(" * 20_000,
    "{" * 20_000,
    '"' * 20_000,
    "-> " * 20_000,
    "f(" * 4_000,
    "\0" * 4_000,
    "`${" * 4_000,
    "([{" * 4_000,
    ")->{" * 5_000,
    "a" * 20_000,
    "test('a', () => {" * 2_000,
    "a().b" * 4_000,
    "x = " + "a+" * 4_000,
]


@pytest.mark.parametrize("text", JUNK, ids=range(len(JUNK)))
@pytest.mark.parametrize("path", ["a.test.js", "a.test.ts"])
def test_no_junk_stops_the_reader(text: str, path: str) -> None:
    inventory("test('a', () => {})\n" + text, path)


def test_what_does_not_parse_is_broken_but_read() -> None:
    found = inventory("it('a', () => { expect(x).toBe(1) })\nconst = = ;\n")
    assert (found.broken, found.cases[0].name) == (True, "a")


WORDS = st.sampled_from(
    [
        "test(",
        "'a'",
        ", () => {",
        "})",
        "expect(",
        ")",
        ".toBe(1)",
        ";",
        "\n",
        "describe(",
        ".skip",
        ".only",
        "`${",
        "`",
        "//",
        "/*",
        "process.env",
        ".CI",
        "<a>",
        "\0",
        "é",
        "{",
        "}",
        "[",
        "return",
        "class A {",
        "=",
        "if (",
        "\ufeff",
        "const x",
        "function f",
        "(",
        "=>",
        "await ",
        "try {",
        "catch {",
        "abstract ",
    ]
)


@settings(max_examples=60)
@given(st.lists(WORDS, max_size=50).map("".join) | st.text(max_size=200))
def test_no_text_stops_the_reader(text: str) -> None:
    for path in ("a.test.js", "a.test.ts", "a.tsx"):
        assert read(path, text) is not None
