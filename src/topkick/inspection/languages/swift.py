"""Reads a Swift file by its syntax tree."""

import re
from collections import Counter
from collections.abc import Iterator

import tree_sitter_swift

from topkick.inspection.inventory import Function, Inventory, Mark, TestCase
from topkick.inspection.languages.common.conditions import conditions
from topkick.inspection.languages.common.reach import Dead, dead
from topkick.inspection.languages.common.stubs import Stub, stub, uses_none
from topkick.inspection.languages.common.suppressions import suppressions
from topkick.inspection.languages.common.syntax import Grammar, Node, SourceText, parsed
from topkick.inspection.languages.common.testfiles import is_test_file
from topkick.inspection.languages.common.tokens import Token
from topkick.inspection.languages.common.truth import always, arguments, code, is_constant, is_same
from topkick.inspection.languages.plain import read_brokenly

# --- The tests in a Swift file: methods of XCTestCase classes, and functions with `@Test`.

CLASSES = ("TestCase", "Tests", "Test", "Spec")
ASSERTION = re.compile(
    r"\w*XCT\w*Assert\w*|XCTFail|XCTUnwrap|Async\w*Assert\w*|(?:assert|verify|expect)\w*|"
    r"Issue\.record|fail|confirmation"
)
ASKED = ("condition", "bound_identifier")
SKIPPING = ("XCTSkip", "XCTSkipIf", "XCTSkipUnless", "XCTExpectFailure", "withKnownIssue")


def test_classes(source: SourceText) -> frozenset[str]:
    found = set()
    for node in source.of_kind("class_declaration"):
        name = node.child("name")
        parents = [it.code for it in node.children if it.kind == "inheritance_specifier"]
        is_one = any(it.endswith(CLASSES) for it in parents)
        is_extension = any(
            it.text == "extension" for it in node.children if it.role == "declaration_kind"
        )
        if name is not None and (is_one or (is_extension and name.text.endswith("Tests"))):
            found.add(name.code)
    return frozenset(found)


def owners(node: Node) -> list[str]:
    names = [
        held.code
        for outer in node.above()
        if outer.kind in ("class_declaration", "protocol_declaration")
        and (held := outer.child("name")) is not None
    ]
    return names[::-1]


def attributes(node: Node) -> list[Node]:
    modifiers = next((it for it in node.children if it.kind == "modifiers"), None)
    return [it for it in modifiers.children if it.kind == "attribute"] if modifiers else []


def is_test(node: Node, classes: frozenset[str]) -> bool:
    if any(re.match(r"@Test\b", it.code) for it in attributes(node)):
        return True
    name = next((it.text for it in node.children if it.role == "name"), "")
    has_parameters = any(it.kind == "parameter" for it in node.children)
    is_private = any(
        it.kind == "modifiers" and re.search(r"\b(?:private|fileprivate|static)\b", it.text)
        for it in node.children
    )
    is_method = node.kind == "function_declaration" and bool(
        classes.intersection(owners(node)[-1:])
    )
    return is_method and name.startswith("test") and not has_parameters and not is_private


def cases(source: SourceText, classes: frozenset[str]) -> tuple[TestCase, ...]:
    functions = list(source.of_kind("function_declaration"))
    gone = dead(
        source,
        frozenset(("statements",)),
        _ends,
        _never_run(source),
        frozenset(("function_declaration",)),
    )
    others = [it for it in functions if not is_test(it, classes)]
    defined = {_name(it) for it in others}
    checking = {
        _name(it)
        for it in others
        if any(not hollow for _, hollow in _checks(it, gone, set(), set()))
    }
    return tuple(_case(it, gone, checking, defined) for it in functions if is_test(it, classes))


def _name(node: Node) -> str:
    return next((it.text for it in node.children if it.role == "name"), "")


def _ends(node: Node) -> bool:
    if node.kind == "control_transfer_statement":
        return True
    inside = node
    if node.kind == "try_expression" and node.children:
        inside = node.children[-1]
    if inside.kind != "call_expression" or not inside.children:
        return False
    return inside.children[0].code in ("fatalError", "exit", "preconditionFailure")


def _never_run(source: SourceText) -> Iterator[Node]:
    for node in source.of_kind("if_statement", "while_statement"):
        condition = node.child("condition")
        if condition is None or always(list(condition.tokens())) is not False:
            continue
        block = next((it for it in node.children if it.kind == "statements"), None)
        if block is not None:
            yield block
    yield from _never_called(source)


def _never_called(source: SourceText) -> Iterator[Node]:
    """Closures and functions inside of functions whose names stand nowhere but where they are
    given."""
    used = Counter(node.text for node in source.of_kind("simple_identifier"))
    given: list[tuple[str, Node, Node]] = []
    for node in source.of_kind("property_declaration", "function_declaration"):
        name, value = node.child("name"), node.child("value")
        is_closure = value is not None and value.kind == "lambda_literal"
        if name is not None and (is_closure or node.kind == "function_declaration"):
            given.append((name.text, node, value or node))
    times = Counter(word for word, _, _ in given)
    for word, node, held in given:
        is_inside = any(it.kind == "function_declaration" for it in node.above())
        if used[word] == times[word] and is_inside:
            yield held


