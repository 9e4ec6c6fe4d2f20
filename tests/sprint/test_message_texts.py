"""Nothing that topkick does may depend on the words of one of its messages.

A message may be reworded at any time. So no rule, command or grouping is found by the beginning,
the end or a part of a reason: the value that the words were made of is asked instead.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import topkick

SOURCE = Path(topkick.__file__).parent
READS_FOREIGN_TEXT = (
    *("agents/", "checks/", "engine/io/", "engine/journal/", "fake_model/", "git/"),
    *("inspection/", "plan_format/", "planning/", "runner/", "text/"),
)
"""They read plans, code and what agents print, whose words are all there is to read."""
WRITES_FINDINGS = "inspection/compare/"
MESSAGES = frozenset({"why", "what", "decision", "rationale", "reason", "stance_why", "answer"})
"""Names of variables and fields that hold the words of a message."""
HOLDS = frozenset({"hold", "rest", "fatal"})
"""Fields that held words once."""
LOOKS_INTO = frozenset(
    {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"}
    | {"find", "index", "match", "search", "fullmatch"}
)
ALLOWED = {
    ("engine/views/audit_trail.py", "wanted in link.what.casefold()"): "a person's own search",
    ("sprint/views/event_log.py", "e.decision.removeprefix('Gate ')"): "shortens a line, no more",
    (
        "sprint/explain/record_lines.py",
        "event.decision.removeprefix('Model: ')",
    ): "shortens a line, no more",
    ("epic/commands.py", "what in names"): "a name that a person typed",
    ("inspection/compare/permission.py", "_EMPTY.search(finding.what)"): (
        "a finding does not say yet which kind of stub it is about"
    ),
    ("inspection/compare/suites.py", "why != 'is gone'"): (
        "not to say twice in one sentence that a file is gone"
    ),
    ("team/pipeline/stages.py", "line.why.removeprefix('Block:')"): (
        "a line that a judge wrote into a file"
    ),
}
"""Each with its reason. A new place belongs here only if no value could be asked instead."""


def looked_into(tree: ast.AST) -> Iterator[str]:
    """Where a text of a message is compared, searched or cut at certain words."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=receiver, attr=attr), args=args) if (
                attr in LOOKS_INTO
            ):
                if any(_is_message(part) for part in (receiver, *args)):
                    yield ast.unparse(node)
            case ast.Compare(left=left, ops=ops, comparators=others):
                if _compares(left, ops, others):
                    yield ast.unparse(node)
            case ast.Match(subject=subject, cases=cases) if _is_message(subject):
                if any(_is_text(one.pattern) for one in cases):
                    yield ast.unparse(subject)
            case ast.MatchClass(kwd_attrs=names, kwd_patterns=patterns):
                pairs = zip(names, patterns, strict=True)
                if any(n in MESSAGES and _is_text(p) for n, p in pairs):
                    yield ast.unparse(node)


def _compares(left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> bool:
    sides = (left, *others)
    by_text = any(isinstance(op, ast.In | ast.NotIn | ast.Eq | ast.NotEq) for op in ops)
    is_empty = any(isinstance(s, ast.Constant) and s.value in ("", None) for s in sides)
    return by_text and not is_empty and any(_is_message(side) for side in sides)


def _is_text(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant)


def _is_message(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Attribute(attr="cancel"), attr="why"):
            return False  # an enum
        case ast.Attribute(attr=name):
            return name in MESSAGES | HOLDS
        case ast.Name(id=name):
            return name in MESSAGES
        case ast.Call(func=ast.Attribute(value=value, attr="lower" | "casefold" | "strip")):
            return _is_message(value)
        case _:
            return False


def everywhere() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(READS_FOREIGN_TEXT) or name.startswith(WRITES_FINDINGS):
            yield from ((name, code) for code in looked_into(ast.parse(path.read_text())))


def test_nothing_depends_on_the_words_of_a_message() -> None:
    found = set(everywhere())
    assert found - ALLOWED.keys() == set(), "ask the value that these words were made of"
    assert ALLOWED.keys() - found == set(), "it is gone, and so is the need to allow it"


@pytest.mark.parametrize(
    "code",
    [
        "need.what.startswith('FATAL')",
        "'any more' in why",
        "limit.why in why",
        "sprint.hold == 'given out'",
        "sprint.rest.lower().endswith('look')",
        "e.decision.startswith(SAID_ELSEWHERE)",
        "re.search('budget', mission.stance_why)",
        "mission.stance_why.partition('spent: ')",
        "match why:\n    case 'stopped':\n        pass",
        "match event:\n    case Closed(why='gone'):\n        pass",
    ],
)
def test_it_is_seen(code: str) -> None:
    assert [*looked_into(ast.parse(code))]


@pytest.mark.parametrize(
    "code",
    [
        "why == ''",
        "sprint.hold is None",
        "bool(why)",
        "run.cancel.why in JUDGED",
        "f'{why}; not charged'",
        "match event:\n    case Closed(why=why):\n        pass",
    ],
)
def test_what_only_shows_a_message_is_let_alone(code: str) -> None:
    assert not [*looked_into(ast.parse(code))]
