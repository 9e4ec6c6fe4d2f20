"""Reads a collection of real plans: how many are understood, and how many graded fields agree.

    python tools/corpus.py DIRECTORY        (plans/*.md, expected/*.json)

The collection is not part of this project; without a directory TOPKICK_CORPUS names it.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from topkick.engine.agents.program import AgentProgram
from topkick.engine.settings import Settings
from topkick.plan_format.document import PlanError, PlanReading, read
from topkick.plan_format.model import Plan
from topkick.sprint.run.load_plan import imagined
from topkick.sprint.start.plan_json import as_json

UNIT_FIELDS = ("name", "dir", "sprint_count", "layer", "depends_on")
SPRINT_FIELDS = (
    "id",
    "name",
    "exit_criteria",
    "exit_commands",
    "tasks",
    "entry_criteria",
    "priority",
    "estimated_turns",
    "checked",
    "verification_commands",
    "checkbox_items",
)
PLAN_FIELDS = (
    "title",
    "work_unit_count",
    "total_sprints",
    "sprint_dependencies",
    "cross_unit_sprint_dependencies",
    "global_entry_checks",
    "global_exit_checks",
    "global_exit_commands",
    "dangerous_commands_in_fences",
    "referenced_files",
)


@dataclass
class Agreement:
    """Per field: how often it agreed, was accepted as an alternative, and differed."""

    agreed: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    differed: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def take(self, name: str, where: str, wanted: Any, found: Any, also: bool) -> None:
        if same(name, wanted, found):
            self.agreed[name] += 1
        elif also:
            self.accepted[name] += 1
            self.notes.append(f"{where} {name}: accepted {found!r:.120}")
        else:
            self.differed[name] += 1
            self.notes.append(f"{where} {name}: wanted {wanted!r:.160} found {found!r:.160}")

    @property
    def share(self) -> float:
        good = self.agreed.total() + self.accepted.total()
        return good / max(1, good + self.differed.total())


def same(name: str, wanted: Any, found: Any) -> bool:
    if name == "dir":
        return str(wanted).rstrip("/") == str(found).rstrip("/")
    if name == "depends_on":
        return sorted(wanted) == sorted(found)
    if name in ("sprint_dependencies", "cross_unit_sprint_dependencies"):
        return sorted(map(tuple, wanted)) == sorted(map(tuple, found))
    if name in ("dangerous_commands_in_fences", "referenced_files"):
        return set(wanted) <= set(found)
    return bool(wanted == found)


def grade(expected: dict[str, Any], found: dict[str, Any], result: Agreement, plan: str) -> None:
    also = expected.get("also_ok", {})
    for name in PLAN_FIELDS:
        if name in expected:
            accepted = _accepts(also, [name], found[name])
            result.take(name, plan, expected[name], found[name], accepted)
    if "dispatch_template" in expected:
        wanted, got = expected["dispatch_template"], found["dispatch_template"]
        result.take("template present", plan, wanted["present"], got["present"], False)
        if wanted["present"]:
            heading = _accepts(also, ["dispatch_template.heading"], got.get("heading"))
            result.take("template heading", plan, wanted["heading"], got.get("heading"), heading)
            if "placeholders" in wanted:
                missing = set(wanted["placeholders"]) - set(got.get("placeholders", []))
                result.take("template placeholders", plan, set(), missing, False)
    units = {unit["name"]: unit for unit in found["work_units"]}
    for number, wanted_unit in enumerate(expected["work_units"]):
        unit = units.get(wanted_unit["name"])
        if unit is None and number < len(found["work_units"]):
            unit = found["work_units"][number]
        if unit is None:
            result.differed["unit missing"] += 1
            result.notes.append(f"{plan}: no unit {wanted_unit['name']}")
            continue
        _grade_unit(wanted_unit, unit, number, also, result, plan)


def _grade_unit(
    wanted: dict[str, Any],
    unit: dict[str, Any],
    number: int,
    also: dict[str, Any],
    result: Agreement,
    plan: str,
) -> None:
    for name in UNIT_FIELDS:
        if name in wanted:
            keys = [f"work_units[{number}].{name}", f"work_units[].{name}"]
            result.take(name, plan, wanted[name], unit[name], _accepts(also, keys, unit[name]))
    sprints = {sprint["id"]: sprint for sprint in unit["sprints"]}
    for at, wanted_sprint in enumerate(wanted.get("sprints", [])):
        sprint = sprints.get(wanted_sprint["id"])
        if sprint is None:
            result.differed["sprint missing"] += 1
            result.notes.append(f"{plan}: no sprint {wanted_sprint['id']} in {wanted['name']}")
            continue
        for name in SPRINT_FIELDS:
            if name in wanted_sprint:
                keys = [
                    f"work_units[{number}].sprints[{at}].{name}",
                    f"sprints[{at}].{name}",
                    f"sprints[].{name}",
                    name,
                ]
                where = f"{plan} {wanted_sprint['id']}"
                accepted = _accepts(also, keys, sprint[name])
                result.take(name, where, wanted_sprint[name], sprint[name], accepted)


def _accepts(also: dict[str, Any], keys: list[str], found: Any) -> bool:
    """Return whether a value that the answers allow was found; allowed words are for a reader."""
    return any(
        found in also[key] or str(found) in map(str, also[key]) for key in keys if key in also
    )


# --- all plans -------------------------------------------------------------------------------


def understood(text: str, name: str) -> tuple[PlanReading, dict[str, Any]]:
    reading = read(text, default_name=name)
    mission = imagined(reading.plan, Settings(AgentProgram("none", ("true",))))
    return reading, as_json(mission, reading)


def texts(directory: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((directory / "plans").glob("*.md")):
        yield path.stem, path.read_bytes().decode("utf-8", "replace")


def checked(plan: Plan) -> int:
    return sum(bool(s.checks) for u in plan.units for s in u.sprints)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("directory", nargs="?", default=os.environ.get("TOPKICK_CORPUS", ""))
    parser.add_argument("--notes", action="store_true", help="print every difference")
    options = parser.parse_args()
    directory = Path(options.directory or ".")
    if not (directory / "plans").is_dir():
        sys.stderr.write("No plans there. Name the collection: make corpus CORPUS=DIRECTORY\n")
        return 2
    failed = overview(directory)
    failed += graded(directory, notes=options.notes)
    return 1 if failed else 0


def overview(directory: Path) -> int:
    count: Counter[str] = Counter()
    slowest = (0.0, "")
    for name, text in texts(directory):
        begin = time.perf_counter()
        count["plans"] += 1
        try:
            reading, _ = understood(text, name)
        except PlanError as error:
            count["errors"] += 1
            print(f"  error  {name}: {error}")
            continue
        slowest = max(slowest, (time.perf_counter() - begin, name))
        sprints = [s for u in reading.plan.units for s in u.sprints]
        exits = [c for s in sprints for c in s.exit]
        count["with sprints"] += bool(sprints)
        count["sprints"] += len(sprints)
        count["checked"] += checked(reading.plan)
        count["commands"] += sum(c.kind.value == "command" for c in exits)
        count["compiled"] += sum(c.kind.value == "assertion" for c in exits)
        count["as written"] += sum(any(c.kind.value == "command" for c in s.exit) for s in sprints)
        count["criteria"] += len(exits)
        count["findings"] += len(reading.findings)
    print(
        f"{count['plans']} plans: {count['with sprints']} with sprints, {count['errors']} errors, "
        f"{count['findings']} findings\n"
        f"{count['sprints']} sprints: {count['checked']} with a check "
        f"({count['checked'] / max(1, count['sprints']):.0%}; {count['as written']} by commands as "
        f"they stand, before the compiler)\n"
        f"{count['criteria']} exit criteria: {count['commands']} commands, "
        f"{count['compiled']} compiled\n"
        f"slowest: {slowest[1]} {slowest[0] * 1000:.0f} ms"
    )
    return 0


def rules_of(reading: PlanReading) -> set[str]:
    """Return the rules that a plan uses; a rule that few graded plans use is little proven."""
    unit_rule = reading.rule.split(" at line", maxsplit=1)[0]
    read_ones = reading.sprints.values()
    found = {f"units by {unit_rule}", f"sprints by {reading.sprint_rule}"}
    found |= {"a template"} if reading.template.text else set()
    found |= (
        {"sprints of other units"}
        if any(s.waits_for for u in reading.plan.units for s in u.sprints)
        else set()
    )
    found |= {"order inside a unit"} if reading.after else set()
    found |= {"fenced checks"} if any(read.scripts for read in read_ones) else set()
    found |= {"checks for the whole plan"} if reading.notes.exit else set()
    found |= {"allowed imports"} if any(unit.imports for unit in reading.plan.units) else set()
    found |= (
        {"commands as they stand"} if any(c.named for r in read_ones for c in r.listed) else set()
    )
    return found


def graded(directory: Path, *, notes: bool) -> int:
    total = Agreement()
    plans = dict(texts(directory))
    paths = sorted((directory / "expected").glob("*.json"))
    used = {path.stem: rules_of(understood(plans[path.stem], path.stem)[0]) for path in paths}
    for path in paths:
        one = Agreement()
        expected = json.loads(path.read_text(encoding="utf-8"))
        _, found = understood(plans[path.stem], path.stem)
        grade(expected, found, one, path.stem)
        others = set[str]().union(*(rules for name, rules in used.items() if name != path.stem))
        alone = ", ".join(sorted(used[path.stem] - others)) or "nothing"
        print(f"{one.share:6.1%}  {path.stem}\n        without it nothing here would use: {alone}")
        for name in ("agreed", "accepted", "differed"):
            getattr(total, name).update(getattr(one, name))
        total.notes.extend(one.notes)
    for name in sorted({*total.agreed, *total.accepted, *total.differed}):
        good, also, bad = total.agreed[name], total.accepted[name], total.differed[name]
        print(f"  {name:32} {good:4} agree {also:3} accepted {bad:3} differ")
    if notes:
        print("\n".join(total.notes))
    print(f"{total.share:.1%} of the graded fields")
    return total.differed.total()


if __name__ == "__main__":
    sys.exit(main())
