"""The assertions of a JavaScript test: those that can fail, and how many cannot."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.inspection.languages.common.reach import Dead, dead
from topkick.inspection.languages.common.syntax import Node, SourceText
from topkick.inspection.languages.common.tokens import Token
from topkick.inspection.languages.common.truth import always, arguments, is_constant, is_same

BLOCKS = frozenset(("statement_block", "program", "switch_case", "switch_default"))
STAYS = frozenset(("function_declaration", "generator_function_declaration", "comment"))
FUNCTIONS = frozenset(("arrow_function", "function_expression", "function_declaration", "function"))
ENDING = re.compile(r"(?:await )?(?:this\.skip|process\.exit|pending|t\.skip|ctx\.skip)\(.*\)")
ASSERTING = re.compile(
    r"assert(?:\.\w+)*|(?:t|tap|qunit|QUnit\.assert|test)\.(?:is|not|deepEqual|like|truthy|"
    r"falsy|true|false|throws|notThrows|throwsAsync|regex|snapshot|fail|ok|equal|same|"
    r"strictSame|match|rejects|resolves|notOk|notEqual|equals|deepEquals|strictEqual|assert|"
    r"assert\.\w+)"
    r"|cy\.\w+.*\.should|sinon\.assert\.\w+|(?:chai\.)?assert\.\w+|fail|done\.fail|"
    r"expectTypeOf|expectType|expectError|verify|t\.assert\.\w+|(?:assert|verify|expect|check)"
    r"[A-Z]\w*|\w+\.(?:assert|expect|verify)[A-Z]\w*"
)
SPEAKS_UP = re.compile(
    r"\b(?:throw|expect|assert|fail|reject|done)\b|\.(?:push|fail|ifError)\(|\bt\.\w+\(|\bnext\("
)
PAIRS = re.compile(
    r"(?:to(?:Be|Equal|StrictEqual|Match|MatchObject|Contain|ContainEqual|HaveLength|eql|"
    r"equal)|equal|eql|equals|deep|eq|strictEqual|deepEqual|deepStrictEqual|is|same|notEqual|"
    r"notStrictEqual|not)$"
)
CATCHES = re.compile(r"\((?:async )?(?:function|\(|\w+=>)")
NAMES = ("identifier", "shorthand_property_identifier")
VALUES = frozenset(("number", "string", "true", "false", "null"))
TRUTHY = frozenset(("toBeTruthy", "toBeDefined", "ok", "truthy", "true", "exist"))


@dataclass(frozen=True, slots=True)
class JavascriptNames:
    dead: Dead
    checking: frozenset[str]
    defined: frozenset[str]
    constants: dict[str, str]


def world_of(source: SourceText) -> JavascriptNames:
    gone = dead(source, BLOCKS, _ends, _never_run(source), STAYS)
    constants = _constants(source)
    defined: dict[str, Node] = {}
    for node in source.of_kind("function_declaration", "variable_declarator"):
        name, held = node.child("name"), node.child("value") or node
        if name is not None and held.kind in FUNCTIONS and name.text not in ("expect", "assert"):
            defined[name.text] = held
    names = frozenset(defined)
    start = JavascriptNames(gone, frozenset(), names, constants)
    checking = frozenset(name for name, node in defined.items() if checks(node, start)[0])
    return JavascriptNames(gone, checking, names, constants)


def is_dead(node: Node, world: JavascriptNames) -> bool:
    return world.dead.holds(node)


def checks(node: Node, world: JavascriptNames) -> tuple[tuple[str, ...], int]:
    assertions: list[str] = []
    hollow = 0
    for part, is_hollow in _found(node, world):
        if is_hollow or world.dead.holds(part):
            hollow += 1
        else:
            assertions.append(_text(part))
    return tuple(assertions), hollow


def _text(part: Node) -> str:
    return part.code


def _found(node: Node, world: JavascriptNames) -> Iterator[tuple[Node, bool]]:
    for part in node.below():
        if part.kind == "member_expression":
            if _is_should(part):
                yield _whole(part), False
            continue
        function = part.child("function") if part.kind == "call_expression" else None
        if function is None:
            continue
        if function.kind == "identifier" and function.text == "expect":
            whole = _whole(part)
            yield whole, whole is part or _is_hollow_expect(part, whole, world)
            continue
        if function.kind == "call_expression":
            continue
        name = function.short
        if name.startswith("expect."):
            if name in ("expect.assertions", "expect.hasAssertions", "expect.fail", "expect.soft"):
                yield part, False
            continue
        word = name.rpartition(".")[2]
        if name in world.defined:
            if name in world.checking:
                yield part, False
        elif ASSERTING.fullmatch(name):
            yield part, _is_hollow_call(name, word, arguments(part.child("arguments")), world)


def _is_should(part: Node) -> bool:
    name = part.child("property")
    return (
        name is not None
        and name.text == "should"
        and part.parent is not None
        and part.parent.kind != "call_expression"
    )


def _whole(part: Node) -> Node:
    """`expect(a).not.toBe(b)` from `expect(a)`."""
    whole = part
    while whole.parent is not None:
        outer = whole.parent
        is_chain = outer.kind == "member_expression" and whole.role == "object"
        is_called = outer.kind == "call_expression" and whole.role == "function"
        if not is_chain and not is_called:
            return whole
        whole = outer
    return whole


def _is_hollow_expect(part: Node, whole: Node, world: JavascriptNames) -> bool:
    text = whole.code
    tail = text[len(part.code) :]
    if whole.kind == "member_expression" and not re.search(
        r"\.(?:true|false|null|undefined|ok|exist|empty|called\w*|NaN)$", tail
    ):
        return True
    actual = arguments(part.child("arguments"))
    if not actual or re.search(r"\.(?:resolves|rejects)\b|to(?:Throw|HaveBeen)|throw", tail):
        return False
    function = whole.child("function")
    word = function.text.rpartition(".")[2] if function is not None else tail.rpartition(".")[2]
    expected = arguments(whole.child("arguments")) if whole.kind == "call_expression" else []
    if ".not." in tail and not is_constant(actual[0], world.constants):
        return False
    if not expected:
        return is_constant(actual[0], world.constants) and not _fails(word, actual[0], world)
    if word in ("toBeTypeOf", "a", "an", "toHaveProperty"):
        return is_constant(actual[0], world.constants)
    return is_same(actual[0], expected[0], world.constants)


def _fails(word: str, actual: list[Token], world: JavascriptNames) -> bool:
    """`expect(true).toBeFalsy()` where nobody should get to."""
    truth = always(actual, world.constants)
    return (truth is True and word in ("toBeFalsy", "toBeNull", "toBeUndefined", "false")) or (
        truth is False and word in TRUTHY
    )


def _is_hollow_call(name: str, word: str, held: list[list[Token]], world: JavascriptNames) -> bool:
    if not held or word in ("fail", "throws", "rejects"):
        return False
    if name == "assert" or word in ("ok", "truthy", "true", "assert", "isTrue", "isOk"):
        return always(held[0], world.constants) is True
    if word in ("falsy", "false", "notOk", "isFalse"):
        return always(held[0], world.constants) is False
    if len(held) > 1 and PAIRS.search(word):
        return is_same(held[0], held[1], world.constants)
    return False


def _ends(node: Node) -> bool:
    if node.kind in (
        "return_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
    ):
        return True
    is_short = node.kind == "expression_statement" and node.end - node.start < 200
    return is_short and bool(ENDING.fullmatch(node.text.strip().rstrip(";")))


def _never_run(source: SourceText) -> Iterator[Node]:
    for node in source.of_kind("if_statement", "while_statement"):
        condition = node.child("condition")
        truth = always(list(condition.tokens())) if condition else None
        body = node.child("consequence") or node.child("body")
        other = node.child("alternative")
        if truth is False and body is not None:
            yield body
        if truth is True and other is not None:
            yield other
    yield from _never_called(source)
    for node in source.of_kind("try_statement"):
        handler, body = node.child("handler"), node.child("body")
        if handler is not None and body is not None and not SPEAKS_UP.search(handler.code):
            yield body
    for node in source.of_kind("call_expression"):
        function, held = node.child("function"), node.child("arguments")
        name = function.child("property") if function is not None else None
        if function is None or held is None or name is None or name.text != "catch":
            continue
        receiver, code = function.child("object"), held.code
        if receiver is not None and CATCHES.match(code) and not SPEAKS_UP.search(code):
            yield receiver


def _never_called(source: SourceText) -> Iterator[Node]:
    """Functions inside of functions whose names stand nowhere but where they are given."""
    used = Counter(node.text for node in source.of_kind(*NAMES))
    given: list[tuple[str, Node]] = []
    for node in source.of_kind("function_declaration", "variable_declarator"):
        name, held = node.child("name"), node.child("value") or node
        if name is not None and name.kind == "identifier" and held.kind in FUNCTIONS:
            given.append((name.text, held))
    times = Counter(word for word, _ in given)
    for word, held in given:
        outer = held.parent if held.kind != "function_declaration" else held
        is_inside = outer is not None and any(it.kind in FUNCTIONS for it in outer.above())
        if used[word] == times[word] and is_inside:
            yield held


def _constants(source: SourceText) -> dict[str, str]:
    """Names of `const x = 5`, unless the name means something else elsewhere."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for node in source.of_kind("variable_declarator"):
        name, value = node.child("name"), node.child("value")
        if name is None or name.kind != "identifier":
            continue
        kind = node.parent.child("kind") if node.parent else None
        is_const = kind is not None and kind.text == "const" and name.text not in found
        if is_const and value is not None and value.kind in VALUES:
            found[name.text] = value.code
        else:
            others.add(name.text)
    for node in source.of_kind("required_parameter", "formal_parameters", "arrow_function"):
        others.update(part.text for part in node.children if part.kind == "identifier")
    return {name: value for name, value in found.items() if name not in others}
