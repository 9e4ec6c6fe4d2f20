"""Reads a Go file by its syntax tree."""

import re
from collections.abc import Iterator

import tree_sitter_go

from topkick.inspection.inventory import Function, Inventory, Mark
from topkick.inspection.languages.conditions import conditions
from topkick.inspection.languages.go_cases import cases, is_case
from topkick.inspection.languages.plain import read_brokenly
from topkick.inspection.languages.stubs import stub, uses_none
from topkick.inspection.languages.suppressions import suppressions
from topkick.inspection.languages.syntax import Grammar, Node, Source, parsed

GO = Grammar(
    "go",
    tree_sitter_go.language,
    frozenset(("comment",)),
    frozenset(("interpreted_string_literal", "raw_string_literal", "rune_literal")),
)
CONSTRAINT = re.compile(r"^//\s*(?:go:build|\+build)\s")


def read_go(path: str, text: str) -> Inventory:
    source = parsed(GO, text)
    if source is None:
        return read_brokenly("go", text)
    is_tests = path.endswith("_test.go")
    package = next((node.line for node in source.of_kind("package_clause")), 0)
    return Inventory(
        language="go",
        cases=cases(source) if is_tests else (),
        functions=tuple(_functions(source, is_tests)),
        whole_skips=tuple(_constraints(source, package)),
        suppressions=suppressions(source.comments(), package),
        conditions=conditions(source.root.tokens(), path),
        patches=tuple(_patches(source, is_tests)),
        essence=source.root.code,
        broken=source.has_error,
    )


def _constraints(source: Source, package: int) -> Iterator[Mark]:
    for comment in source.comments():
        if comment.line < package and CONSTRAINT.match(comment.text):
            yield Mark(comment.line, comment.text.strip(), "build constraint")


def _functions(source: Source, is_tests: bool) -> Iterator[Function]:
    for node in source.of_kind("function_declaration", "method_declaration", "method_elem"):
        if is_tests and is_case(node):
            continue
        body = node.child("body")
        names = parameters(node)
        found = stub(statements(body), names) if body is not None else None
        yield Function(
            name=full_name(node),
            line=node.line,
            stub=found.text if found else "",
            loud=bool(found and found.loud),
            unused=uses_none(body, names),
            is_abstract=body is None,
        )


def full_name(node: Node) -> str:
    name = node.child("name")
    owner = receiver(node) or _interface(node)
    return f"{owner}.{name.text if name else ''}" if owner else name.text if name else ""


def receiver(node: Node) -> str:
    held = node.child("receiver")
    types = [it.text for it in held.below() if it.kind == "type_identifier"] if held else []
    return types[0] if types else ""


def _interface(node: Node) -> str:
    if node.kind != "method_elem":
        return ""
    spec = next((it for it in node.above() if it.kind == "type_spec"), None)
    name = spec.child("name") if spec else None
    return name.text if name else ""


def parameters(node: Node) -> list[str]:
    held = node.child("parameters")
    if held is None:
        return []
    names = [it.text for it in held.below() if it.role == "name" and it.kind == "identifier"]
    return [name for name in names if name != "_"]


def statements(body: Node | None) -> list[Node]:
    if body is None:
        return []
    held = next((it for it in body.children if it.kind == "statement_list"), body)
    return [it for it in held.children if it.kind not in ("{", "}", "comment", "\n", ";")]


def _patches(source: Source, is_tests: bool) -> Iterator[Mark]:
    for node in source.of_kind("function_declaration"):
        name = full_name(node)
        if not is_tests and name != "init":
            continue
        body = node.child("body")
        code = body.code if body else ""
        if name == "TestMain" and ".Run()" not in code:
            yield Mark(node.line, "TestMain runs no tests", "TestMain")
    package = next((it.code for it in source.of_kind("package_clause")), "")
    for call in source.of_kind("call_expression"):
        yield from _ending(call, is_tests, package == "package main")
    if is_tests:
        for node in source.of_kind("assignment_statement"):
            if re.match(r"testing\.\w+=|os\.Args=", node.code):
                yield Mark(node.line, node.code[:160], node.code.partition("=")[0])


def _ending(call: Node, is_tests: bool, is_program: bool) -> Iterator[Mark]:
    function = call.child("function")
    if function is None or function.text not in ("os.Exit", "flag.Set", "syscall.Exit"):
        return
    code = call.code
    inside = next((it for it in call.above() if it.kind == "function_declaration"), None)
    in_init = inside is not None and full_name(inside) == "init"
    if re.fullmatch(r"(?:os|syscall)\.Exit\(0\)", code) and (is_tests or in_init or not is_program):
        yield Mark(call.line, code, "os.Exit")
    elif is_tests and code.startswith('flag.Set("test.'):
        yield Mark(call.line, code, "flag.Set")
