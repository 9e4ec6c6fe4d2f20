"""Which rules of the specification no test carries, and which carried ids are no rules.

A rule is defined as `- **SM-01** …`, an invariant as `**State** S1 … · S2 …`; a test carries
ids with `@pytest.mark.spec("SM-01", "S1")`.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULE = re.compile(r"^- \*\*([A-Z]{2}-\d{2})\*\*")
INVARIANTS = re.compile(r"^\*\*[A-Z][^*]*\*\* (?=[A-Z]\d)")
INVARIANT = re.compile(r"^([A-Z]\d{1,2})\b")
ID = re.compile(r"^(?:[A-Z]{2}-\d{2}|[A-Z]\d{1,2})$")


@dataclass(frozen=True, slots=True)
class Chapter:
    name: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Carried:
    id: str
    place: str


def ids_of_line(line: str) -> list[str]:
    if rule := RULE.match(line):
        return [rule[1]]
    if group := INVARIANTS.match(line):
        items = line[group.end() :].split(" · ")
        return [found[1] for item in items if (found := INVARIANT.match(item))]
    return []


def chapter(path: Path) -> Chapter:
    ids = dict.fromkeys(
        id_ for line in path.read_text(encoding="utf-8").splitlines() for id_ in ids_of_line(line)
    )
    return Chapter(path.stem, tuple(ids))


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
    return not only or id_.rstrip("0123456789").rstrip("-") in only


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
        reason = "is not in the specification" if ID.match(mark.id) else "is not a literal rule id"
        print(f"{mark.place}: {mark.id} {reason}", file=sys.stderr)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="prefixes, such as SM,ST")
    parser.add_argument("--spec", type=Path, default=ROOT.parent / "shared" / "spec")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    only = frozenset(options.only.split(",")) - {""}
    marks = [mark for path in sorted(options.tests.rglob("*.py")) for mark in carried_by(path)]
    carried = {mark.id for mark in marks}
    if not options.spec.is_dir():
        shown = sorted(id_ for id_ in carried if wanted(id_, only))
        print("The specification is not on this machine; ids that tests carry:", *shown)
        return 0
    whole = [part for path in sorted(options.spec.glob("*.md")) if (part := chapter(path)).ids]
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
