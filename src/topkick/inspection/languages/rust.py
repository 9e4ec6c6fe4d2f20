"""Reads a Rust file by its syntax tree."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_rust

from topkick.inspection.inventory import Function, Inventory, Mark, TestCase
from topkick.inspection.languages.common.conditions import conditions
from topkick.inspection.languages.common.reach import Dead
from topkick.inspection.languages.common.reach import dead as reach_dead
from topkick.inspection.languages.common.stubs import Stub, stub, uses_none
from topkick.inspection.languages.common.suppressions import suppressions
from topkick.inspection.languages.common.syntax import Grammar, Node, SourceText, parsed
from topkick.inspection.languages.common.testfiles import is_test_file
from topkick.inspection.languages.common.tokens import Token
from topkick.inspection.languages.common.truth import always, arguments, is_constant, is_same
from topkick.inspection.languages.common.truth import code as truth_code
from topkick.inspection.languages.plain import read_brokenly

# --- The tests in a Rust file: functions with `#[test]` or an attribute that ends so.

TEST = re.compile(
    r"#\[(?:[\w:]+::)?(?:test|rstest|test_case|quickcheck|wasm_bindgen_test|bench|proptest|"
    r"test_log)(?:\(.*\)|=.*)?\]",
    re.DOTALL,
)
NEVER = re.compile(
    r"#!?\[cfg\((?:any\(\)|FALSE|false|not\(test\)|not\(all\(\)\)|never\w*|disabled\w*|"
    r"all\(.*not\(test\).*\))\)\]"
)
MACRO = re.compile(
    r"(?:\w+::)*(?:prop_|debug_|static_|const_)?assert\w*|(?:\w+::)*(?:panic|unreachable|"
    r"expect|check)"
)
FALLIBLE = frozenset(("unwrap", "expect", "unwrap_err", "expect_err"))
CHECKING = re.compile(r"(?:[\w.]+(?:::|\.))*(?:assert|check|verify|expect_|ensure)\w*")
IN_MACRO = re.compile(r"#\[test\](?:#\[[^\]]*\])*fn (\w+)\(")
ASSERTED = re.compile(r"\b(?:prop_)?assert\w*!\([^;]{0,500}")


@dataclass(frozen=True, slots=True)
class RustNames:
    checking: frozenset[str]
    defined: frozenset[str]
    dead: Dead


def attributes(node: Node) -> list[Node]:
    """Those that stand before it."""
    found: list[Node] = []
    siblings = node.parent.children if node.parent else []
    at = _place(siblings, node)
    while at > 0 and siblings[at - 1].kind in ("attribute_item", "line_comment", "block_comment"):
        at -= 1
        if siblings[at].kind == "attribute_item":
            found.append(siblings[at])
    return found[::-1]


def _place(siblings: list[Node], node: Node) -> int:
    """Siblings are in order, so their places are found without a look at each."""
    low, high = 0, len(siblings)
    while low < high:
        middle = (low + high) // 2
        if siblings[middle].index < node.index:
            low = middle + 1
        else:
            high = middle
    return low


def is_test(node: Node) -> bool:
    return any(TEST.fullmatch(it.code) for it in attributes(node))


def is_never(text: str) -> bool:
    return bool(NEVER.fullmatch(text))


def surroundings(node: Node) -> str:
    """Its name with its modules, type or trait."""
    name = node.child("name")
    names = [name.text if name else ""]
    for outer in node.above():
        if outer.kind == "impl_item":
            held = outer.child("type")
        elif outer.kind in ("mod_item", "trait_item"):
            held = outer.child("name")
        else:
            continue
        names.append(held.code if held else "")
    return "::".join(reversed(names))


def cases(source: SourceText) -> tuple[TestCase, ...]:
    functions = list(source.of_kind("function_item"))
    others = [it for it in functions if not is_test(it)]
    gone = reach_dead(
        source, frozenset(("block",)), _ends, _never_run(source), frozenset(("function_item",))
    )
    names = frozenset(it.text for node in others if (it := node.child("name")))
    start = RustNames(frozenset(), names, gone)
    checking = set()
    for node in others:
        name = node.child("name")
        if name is not None and any(not hollow for _, hollow in _checks(node, start)):
            checking.add(name.text)
    world = RustNames(frozenset(checking), names, gone)
    found = [_case(node, world) for node in functions if is_test(node)]
    return (*found, *_in_macros(source))


def _in_macros(source: SourceText) -> Iterator[TestCase]:
    """`proptest! { #[test] fn … }` holds tests that the parser sees as loose tokens."""
    for node in source.of_kind("macro_invocation"):
        if "#[test]" not in (text := node.code):
            continue
        found = list(IN_MACRO.finditer(text))
        for at, match in enumerate(found):
            end = found[at + 1].start() if at + 1 < len(found) else len(text)
            body = text[match.end() : end]
            yield TestCase(match[1], node.line, tuple(ASSERTED.findall(body)), essence=body)


def _ends(node: Node) -> bool:
    inside = node.children[0] if node.kind == "expression_statement" and node.children else node
    if inside.kind in ("return_expression", "break_expression", "continue_expression"):
        return True
    if inside.kind == "macro_invocation":
        return inside.code.startswith(("panic!", "todo!", "unimplemented!", "unreachable!"))
    function = inside.child("function") if inside.kind == "call_expression" else None
    return function is not None and function.code.endswith(("process::exit", "process::abort"))


def _never_run(source: SourceText) -> Iterator[Node]:
    for node in source.of_kind("if_expression"):
        condition, body = node.child("condition"), node.child("consequence")
        if condition and body and always(list(condition.tokens())) is False:
            yield body
        other = node.child("alternative")
        if condition and other and always(list(condition.tokens())) is True:
            yield other
    for node in source.of_kind("while_expression"):
        condition, body = node.child("condition"), node.child("body")
        if condition and body and always(list(condition.tokens())) is False:
            yield body
    yield from _never_called(source)
    for node in source.of_kind("let_declaration"):
        pattern, value = node.child("pattern"), node.child("value")
        is_ignored = pattern is not None and pattern.text.startswith("_")
        if is_ignored and value is not None and "catch_unwind" in value.text:
            yield value


def _never_called(source: SourceText) -> Iterator[Node]:
    """Closures and functions inside of functions whose names stand nowhere but where they are
    given."""
    used = Counter(node.text for node in source.of_kind("identifier"))
    given: list[tuple[str, Node, Node]] = []
    for node in source.of_kind("let_declaration", "function_item"):
        name, value = node.child("pattern") or node.child("name"), node.child("value")
        is_closure = value is not None and value.kind == "closure_expression"
        if name is not None and (is_closure or node.kind == "function_item"):
            given.append((name.text, node, value or node))
    times = Counter(word for word, _, _ in given)
    for word, node, held in given:
        is_inside = any(it.kind == "function_item" for it in node.above())
        if used[word] == times[word] and is_inside and not attributes(node):
            yield held


def _case(node: Node, world: RustNames) -> TestCase:
    assertions: list[str] = []
    hollow = 0
    for text, is_hollow in _checks(node, world):
        hollow += is_hollow
        if not is_hollow:
            assertions.append(text)
    marks = [it.code for it in attributes(node)]
    if not assertions and not hollow:
        assertions = [*_fallible(node, world)]
    if not assertions and not hollow and any("should_panic" in it for it in marks):
        assertions = [it for it in marks if "should_panic" in it]
    skip, skip_if = _skip(node, marks)
    body = node.child("body")
    kept = [it for it in marks if "ignore" not in it and not it.startswith("#[cfg")]
    return TestCase(
        name=surroundings(node),
        line=node.line,
        assertions=tuple(assertions),
        hollow=hollow,
        skip=skip,
        skip_if=skip_if,
        essence="".join(kept) + (body.code if body else ""),
    )


def _skip(node: Node, marks: list[str]) -> tuple[str, str]:
    for text in marks:
        if re.match(r"#\[ignore\b", text):
            return "#[ignore]", ""
    for text in marks:
        if (found := re.match(r"#\[cfg_attr\((.*),ignore", text)) is not None:
            return "#[cfg_attr(…, ignore)]", found[1]
    around = [
        it.code for outer in node.above() if outer.kind == "mod_item" for it in attributes(outer)
    ]
    for text in (*marks, *around):
        if is_never(text):
            return text, ""
        if text.startswith("#[cfg(") and text != "#[cfg(test)]":
            return "#[cfg]", text[6:-2]
    return "", ""


def _checks(node: Node, world: RustNames) -> Iterator[tuple[str, bool]]:
    constants = _constants(node)
    for part in node.below():
        if part.kind == "macro_invocation":
            name = part.child("macro")
            if name is None or not MACRO.fullmatch(name.code) or _is_in_assertion(part, node):
                continue
            held = arguments(next((it for it in part.children if it.kind == "token_tree"), None))
            text = _text(name.code, held, part, node)
            yield text, world.dead.holds(part) or _is_hollow(name.code, held, constants)
        elif part.kind == "call_expression":
            function = part.child("function")
            name_text = function.short if function else ""
            word = re.split(r"::|\.", name_text)[-1]
            is_own = (
                word in world.checking
                if word in world.defined
                else bool(CHECKING.fullmatch(name_text))
            )
            if is_own:
                yield part.code, world.dead.holds(part)


def _is_in_assertion(part: Node, top: Node) -> bool:
    for outer in part.above():
        if outer is top:
            return False
        if outer.kind == "token_tree":
            return True
    return False


def _text(name: str, held: list[list[Token]], part: Node, top: Node) -> str:
    word = name.rpartition("::")[2]
    if word in ("panic", "unreachable"):
        condition = _condition(part, top)
        return f"if {condition}: {word}!" if condition else f"{word}!"
    count = 2 if re.search(r"_(?:eq|ne)$|_matches$", word) else 1
    return f"{word}!({','.join(truth_code(it) for it in held[:count])})"


def _condition(part: Node, top: Node) -> str:
    for outer in part.above():
        if outer is top:
            return ""
        if outer.kind == "if_expression" and (held := outer.child("condition")) is not None:
            return held.code
        if outer.kind == "match_arm" and (held := outer.child("pattern")) is not None:
            return held.code
    return ""


def _constants(node: Node) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in node.below():
        if part.kind != "let_declaration" or any(
            it.kind == "mutable_specifier" for it in part.children
        ):
            continue
        pattern, value = part.child("pattern"), part.child("value")
        if pattern and value and pattern.kind == "identifier" and is_constant(list(value.tokens())):
            found[pattern.text] = value.code
    return found


def _is_hollow(name: str, held: list[list[Token]], constants: dict[str, str]) -> bool:
    word = name.rpartition("::")[2]
    if not held or not re.match(r"(?:prop_|debug_)?assert", word):
        return False
    if word.endswith(("_eq", "_ne")) and len(held) > 1:
        return is_same(held[0], held[1], constants)
    if re.fullmatch(r"(?:prop_|debug_)?assert", word):
        return always(held[0], constants) is True
    return False


def _fallible(node: Node, world: RustNames) -> Iterator[str]:
    """A test that asserts nothing may still fail by `?` or `unwrap()`."""
    for part in node.below():
        if world.dead.holds(part):
            continue
        if part.kind == "try_expression" or _may_panic(part):
            yield part.code


def _may_panic(call: Node) -> bool:
    function = call.child("function") if call.kind == "call_expression" else None
    is_method = function is not None and function.kind == "field_expression"
    return is_method and function is not None and function.text.rpartition(".")[2] in FALLIBLE


RUST = Grammar(
    "rust",
    tree_sitter_rust.language,
    frozenset(("line_comment", "block_comment")),
    frozenset(("string_literal", "raw_string_literal", "char_literal")),
)
SILENCING = re.compile(r"\b(?:allow|expect)\(")
UNCOVERED = re.compile(r"coverage\(off\)|\bno_coverage\b|cfg_attr\([^,]*(?:coverage|tarpaulin)")
PROGRAM = re.compile(r"(?:^|/)(?:main|build|cli)\.rs$|(?:^|/)(?:bin|examples|xtask|cli)/")
EXIT = re.compile(r"(?:std::)?process::(?:exit|abort)")


def read_rust(path: str, text: str) -> Inventory:
    source = parsed(RUST, text)
    if source is None:
        return read_brokenly("rust", text)
    return Inventory(
        language="rust",
        cases=cases(source),
        functions=tuple(_functions(source)),
        whole_skips=tuple(_whole_skips(source)),
        suppressions=(*suppressions(source.comments()), *_silenced(source)),
        conditions=conditions(source.root.tokens(), path),
        patches=tuple(_patches(source, is_test_file(path), bool(PROGRAM.search(path)))),
        essence=source.root.code,
        broken=source.has_error,
    )


def _functions(source: SourceText) -> Iterator[Function]:
    for node in source.of_kind("function_item", "function_signature_item"):
        if is_test(node) or any(it.kind == "function_item" for it in node.above()):
            continue
        body = node.child("body")
        names = _parameters(node)
        found = stub(statements(body), names, last_is_value=True) if body else Stub()
        yield Function(
            name=surroundings(node),
            line=node.line,
            stub=found.text,
            loud=found.loud,
            unused=uses_none(body, names),
            is_abstract=body is None,
        )


def statements(body: Node | None) -> list[Node]:
    skipped = ("{", "}", "line_comment", "block_comment", ";", "empty_statement", "attribute_item")
    return [it for it in body.children if it.kind not in skipped] if body else []


def _parameters(node: Node) -> list[str]:
    held = node.child("parameters")
    patterns = [it.child("pattern") for it in held.children] if held else []
    names = [it.text for it in patterns if it is not None and it.kind == "identifier"]
    return [name for name in names if not name.startswith("_")] or names


def _whole_skips(source: SourceText) -> Iterator[Mark]:
    for node in source.of_kind("inner_attribute_item"):
        is_cfg = re.match(r"#!\[cfg\((?!test\))", node.code)
        if is_cfg and node.parent is source.root:
            yield Mark(node.line, node.code, "cfg")
    for node in source.of_kind("function_item", "mod_item"):
        for attribute in attributes(node):
            if is_never(attribute.code) and (node.kind == "mod_item" or is_test(node)):
                yield Mark(attribute.line, attribute.code, "cfg")


def _silenced(source: SourceText) -> Iterator[Mark]:
    for node in source.of_kind("attribute_item", "inner_attribute_item"):
        code = node.code
        tool = "coverage" if UNCOVERED.search(code) else "clippy" if SILENCING.search(code) else ""
        if tool:
            is_whole = node.kind == "inner_attribute_item" and node.parent is source.root
            yield Mark(node.line, code[:160], f"{tool}-file" if is_whole else tool)


def _patches(source: SourceText, is_tests: bool, is_program: bool) -> Iterator[Mark]:
    for node in source.of_kind("macro_definition"):
        name = node.child("name")
        if name is not None and re.match(r"(?:debug_)?assert|panic$|matches$", name.text):
            yield Mark(node.line, f"macro_rules! {name.text}", name.text)
    for node in source.of_kind("call_expression"):
        function = node.child("function")
        if function is None or not EXIT.fullmatch(function.short):
            continue
        is_in_tests = is_tests or any(_is_test_place(it) for it in node.above())
        is_well = node.code.endswith("exit(0)") and not is_program and not _is_in_main(node)
        if is_in_tests or is_well:
            yield Mark(node.line, node.code[:160], function.code)


def _is_in_main(node: Node) -> bool:
    functions = (it for it in node.above() if it.kind == "function_item")
    names = (it.child("name") for it in functions)
    return any(name is not None and name.text == "main" for name in names)


def _is_test_place(node: Node) -> bool:
    if node.kind == "function_item":
        return is_test(node)
    is_tests = any("cfg(test)" in it.code for it in attributes(node))
    return node.kind == "mod_item" and is_tests
