"""The rules of the house that a program can check, and what still breaks them.

`house_exceptions.json` may only get shorter: what no longer breaks a rule must leave it, and
nothing may join it. After a move of modules, write it anew and read the difference:
`python tools/house.py --exceptions > tests/tools/house_exceptions.json`.
"""

import json
from pathlib import Path

import pytest

from tools import house, house_runs

ROOT = Path(__file__).parents[2]
EXCEPTIONS = Path(__file__).with_name("house_exceptions.json")
RULES = {
    "class_names": "a public class name belongs to one module; journaled classes are exempt",
    "packages": f"a package has at most {house.MOST_MODULES} modules",
    "gerunds": f"a module name is a noun, not a gerund, but for {', '.join(sorted(house.NOUNS))}",
    "long_files": f"a file has at most {house.MOST_LINES} lines",
}


@pytest.fixture(scope="module")
def broken() -> dict[str, list[str]]:
    return house.exceptions(house.read_tree(ROOT), frozenset(house_runs.journaled(ROOT)))


@pytest.mark.parametrize("rule", RULES)
def test_the_tree_keeps_the_rule(broken: dict[str, list[str]], rule: str) -> None:
    listed = set(json.loads(EXCEPTIONS.read_text())[rule])
    found = set(broken[rule])
    assert not found - listed, f"{RULES[rule]}: {sorted(found - listed)}"
    stale = sorted(listed - found)
    assert not stale, f"remove from {EXCEPTIONS.name}, for they keep the rule now: {stale}"


def test_only_known_rules_have_exceptions() -> None:
    assert json.loads(EXCEPTIONS.read_text()).keys() == RULES.keys()
