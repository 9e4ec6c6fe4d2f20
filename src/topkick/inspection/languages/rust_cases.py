"""The tests in a Rust file: functions with `#[test]` or an attribute that ends so."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.inspection.inventory import TestCase
from topkick.inspection.languages.reach import Dead, dead
from topkick.inspection.languages.syntax import Node, Source
from topkick.inspection.languages.tokens import Token
from topkick.inspection.languages.truth import always, arguments, code, is_constant, is_same

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
class World:
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


def cases(source: Source) -> tuple[TestCase, ...]:
    functions = list(source.of_kind("function_item"))
    others = [it for it in functions if not is_test(it)]
    gone = dead(
        source, frozenset(("block",)), _ends, _never_run(source), frozenset(("function_item",))
    )
    names = frozenset(it.text for node in others if (it := node.child("name")))
    start = World(frozenset(), names, gone)
    checking = set()
    for node in others:
        name = node.child("name")
        if name is not None and any(not hollow for _, hollow in _checks(node, start)):
            checking.add(name.text)
    world = World(frozenset(checking), names, gone)
    found = [_case(node, world) for node in functions if is_test(node)]
    return (*found, *_in_macros(source))


def _in_macros(source: Source) -> Iterator[TestCase]:
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


def _never_run(source: Source) -> Iterator[Node]:
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


def _never_called(source: Source) -> Iterator[Node]:
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


def _case(node: Node, world: World) -> TestCase:
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


def _checks(node: Node, world: World) -> Iterator[tuple[str, bool]]:
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
    return f"{word}!({','.join(code(it) for it in held[:count])})"


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


def _fallible(node: Node, world: World) -> Iterator[str]:
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
