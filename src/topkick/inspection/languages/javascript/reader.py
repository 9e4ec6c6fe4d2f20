"""Reads a JavaScript or TypeScript file by its syntax tree."""

import re
from collections.abc import Iterator

import tree_sitter_javascript
import tree_sitter_typescript

from topkick.inspection.inventory import Function, Inventory, Mark
from topkick.inspection.languages.common.conditions import conditions
from topkick.inspection.languages.common.stubs import Stub, stub, uses_none
from topkick.inspection.languages.common.suppressions import suppressions
from topkick.inspection.languages.common.syntax import Grammar, Node, SourceText, parsed
from topkick.inspection.languages.common.testfiles import is_test_file
from topkick.inspection.languages.javascript.cases import cases, endings
from topkick.inspection.languages.plain import read_brokenly

COMMENTS = frozenset(("comment", "html_comment", "hash_bang_line"))
STRINGS = frozenset(("string", "template_string", "regex"))
JAVASCRIPT = Grammar("javascript", tree_sitter_javascript.language, COMMENTS, STRINGS)
TYPESCRIPT = Grammar("typescript", tree_sitter_typescript.language_typescript, COMMENTS, STRINGS)
TSX = Grammar("typescript", tree_sitter_typescript.language_tsx, COMMENTS, STRINGS)
NAMED = (
    "function_declaration", "generator_function_declaration", "method_definition",
    "abstract_method_signature", "function_signature", "method_signature", "variable_declarator",
    "public_field_definition", "field_definition",
)  # fmt: skip
FUNCTIONS = frozenset(
    ("arrow_function", "function_expression", "function_declaration", "method_definition",
     "generator_function", "generator_function_declaration", "function")
)  # fmt: skip
OWNERS = ("class_declaration", "class", "abstract_class_declaration", "interface_declaration")
GLOBALS = re.compile(
    r"(?:global|globalThis|window|self)\.(?:expect|test|it|describe|jest|vi|assert|process|"
    r"beforeEach|afterEach|suite|xit|xtest)"
    r"|process\.(?:exit|exitCode|reallyExit|abort|kill)|(?:expect|test|it|describe|jest|vi|"
    r"assert)(?:\.\w+)+"
    r"|(?:require\.cache|Module)(?:\.\w+|\[.*\])+|(?:jasmine|mocha|Mocha|Runner)(?:\.\w+)+|"
    r"Object\.is|console\.assert"
)
HARMLESS = re.compile(r"(?:describe|it|test|jest|vi)\.(?:each|timeout|slow|config|use|setTimeout)")
CALLED = frozenset(
    ("expect.extend", "process.exit", "process.on", "process.once", "Object.defineProperty",
     "Reflect.set", "Object.assign")
)  # fmt: skip
ENDING = re.compile(
    r"process\.on(?:ce)?\(['\"](?:exit|beforeExit|uncaughtException|unhandledRejection)['\"]"
)
REPLACED = re.compile(
    r"[\w.]+\((?:(?:globalThis|global|window),['\"](?:expect|test|it|describe)['\"]"
    r"|process,['\"]exit|expect,)"
)
MATCHERS = re.compile(
    r"\b(to(?:Be|Equal|StrictEqual|Match|MatchObject|MatchSnapshot|MatchInlineSnapshot|Throw|"
    r"ThrowError|Contain|ContainEqual|HaveLength"
    r"|HaveProperty|HaveBeenCalled|HaveBeenCalledWith|HaveBeenCalledTimes|BeTruthy|BeFalsy|"
    r"BeNull|BeUndefined|BeDefined|BeCloseTo"
    r"|BeGreaterThan|BeLessThan|BeInstanceOf|BeNaN))(?=[(:]|,|\})"
)


def read_javascript(path: str, text: str) -> Inventory:
    grammar = _grammar(path)
    source = parsed(grammar, text)
    if source is None:
        return read_brokenly(grammar.name, text)
    is_tests = is_test_file(path)
    return Inventory(
        language=grammar.name,
        cases=cases(source),
        functions=tuple(_functions(source, path.endswith(".d.ts"))),
        suppressions=suppressions(source.comments()),
        conditions=conditions(source.root.tokens(), path),
        patches=tuple(
            dict.fromkeys((*_patches(source, is_tests), *endings(source, path, is_tests)))
        ),
        essence=source.root.code,
        broken=source.has_error,
    )


def _grammar(path: str) -> Grammar:
    ending = path.rpartition(".")[2].lower()
    if ending == "tsx":
        return TSX
    return TYPESCRIPT if ending in ("ts", "mts", "cts") else JAVASCRIPT


