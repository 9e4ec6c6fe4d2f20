"""List the rules that no test carries, and refuse ids that are no rules.

Rules are the entries of docs/reference/rules.md. A test carries the ids of the rules that it
holds: `@pytest.mark.spec("SM-01", "S1")`.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rules_page import ID, PAGE, ROOT, prefix_of, rules


@dataclass(frozen=True, slots=True)
class Chapter:
    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Carried:
    id: str
    place: str


def chapters(page: Path) -> list[Chapter]:
    found: dict[str, list[str]] = {}
    for rule in rules(page):
        found.setdefault(rule.chapter, []).append(rule.id)
    return [Chapter(name, tuple(dict.fromkeys(ids))) for name, ids in found.items()]


def carried_by(path: Path) -> Iterator[Carried]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Call) and _is_spec_mark(node.func):
            for argument in _flat(node.args):
                yield Carried(_literal(argument), f"{path.name}:{argument.lineno}")


def _is_spec_mark(function: ast.expr) -> bool:
    match function:
        case ast.Attribute(attr="spec", value=ast.Attribute(attr="mark") | ast.Name(id="mark")):
            return True
        case _:
            return False


def _flat(arguments: list[ast.expr]) -> Iterator[ast.expr]:
    for argument in arguments:
        match argument:
            case ast.Starred(value=ast.Tuple(elts=parts) | ast.List(elts=parts)):
                yield from _flat(parts)
            case _:
                yield argument


def _literal(argument: ast.expr) -> str:
    match argument:
        case ast.Constant(value=str(id_)):
            return id_
        case _:
            return ast.unparse(argument)


def wanted(id_: str, only: frozenset[str]) -> bool:
    return not only or prefix_of(id_) in only


def print_missing(chapters: list[Chapter], carried: set[str]) -> None:
    total = held = 0
    for part in chapters:
        missing = [id_ for id_ in part.ids if id_ not in carried]
        total += len(part.ids)
        held += len(part.ids) - len(missing)
        print(f"{part.name}: {len(part.ids) - len(missing)} of {len(part.ids)} carried by a test")
        if missing:
            print(f"  no test: {' '.join(missing)}")
    print(f"{held} of {total} rules are carried by a test, {total - held} are not.")


def print_unknown(unknown: list[Carried]) -> None:
    for mark in unknown:
        named = ID.fullmatch(mark.id)
        reason = "has no entry on the rules page" if named else "is not a literal rule id"
        print(f"{mark.place}: {mark.id} {reason}", file=sys.stderr)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="prefixes, such as SM,ST")
    parser.add_argument("--rules", type=Path, default=PAGE)
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    only = frozenset(options.only.split(",")) - {""}
    marks = [mark for path in sorted(options.tests.rglob("*.py")) for mark in carried_by(path)]
    carried = {mark.id for mark in marks}
    whole = chapters(options.rules)
    known = {id_ for part in whole for id_ in part.ids}
    parts = [
        Chapter(part.name, ids)
        for part in whole
        if (ids := tuple(id_ for id_ in part.ids if wanted(id_, only)))
    ]
    print_missing(parts, carried)
    unknown = [mark for mark in marks if mark.id not in known]
    print_unknown(unknown)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