def _case(node: Node, gone: Dead, checking: set[str], defined: set[str]) -> TestCase:
    assertions: list[str] = []
    hollow = 0
    for text, is_hollow in _checks(node, gone, checking, defined):
        hollow += is_hollow
        if not is_hollow:
            assertions.append(text)
    skip, skip_if = _skip(node, gone)
    body = node.child("body")
    return TestCase(
        name="::".join([*owners(node), _name(node)]),
        line=node.line,
        assertions=tuple(assertions),
        hollow=hollow,
        skip=skip,
        skip_if=skip_if,
        essence=body.code if body else "",
    )


def _calls(node: Node) -> Iterator[tuple[Node, str, list[list[Token]]]]:
    for part in node.below():
        if part.kind == "call_expression" and part.children:
            name = part.children[0].short
        elif part.kind == "macro_invocation" and len(part.children) > 1:
            name = f"#{part.children[1].text}"
        else:
            continue
        suffix = next((it for it in part.children if it.kind == "call_suffix"), None)
        held = (
            next((it for it in suffix.children if it.kind == "value_arguments"), None)
            if suffix
            else None
        )
        yield part, name, arguments(held)


def _checks(
    node: Node, gone: Dead, checking: set[str], defined: set[str]
) -> Iterator[tuple[str, bool]]:
    constants = _constants(node)
    for part, name, held in _calls(node):
        word = name.removeprefix("self.")
        if word in defined:
            if word in checking:
                yield part.code, gone.holds(part)
            continue
        if name not in ("#expect", "#require") and not ASSERTION.fullmatch(word):
            continue
        text = (
            _condition(part, node, name)
            if name in ("XCTFail", "Issue.record")
            else _text(name, held)
        )
        yield text, gone.holds(part) or _is_hollow(name, held, constants)


def _text(name: str, held: list[list[Token]]) -> str:
    is_pair = re.search(r"Equal|Greater|Less|Identical", name) is not None
    most = 2 if is_pair else 1 if name.startswith(("XCT", "#")) else len(held)
    kept = [code(it) for at, it in enumerate(held) if at < most or code(it).startswith("accuracy:")]
    return f"{name}({','.join(kept)})"


def _condition(part: Node, top: Node, name: str) -> str:
    for outer in part.above():
        if outer is top:
            break
        if outer.kind in ("if_statement", "guard_statement"):
            held = code(
                [token for it in outer.children if it.role in ASKED for token in it.tokens()]
            )
            return f"{outer.kind.partition('_')[0]} {held}: {name}"
        if outer.kind in ("catch_block", "switch_entry"):
            return f"{outer.kind.partition('_')[0]}: {name}"
    return name


def _constants(node: Node) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in node.below():
        if part.kind != "property_declaration" or not part.code.startswith("let "):
            continue
        name, value = part.child("name"), part.child("value")
        if name and value and is_constant(list(value.tokens())):
            found[name.code] = value.code
    return found


def _is_hollow(name: str, held: list[list[Token]], constants: dict[str, str]) -> bool:
    if not held:
        return False
    first = held[0]
    if name in ("XCTAssertTrue", "XCTAssert", "#expect", "#require"):
        return always(first, constants) is True
    if name == "XCTAssertFalse":
        return always(first, constants) is False
    if name in ("XCTAssertNil", "XCTAssertNotNil", "XCTUnwrap"):
        return is_constant(first, constants)
    if name.startswith("XCTAssertEqual") and len(held) > 1:
        return is_same(first, held[1], constants)
    return (
        name.startswith("XCTAssert")
        and len(held) > 1
        and all(is_constant(it, constants) for it in held[:2])
    )


def _skip(node: Node, gone: Dead) -> tuple[str, str]:
    texts = [it.code for outer in (node, *node.above()) for it in attributes(outer)]
    for text in texts:
        if found := re.search(r"\.disabled\((?:if:([^,)]*))?", text):
            return ".disabled", found[1] or ""
    found_if = ("", "")
    for text in texts:
        if found := re.search(r"\.enabled\(if:([^,)]*)", text):
            found_if = (".enabled", f"not {found[1]}")
        elif text.startswith("@available"):
            found_if = ("@available", text)
    for part, name, held in _calls(node):
        if name not in SKIPPING or gone.holds(part):
            continue
        condition = _skip_condition(part, node, name, held)
        if not condition:
            return name, ""
        found_if = (name, condition)
    return found_if


def _skip_condition(part: Node, top: Node, name: str, held: list[list[Token]]) -> str:
    if name in ("XCTSkipIf", "XCTSkipUnless") and held:
        truth = always(held[0])
        if truth is (name == "XCTSkipIf"):
            return ""
        return code(held[0]) if name == "XCTSkipIf" else f"not {code(held[0])}"
    for outer in part.above():
        if outer is top:
            return ""
        if outer.kind in ("if_statement", "guard_statement"):
            return code(
                [token for it in outer.children if it.role in ASKED for token in it.tokens()]
            )
        if outer.kind in ("catch_block", "switch_entry"):
            return outer.kind
    return ""


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


def _functions(source: SourceText, classes: frozenset[str]) -> Iterator[Function]:
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


def _patches(source: SourceText, is_tests: bool, classes: frozenset[str]) -> Iterator[Mark]:
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


def _endings(source: SourceText, path: str, is_tests: bool) -> Iterator[Mark]:
    """A program may end itself; what it is made of may not."""
    is_program = path.endswith(("main.swift", "CLI.swift")) or b"@main" in source.data
    if is_tests or is_program or b"AsyncParsableCommand" in source.data:
        return
    for node in source.of_kind("call_expression"):
        if node.end - node.start < 60 and EXITS.fullmatch(node.code):
            yield Mark(node.line, node.code, "exit")
