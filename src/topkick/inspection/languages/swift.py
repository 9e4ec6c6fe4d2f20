"""Reads a Swift file by its syntax tree."""

import re
from collections.abc import Iterator

import tree_sitter_swift

from topkick.inspection.inventory import Function, Inventory, Mark
from topkick.inspection.languages.conditions import conditions
from topkick.inspection.languages.plain import read_brokenly
from topkick.inspection.languages.stubs import Stub, stub, uses_none
from topkick.inspection.languages.suppressions import suppressions
from topkick.inspection.languages.swift_cases import cases, is_test, owners, test_classes
from topkick.inspection.languages.syntax import Grammar, Node, Source, parsed
from topkick.inspection.languages.testfiles import is_test_file

SWIFT = Grammar(
    "swift",
    tree_sitter_swift.language,
    frozenset(("comment", "multiline_comment")),
    frozenset(("line_string_literal", "multi_line_string_literal", "raw_string_literal")),
)
SWITCHED_OFF = re.compile(r"^[ \t]*#if[ \t]+(?:false|0|NEVER\w*|DISABLED\w*)\b[^\n]*", re.MULTILINE)
OVERRIDDEN = frozenset(
    (
        "invokeTest",
        "run",
        "perform",
        "record",
        "recordFailure",
        "defaultTestSuite",
        "testInvocations",
    )
)
OWN_ASSERTION = re.compile(
    r"XCT(?:Fail|Unwrap|Assert(?:True|False|(?:Not)?(?:Equal|Nil|Identical)|ThrowsError|NoThrow"
    r"|(?:Greater|Less)Than(?:OrEqual)?)?)"
)
EXITS = re.compile(r"(?:(?:Darwin|Foundation|Glibc)\.)?_?exit\((?:0|EXIT_SUCCESS)\)")
SWIZZLING = re.compile(
    r"method_exchangeImplementations|method_setImplementation|class_replaceMethod|"
    r"XCTestObservationCenter.*addTestObserver"
)


def read_swift(path: str, text: str) -> Inventory:
    source = parsed(SWIFT, text)
    if source is None:
        return read_brokenly("swift", text)
    classes = test_classes(source)
    is_tests = is_test_file(path) or bool(classes)
    return Inventory(
        language="swift",
        cases=cases(source, classes),
        functions=tuple(_functions(source, classes)),
        whole_skips=tuple(_whole_skips(text)),
        suppressions=suppressions(source.comments()),
        conditions=conditions(source.root.tokens(), path),
        patches=(*_patches(source, is_tests, classes), *_endings(source, path, is_tests)),
        essence=source.root.code,
        broken=source.has_error,
    )


def _whole_skips(text: str) -> Iterator[Mark]:
    line, at = 1, 0
    for found in SWITCHED_OFF.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        yield Mark(line, found[0].strip(), "#if")


def _functions(source: Source, classes: frozenset[str]) -> Iterator[Function]:
    for node in source.of_kind("function_declaration", "protocol_function_declaration"):
        is_inside = any(it.kind == "function_declaration" for it in node.above())
        if is_inside or is_test(node, classes):
            continue
        body = node.child("body")
        names = _parameters(node)
        found = stub(statements(body), names, last_is_value=True) if body else Stub()
        name = next((it.text for it in node.children if it.role == "name"), "")
        yield Function(
            name=".".join([*owners(node), name]),
            line=node.line,
            stub=found.text,
            loud=found.loud,
            unused=uses_none(body, names),
            is_abstract=body is None,
        )


def statements(body: Node | None) -> list[Node]:
    held = next((it for it in body.children if it.kind == "statements"), None) if body else None
    return (
        [it for it in held.children if "comment" not in it.kind and it.kind != ";"] if held else []
    )


def _parameters(node: Node) -> list[str]:
    given = [it for it in node.children if it.kind == "parameter"]
    names = (it.child("name") for it in given)
    return [name.text for name in names if name is not None and name.text != "_"]


def _patches(source: Source, is_tests: bool, classes: frozenset[str]) -> Iterator[Mark]:
    for node in source.of_kind("call_expression"):
        name = node.children[0].short if node.children else ""
        if name in ("exit", "_exit", "Darwin.exit", "Foundation.exit", "abort") and is_tests:
            yield Mark(node.line, node.code[:160], name)
        elif SWIZZLING.match(name) or "addTestObserver" in name:
            yield Mark(node.line, node.code[:160], name[:60])
    for node in source.of_kind("class_declaration"):
        if any(
            "XCTestObservation" in it.text
            for it in node.children
            if it.kind == "inheritance_specifier"
        ):
            yield Mark(node.line, "XCTestObservation", "XCTestObservation")
    for node in source.of_kind("function_declaration", "property_declaration"):
        name = next((it.text for it in node.children if it.role == "name"), "")
        if OWN_ASSERTION.fullmatch(name):
            yield Mark(node.line, f"func {name}", name)
        elif (
            name in OVERRIDDEN
            and "override" in node.text[:200]
            and classes.intersection(owners(node))
        ):
            yield Mark(node.line, f"override {name}", name)


def _endings(source: Source, path: str, is_tests: bool) -> Iterator[Mark]:
    """A program may end itself; what it is made of may not."""
    is_program = path.endswith(("main.swift", "CLI.swift")) or b"@main" in source.data
    if is_tests or is_program or b"AsyncParsableCommand" in source.data:
        return
    for node in source.of_kind("call_expression"):
        if node.end - node.start < 60 and EXITS.fullmatch(node.code):
            yield Mark(node.line, node.code, "exit")
