"""JavaScript that ends the whole process, and the test run with it, as if all were well."""

import re
from collections.abc import Iterator

from topkick.inspection.inventory import Mark
from topkick.inspection.languages.syntax import Node, Source

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
FUNCTIONS = ("function_declaration", "arrow_function", "function_expression", "method_definition")


def endings(source: Source, path: str, is_tests: bool) -> Iterator[Mark]:
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
    if outer.kind not in FUNCTIONS:
        return False
    name = outer.child("name")
    if name is None and outer.parent is not None and outer.parent.kind == "variable_declarator":
        name = outer.parent.child("name")
    return name is not None and bool(ENDING_NAME.fullmatch(name.text))
