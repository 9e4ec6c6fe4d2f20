"""Reads a Go file by its syntax tree."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_go

from topkick.inspection.inventory import Function, Inventory, Mark, TestCase
from topkick.inspection.languages.common.conditions import conditions
from topkick.inspection.languages.common.reach import Dead
from topkick.inspection.languages.common.reach import dead as reach_dead
from topkick.inspection.languages.common.stubs import stub, uses_none
from topkick.inspection.languages.common.suppressions import suppressions
from topkick.inspection.languages.common.syntax import (
    LONGEST_NAME,
    Grammar,
    Node,
    SourceText,
    parsed,
)
from topkick.inspection.languages.common.tokens import Token
from topkick.inspection.languages.common.truth import always, arguments, is_constant, is_same
from topkick.inspection.languages.common.truth import code as truth_code
from topkick.inspection.languages.plain import read_brokenly

# --- The tests in a Go file: `TestX`, benchmarks, fuzz tests, examples and suites' methods.

CASE = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])\w*")
FAILING = frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))
SKIPPING = frozenset(("Skip", "Skipf", "SkipNow"))
PACKAGES = frozenset(
    ("assert", "require", "is", "qt", "td", "check", "must", "snaps", "golden", "autogold",
     "cupaloy", "expect", "assertions", "iotest", "fstest")
)  # fmt: skip
SUITE_WORDS = re.compile(
    r"(?:Not|No)?(?:Equal\w*|True|False|Nil|Error\w*|Contains|Len|Empty|ElementsMatch|JSONEq|YAMLEq"
    r"|Panics\w*|Greater\w*|Less\w*|Zero|Same|Subset|Regexp|InDelta\w*|InEpsilon|WithinDuration"
    r"|IsType|Implements|FileExists|DirExists|Eventually|Never|Condition|Fail|FailNow|Exactly|"
    r"Positive|Negative)f?"
)
CHECKING = re.compile(
    r"(?i)(?:\w+\.)?(?:assert|check|verify|require|must|expect|compare|ensure|want|diff|"
    r"validate)\w*"
)
GOMEGA = re.compile(r"(?:Expect|Eventually|Consistently|Ω)\b")


@dataclass(frozen=True, slots=True)
class GoNames:
    """What the whole file tells about its names."""

    testers: frozenset[str]
    checking: frozenset[str]
    defined: frozenset[str]
    dead: Dead


def is_case(node: Node) -> bool:
    name = node.child("name")
    if name is None or not CASE.fullmatch(name.text) or name.text == "TestMain":
        return False
    return node.kind in ("function_declaration", "method_declaration")


def cases(source: SourceText) -> tuple[TestCase, ...]:
    world = _world(source)
    found = source.of_kind("function_declaration", "method_declaration")
    return tuple(_case(node, world) for node in found if is_case(node))


def _world(source: SourceText) -> GoNames:
    functions = list(source.of_kind("function_declaration", "method_declaration"))
    others = [it for it in functions if not is_case(it)]
    names = frozenset(it.text for node in others if (it := node.child("name")))
    gone = reach_dead(source, frozenset(("statement_list",)), _ends, _never_called(source))
    start = GoNames(_testers(source), frozenset(), names, gone)
    checking = set()
    for node in others:
        name = node.child("name")
        if name is not None and any(not hollow for _, hollow in _checks(node, start)):
            checking.add(name.text)
    return GoNames(start.testers, frozenset(checking), names, gone)


def _never_called(source: SourceText) -> Iterator[Node]:
    """`_ = func() {…}`, and `later := func() {…}` with no more than `_ = later`."""
    used = Counter(node.text for node in source.of_kind("identifier"))
    dropped: Counter[str] = Counter()
    given: list[tuple[str, Node]] = []
    for node in source.of_kind("assignment_statement", "short_var_declaration"):
        left, right = node.child("left"), node.child("right")
        held = right.children[0] if right is not None and len(right.children) == 1 else None
        if left is None or held is None or left.end - left.start > LONGEST_NAME:
            continue
        if held.kind == "func_literal":
            given.append((left.text, held))
        elif left.text == "_" and held.kind == "identifier":
            dropped[held.text] += 1
    times = Counter(word for word, _ in given)
    for word, held in given:
        if word == "_" or used[word] == times[word] + dropped[word]:
            yield held


def _testers(source: SourceText) -> frozenset[str]:
    """Names that stand for `*testing.T` and for what testify makes of it."""
    found = {"t"}
    for node in source.of_kind("parameter_declaration"):
        kind = node.child("type")
        if kind is not None and re.search(r"\btesting\.|\b[TB]B?$", kind.text):
            found.update(it.text for it in node.children if it.role == "name")
    for node in source.of_kind("short_var_declaration"):
        right = node.child("right")
        left = node.child("left")
        if (
            left
            and right
            and re.match(r"(?:assert|require|is|qt)\.New\(|NewWithT\(|NewGomegaWithT\(", right.text)
        ):
            found.add(left.text)
    return frozenset(found)


def _ends(node: Node) -> bool:
    if node.kind in ("return_statement", "continue_statement", "break_statement", "goto_statement"):
        return True
    if node.kind != "expression_statement" or not node.children:
        return False
    function = node.children[0].child("function")
    if function is None:
        return False
    word = function.text.rpartition(".")[2]
    is_method = "." in function.text
    return function.text in ("panic", "os.Exit") or (
        is_method and word in (SKIPPING | {"Fatal", "Fatalf", "FailNow", "Goexit"})
    )


def _case(node: Node, world: GoNames) -> TestCase:
    name = node.child("name")
    assertions: list[str] = []
    hollow = 0
    for text, is_hollow in _checks(node, world):
        if is_hollow:
            hollow += 1
        else:
            assertions.append(text)
    assertions.extend(_output(node))
    skip, skip_if = _skip(node, world)
    body = node.child("body")
    owner = _owner(node)
    title = name.text if name else ""
    return TestCase(
        name=f"{owner}::{title}" if owner else title,
        line=node.line,
        assertions=tuple(assertions),
        hollow=hollow,
        skip=skip,
        skip_if=skip_if,
        essence=body.code if body else "",
    )


def _owner(node: Node) -> str:
    held = node.child("receiver")
    types = [it.text for it in held.below() if it.kind == "type_identifier"] if held else []
    return types[0] if types else ""


def _output(node: Node) -> Iterator[str]:
    """An example is checked by the comment that says what it prints."""
    for part in node.below():
        if part.kind == "comment" and re.match(r"//\s*(?:Unordered )?[Oo]utput:", part.text):
            yield re.sub(r"\s+", " ", part.text)


def _calls(node: Node) -> Iterator[tuple[Node, str]]:
    for part in node.below():
        if part.kind == "call_expression" and (function := part.child("function")) is not None:
            yield part, function.short


def _checks(node: Node, world: GoNames) -> Iterator[tuple[str, bool]]:
    constants = _constants(node)
    receiver = _receiver_name(node)
    for call, function in _calls(node):
        held = arguments(call.child("arguments"))
        kind = _kind(function, held, world, receiver)
        if not kind:
            continue
        condition, tokens = _condition(call, node)
        is_hollow = world.dead.holds(call) or (bool(tokens) and _is_never(tokens, constants))
        if kind == "fail":
            yield (f"if {condition}: {function}" if condition else function), is_hollow
        else:
            yield call.code, is_hollow or _is_hollow(function, held, constants)


def _receiver_name(node: Node) -> str:
    held = node.child("receiver")
    names = [it.text for it in held.below() if it.role == "name"] if held else []
    return names[0] if names else ""


def _kind(function: str, held: list[list[Token]], world: GoNames, receiver: str) -> str:
    owner, _, word = function.rpartition(".")
    if owner in world.testers and word in FAILING:
        return "fail"
    if owner in PACKAGES or (owner in world.testers and SUITE_WORDS.fullmatch(word)):
        return "" if word == "New" else "check"
    if receiver and re.match(rf"{receiver}(?:\.(?:Require|Assert)\(\))?\.", function):
        return "check" if SUITE_WORDS.fullmatch(word) else ""
    if GOMEGA.match(function):
        return "check" if "." in function else ""
    if word in world.defined:
        return "check" if word in world.checking else ""
    takes_tester = bool(held) and truth_code(held[0]) in world.testers
    return "check" if takes_tester and CHECKING.fullmatch(function) else ""


def _condition(call: Node, top: Node) -> tuple[str, list[Token]]:
    """The nearest `if` or `case` around a failure, as text and as tokens."""
    below = call
    for node in call.above():
        if node is top:
            break
        if node.kind == "if_statement" and (held := node.child("condition")) is not None:
            first = node.child("initializer")
            text = f"{first.code};{held.code}" if first else held.code
            if below.role == "alternative":
                return f"not {text}", []
            return text, list(held.tokens())
        if node.kind in ("expression_case", "type_case", "default_case"):
            return node.code.partition(":")[0], []
        below = node
    return "", []


def _is_never(tokens: list[Token], constants: dict[str, str]) -> bool:
    truth = always(tokens, constants)
    return truth is False


def _constants(node: Node) -> dict[str, str]:
    """Names that are set once, to a written value."""
    bound: dict[str, int] = {}
    values: dict[str, str] = {}
    for part in node.below():
        if part.kind not in ("short_var_declaration", "assignment_statement", "inc_statement"):
            continue
        left, right = part.child("left") or part, part.child("right")
        for it in left.below():
            if it.kind == "identifier":
                bound[it.text] = bound.get(it.text, 0) + 1
        if right is not None and len(left.children) == 1 and is_constant(list(right.tokens())):
            values[left.text] = right.code
    return {name: value for name, value in values.items() if bound.get(name) == 1}


def _is_hollow(function: str, held: list[list[Token]], constants: dict[str, str]) -> bool:
    word = function.rpartition(".")[2].removesuffix("f")
    given = [it for it in held if truth_code(it) not in ("t", "b", "tb")]
    if word in ("True", "Truef") and given:
        return always(given[0], constants) is True
    if word == "False" and given:
        return always(given[0], constants) is False
    if word in ("Nil", "NoError", "NotNil", "Zero", "Empty") and given:
        return is_constant(given[0], constants)
    if word.startswith(("Equal", "Exactly", "Same")) and len(given) > 1:
        return is_same(given[0], given[1], constants)
    return False


def _skip(node: Node, world: GoNames) -> tuple[str, str]:
    found = ("", "")
    for call, function in _calls(node):
        owner, _, word = function.rpartition(".")
        is_skip = word in SKIPPING and (owner in world.testers or owner.endswith(".T()"))
        if not is_skip or world.dead.holds(call):
            continue
        condition, tokens = _condition(call, node)
        if tokens and always(tokens) is True:
            condition = ""
        if not condition and (inside := _subtest(call, node)):
            condition = f"in {inside}"
        if not condition:
            return f"{function}()", ""
        found = found if found[0] else (f"{function}()", condition)
    return found


def _subtest(call: Node, top: Node) -> str:
    for node in call.above():
        if node is top:
            return ""
        if node.kind == "func_literal":
            outer = next((it for it in node.above() if it.kind == "call_expression"), None)
            return outer.code.partition(",func")[0][:80] if outer else "a function"
    return ""


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


def _constraints(source: SourceText, package: int) -> Iterator[Mark]:
    for comment in source.comments():
        if comment.line < package and CONSTRAINT.match(comment.text):
            yield Mark(comment.line, comment.text.strip(), "build constraint")


def _functions(source: SourceText, is_tests: bool) -> Iterator[Function]:
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


def _patches(source: SourceText, is_tests: bool) -> Iterator[Mark]:
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