def _functions(source: SourceText, is_declaration: bool) -> Iterator[Function]:
    for node in source.of_kind(*NAMED):
        held = node.child("value") if node.kind.endswith(("declarator", "_definition")) else node
        held = node if node.kind == "method_definition" else held
        if held is None or (held is not node and held.kind not in FUNCTIONS):
            continue
        if any(it.kind in FUNCTIONS for it in node.above()):
            continue
        yield _function(node, held, is_declaration)


def _function(node: Node, held: Node, is_declaration: bool) -> Function:
    body = held.child("body")
    names = _parameters(held)
    found = _stub(held, body, names)
    name = next((it.text for it in node.children if it.role in ("name", "property")), "")
    return Function(
        name=".".join([*_owners(node), name]),
        line=node.line,
        stub=found.text,
        loud=found.loud,
        unused=uses_none(body, names),
        is_abstract=body is None or is_declaration,
    )


def _stub(held: Node, body: Node | None, names: list[str]) -> Stub:
    if body is None or _sets_fields(held):
        return Stub()
    if body.kind != "statement_block":
        return stub([body], names, last_is_value=True)
    skipped = ("{", "}", "comment", "empty_statement")
    return stub([it for it in body.children if it.kind not in skipped], names)


def _sets_fields(held: Node) -> bool:
    """`constructor(private name: string) {}` does all it should."""
    given = held.child("parameters")
    return given is not None and any(it.kind == "accessibility_modifier" for it in given.below())


def _parameters(held: Node) -> list[str]:
    given = held.child("parameters") or held.child("parameter")
    if given is None:
        return []
    if given.kind == "identifier":
        return [given.text]
    kinds = ("identifier", "shorthand_property_identifier_pattern")
    found = [it for it in given.below() if it.kind in kinds]
    return [it.text for it in found if it.text != "_" and it.role in ("pattern", "left", "")]


def _owners(node: Node) -> list[str]:
    held = (it.child("name") for it in node.above() if it.kind in OWNERS)
    return [it.text for it in held if it is not None][::-1]


def _patches(source: SourceText, is_tests: bool) -> Iterator[Mark]:
    for node in source.of_kind("assignment_expression", "augmented_assignment_expression"):
        left = node.child("left")
        code = left.code if left else ""
        if (
            GLOBALS.fullmatch(code)
            and not HARMLESS.fullmatch(code)
            and _is_patch(node, code, is_tests)
        ):
            yield Mark(node.line, node.code[:160], code[:60])
    for node in source.of_kind("call_expression"):
        yield from _called(node, is_tests)
    if is_tests:
        yield from _redefined(source)


def _is_patch(node: Node, code: str, is_tests: bool) -> bool:
    """A program may set its exit code; only a zero hides something there."""
    if code == "process.exitCode":
        right = node.child("right")
        return is_tests or (right is not None and right.text == "0" and _is_at_exit(node))
    return True


def _is_at_exit(node: Node) -> bool:
    calls = (it for it in node.above() if it.kind == "call_expression")
    return any(it.child("function") is not None and ENDING.match(it.code) for it in calls)


def _called(node: Node, is_tests: bool) -> Iterator[Mark]:
    function = node.child("function")
    name = function.short if function else ""
    if name not in CALLED:
        return
    code = node.code
    match name:
        case "expect.extend":
            found = MATCHERS.search(code)
            if found:
                yield Mark(node.line, code[:160], f"expect.extend {found[1]}")
        case "process.exit":
            if is_tests and code in ("process.exit(0)", "process.exit()"):
                yield Mark(node.line, code, name)
        case "process.on" | "process.once":
            is_hidden = is_tests or "exitCode" in code or "process.exit(0)" in code
            if is_hidden and ENDING.match(code):
                yield Mark(node.line, code[:160], name)
        case _:
            if REPLACED.match(code):
                yield Mark(node.line, code[:160], name)


def _redefined(source: SourceText) -> Iterator[Mark]:
    """`const expect = () => …` in a test file."""
    for node in source.of_kind("variable_declarator", "function_declaration"):
        name = node.child("name")
        if name is None or name.text not in ("expect", "test", "it", "describe", "assert"):
            continue
        value = node.child("value")
        is_own = node.kind == "function_declaration" or (
            value is not None and value.kind in FUNCTIONS | {"object", "new_expression", "class"}
        )
        if is_own and not any(it.kind in FUNCTIONS for it in node.above()):
            yield Mark(node.line, node.code[:160], name.text)
