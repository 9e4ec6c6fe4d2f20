"""Reads a Rust file by its syntax tree."""

import re
from collections.abc import Iterator

import tree_sitter_rust

from topkick.inspection.inventory import Function, Inventory, Mark
from topkick.inspection.languages.conditions import conditions
from topkick.inspection.languages.plain import read_brokenly
from topkick.inspection.languages.rust_cases import (
    attributes,
    cases,
    is_never,
    is_test,
    surroundings,
)
from topkick.inspection.languages.stubs import Stub, stub, uses_none
from topkick.inspection.languages.suppressions import suppressions
from topkick.inspection.languages.syntax import Grammar, Node, Source, parsed
from topkick.inspection.languages.testfiles import is_test_file

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


def _functions(source: Source) -> Iterator[Function]:
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


def _whole_skips(source: Source) -> Iterator[Mark]:
    for node in source.of_kind("inner_attribute_item"):
        is_cfg = re.match(r"#!\[cfg\((?!test\))", node.code)
        if is_cfg and node.parent is source.root:
            yield Mark(node.line, node.code, "cfg")
    for node in source.of_kind("function_item", "mod_item"):
        for attribute in attributes(node):
            if is_never(attribute.code) and (node.kind == "mod_item" or is_test(node)):
                yield Mark(attribute.line, attribute.code, "cfg")


def _silenced(source: Source) -> Iterator[Mark]:
    for node in source.of_kind("attribute_item", "inner_attribute_item"):
        code = node.code
        tool = "coverage" if UNCOVERED.search(code) else "clippy" if SILENCING.search(code) else ""
        if tool:
            is_whole = node.kind == "inner_attribute_item" and node.parent is source.root
            yield Mark(node.line, code[:160], f"{tool}-file" if is_whole else tool)


def _patches(source: Source, is_tests: bool, is_program: bool) -> Iterator[Mark]:
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
