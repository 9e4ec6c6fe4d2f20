"""The tests in a JavaScript file: `describe`, `it` and `test` of all the runners that have them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.inspection.inventory import Mark, TestCase
from topkick.inspection.languages.common.syntax import Node, SourceText
from topkick.inspection.languages.common.tokens import unquoted
from topkick.inspection.languages.common.truth import always
from topkick.inspection.languages.javascript.assertions import (
    JavascriptNames,
    checks,
    is_dead,
    world_of,
)

TESTS = frozenset(
    ("it", "test", "specify", "xit", "xtest", "xspecify", "fit", "ftest", "fspecify", "should")
)
GROUPS = frozenset(
    ("describe", "context", "suite", "xdescribe", "xcontext", "fdescribe", "fcontext")
)
MODIFIERS = frozenset(
    ("each", "concurrent", "sequential", "only", "skip", "todo", "failing", "fails", "skipIf",
     "runIf", "serial", "parallel", "for", "fixme", "slow", "fail", "if", "todoIf", "failingIf",
     "describe", "shuffle", "step", "extend", "before", "after")
)  # fmt: skip
SKIPS = (
    "skip",
    "todo",
    "failing",
    "fails",
    "fixme",
    "fail",
    "skipIf",
    "runIf",
    "if",
    "todoIf",
    "failingIf",
)
NO_CASES = frozenset(("step", "extend", "before", "after", "slow"))
FUNCTIONS = frozenset(("arrow_function", "function_expression", "function", "generator_function"))
BODY_SKIP = re.compile(
    r"(?:this|t|ctx|context|test|it|tap|assert|task)\.(?:skip|todo|fixme)|pending"
)


@dataclass(frozen=True, slots=True)
class Title:
    """What a call like `it.skip("adds", …)` says of the test or group that it begins."""

    is_group: bool
    name: str
    skip: str
    skip_if: str
    is_focused: bool
    node: Node


def cases(source: SourceText) -> tuple[TestCase, ...]:
    titles: dict[int, Title] = {}
    for node in source.of_kind("call_expression"):
        title = _title(node)
        if title is not None:
            titles[node.index] = title
    if not titles:
        return ()
    world = world_of(source)
    focus_in = _focused(titles)
    return tuple(
        _case(it, titles, world, it.node.index in focus_in)
        for it in titles.values()
        if _is_case(it, titles)
    )


def _is_case(title: Title, titles: dict[int, Title]) -> bool:
    """A test inside a test is part of it."""
    if title.is_group:
        return False
    return not any(
        it.index in titles and not titles[it.index].is_group for it in title.node.above()
    )


def _focused(titles: dict[int, Title]) -> frozenset[int]:
    return frozenset(
        index
        for index, title in titles.items()
        if title.is_focused
        or any(it.index in titles and titles[it.index].is_focused for it in title.node.above())
    )


def _title(node: Node) -> Title | None:
    names, condition = _words(node)
    if not names:
        return None
    base, rest = names[0], names[1:]
    if base in ("Deno", "QUnit", "Bun", "tap") and rest:
        base, rest = ("describe" if rest[0] == "module" else rest[0]), rest[1:]
    if base not in TESTS | GROUPS or not MODIFIERS.issuperset(rest) or NO_CASES.intersection(rest):
        return None
    held = _arguments(node)
    name = _name(held)
    if name is None:
        return None
    is_group = base in GROUPS or "describe" in rest
    if (
        not is_group
        and not _has_body(held)
        and not {"todo", "skip", "fixme"}.intersection(rest)
        and base[0] != "x"
    ):
        return None
    options, option_if, is_only = _options(held)
    word = next((it for it in rest if it in SKIPS), "")
    skip = ".".join(names[: names.index(word) + 1]) if word else base if base[0] == "x" else options
    is_focused = "only" in rest or base.startswith("f") or is_only
    return Title(is_group, name, skip, _skip_if(word, condition) or option_if, is_focused, node)


def _skip_if(word: str, condition: str) -> str:
    if word in ("skipIf", "todoIf", "failingIf"):
        return condition
    return f"!({condition})" if word in ("runIf", "if") else ""


def _words(node: Node) -> tuple[list[str], str]:
    """`it`, `each` of `it.each([…])("name", …)`, with what `skipIf` was given."""
    names: list[str] = []
    given: Node | None = None
    here = node.child("function")
    while here is not None:
        if here.kind == "call_expression":
            given = here.child("arguments")
            here = here.child("function")
        elif here.kind == "member_expression":
            name = here.child("property")
            names.append(name.text if name else "")
            here = here.child("object")
        elif here.kind == "identifier":
            names.append(here.text)
            return names[::-1], given.code[1:-1] if given else ""
        else:
            return [], ""
        if len(names) > 6:
            return [], ""
    return [], ""


def _arguments(node: Node) -> list[Node]:
    held = node.child("arguments")
    if held is None or held.kind != "arguments":
        return []
    return [it for it in held.children if it.kind not in ("(", ")", ",", "comment")]


def _name(held: list[Node]) -> str | None:
    if not held:
        return None
    first = held[0]
    if first.kind in ("string", "template_string"):
        return unquoted(first.text)
    if first.kind in FUNCTIONS:
        name = first.child("name")
        return name.text if name else "(no name)"
    if first.kind == "object":
        return next((unquoted(value.text) for key, value in _pairs(first) if key == "name"), None)
    is_name = first.kind in (
        "identifier",
        "member_expression",
        "binary_expression",
        "call_expression",
    )
    return first.code if is_name and len(held) > 1 else None


def _has_body(held: list[Node]) -> bool:
    last_kind = held[-1].kind
    if last_kind == "number" and len(held) > 2:
        last_kind = held[-2].kind
    kinds = FUNCTIONS | {
        "object",
        "identifier",
        "call_expression",
        "member_expression",
        "as_expression",
    }
    return last_kind in kinds and (len(held) > 1 or last_kind in FUNCTIONS | {"object"})


def _pairs(node: Node) -> Iterator[tuple[str, Node]]:
    for pair in node.children:
        key, value = pair.child("key"), pair.child("value")
        if pair.kind == "pair" and key is not None and value is not None:
            yield unquoted(key.text), value


def _options(held: list[Node]) -> tuple[str, str, bool]:
    skip, skip_if, is_only = "", "", False
    for node in held:
        for key, value in _pairs(node) if node.kind == "object" else ():
            truth = always(list(value.tokens()))
            if truth is False:
                continue
            if key in ("skip", "todo", "ignore", "fails"):
                skip, skip_if = f"{key}: {value.code}", "" if truth else value.code
            is_only = is_only or key == "only"
    return skip, skip_if, is_only


def _case(
    title: Title, titles: dict[int, Title], world: JavascriptNames, is_focused: bool
) -> TestCase:
    around = [titles[it.index] for it in title.node.above() if it.index in titles]
    groups = [it for it in around if it.is_group]
    assertions, hollow = checks(title.node, world)
    skip, skip_if = title.skip, title.skip_if
    outer = next((it for it in groups if it.skip), None)
    if not skip and outer is not None:
        skip, skip_if = outer.skip, outer.skip_if
    if not skip or skip_if:
        in_body, condition = _in_body(title.node, world)
        if in_body and (not skip or not condition):
            skip, skip_if = in_body, condition
    return TestCase(
        name=" > ".join([*(it.name for it in reversed(groups)), title.name]),
        line=title.node.line,
        assertions=assertions,
        hollow=hollow,
        skip=skip,
        skip_if=skip_if,
        focused=is_focused,
        essence=_essence(title.node),
    )


def _essence(node: Node) -> str:
    held = [it.code for it in _arguments(node)[1:] if it.kind != "object"]
    function = node.child("function")
    each = function.code if function is not None and function.kind == "call_expression" else ""
    return "\n".join([each, *held] if "each" in each else held)


def _in_body(node: Node, world: JavascriptNames) -> tuple[str, str]:
    """`this.skip()` and the like, with the condition around it."""
    found = ("", "")
    for part in node.below():
        function = part.child("function") if part.kind == "call_expression" else None
        if function is None or not BODY_SKIP.fullmatch(function.short) or is_dead(part, world):
            continue
        held = _arguments(part)
        if held and held[-1].kind in FUNCTIONS:
            continue
        condition = _condition(part, node)
        if held and held[0].kind not in ("string", "template_string") and not condition:
            condition = held[0].code
        if not condition:
            return f"{function.code}()", ""
        found = (f"{function.code}()", condition)
    return found


def _condition(part: Node, top: Node) -> str:
    for outer in part.above():
        if outer is top:
            return ""
        held = outer.child("condition")
        if outer.kind in ("if_statement", "ternary_expression") and held is not None:
            return (
                ""
                if always(list(held.tokens())) is True
                else held.code.removeprefix("(").removesuffix(")")
            )
        if outer.kind == "catch_clause":
            return "catch"
    return ""


# --- JavaScript that ends the whole process, and the test run with it, as if all were well.

ENDS = re.compile(
    r"process\.exit\((?:0|process\.exitCode)?\)|process\.reallyExit\((?:0)?\)|process\.abort\(\)"
    r"|process\.kill\(process\.pid,['\"]?(?:SIGKILL|9)['\"]?\)|Deno\.exit\((?:0)?\)"
)
PROGRAM = re.compile(
    r"(?:^|/)(?:bin|cli|scripts?|tools?|cmd|commands|examples|build)/|\.config\.[cm]?[jt]s$"
    r"|(?:^|/)(?:[\w-]*cli|main|server|bin|start|run|serve|worker|daemon|postinstall)\.[cm]?[jt]sx?$"
)
ON_SIGNAL = re.compile(r"\w+\.on(?:ce)?\(['\"](?:SIG\w+|message|disconnect|close)['\"]")
ENDING_NAME = re.compile(
    r"(?i)main|cli|run|start|serve|\w*(?:shutdown|exit|quit|terminate|usage|help)\w*|stop|bye"
)
ENDING_FUNCTIONS = (
    "function_declaration",
    "arrow_function",
    "function_expression",
    "method_definition",
)


def endings(source: SourceText, path: str, is_tests: bool) -> Iterator[Mark]:
    """A program may end itself; what it is made of may not."""
    if is_tests or PROGRAM.search(path) or source.data.startswith(b"#!"):
        return
    for node in source.of_kind("call_expression"):
        function = node.child("function")
        if function is None or function.end - function.start > 40 or not _is_end(node):
            continue
        if not any(_is_own_affair(it) for it in node.above()):
            yield Mark(node.line, node.code[:160], function.code)
    for node in source.of_kind("assignment_expression"):
        is_well = node.end - node.start < 60 and node.code == "process.exitCode=0"
        if is_well and not any(_is_own_affair(it) for it in node.above()):
            yield Mark(node.line, node.code, "process.exitCode")


def _is_end(node: Node) -> bool:
    return node.end - node.start < 200 and bool(ENDS.fullmatch(node.code))


def _is_own_affair(outer: Node) -> bool:
    if outer.kind == "call_expression":
        function = outer.child("function")
        is_short = function is not None and function.end - function.start < 60
        begin = outer.source.data[outer.start : outer.start + 100].decode("utf-8", "replace")
        return is_short and bool(ON_SIGNAL.match(begin))
    if outer.kind not in ENDING_FUNCTIONS:
        return False
    name = outer.child("name")
    if name is None and outer.parent is not None and outer.parent.kind == "variable_declarator":
        name = outer.parent.child("name")
    return name is not None and bool(ENDING_NAME.fullmatch(name.text))
