"""The plan of the demo, and what a scripted model answers to each of its sprints."""

import json
import shlex
from collections.abc import Iterator

from topkick.cli.demo.agent import WORK
from topkick.fake_model import MARK

PLAN = """\
# EXECUTION_PLAN.md — Greeter

A page that greets its visitors. Three work units in two layers; `site` needs the other two.

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| words     | words     | 2       | 0     | none         |
| page      | page      | 1       | 0     | none         |
| site      | site      | 1       | 1     | words, page  |

## words

### Sprint 1: A list of greetings

**Entry criteria**:
- [ ] First sprint, no prerequisites

**Tasks**:
1. Write `words/greetings.txt` with at least three greetings, one a line.

**Exit criteria**:
- [ ] `test "$(wc -l < words/greetings.txt)" -ge 3`

### Sprint 2: Pick one of them

**Entry criteria**:
- [ ] `test -f words/greetings.txt`

**Tasks**:
1. Write `words/pick.py` with `pick(hour)`: the second greeting before ten, else the first.

**Exit criteria**:
- [ ] `python3 -c "from words.pick import pick; assert pick(8) == 'Good morning'"`
- [ ] `python3 -c "from words.pick import pick; assert pick(12) == 'Hello'"`

## page

### Sprint 1: A template

**Tasks**:
1. Write `page/template.html` with a heading that holds `{greeting}`.

**Exit criteria**:
- [ ] `grep -q '{greeting}' page/template.html`

## site

### Sprint 1: Put it together

**Tasks**:
1. Write `site/build.py` that prints the page with the greeting for noon.

**Exit criteria**:
- [ ] `python3 site/build.py | grep -q Hello`
"""

_GIVES_UP = ("words", "2")
_LIES = ("page", "1")
_WORDS = {
    _GIVES_UP: "I do not understand where the greetings come from. Giving up.",
    _LIES: "All checks pass, everything is committed, the sprint is complete.\n"
    '{"status": "done", "summary": "Template written and committed."}',
}


def rehearsed() -> str:
    """The same plan; every task brings the script that a scripted model follows."""
    scripts = _scripts()
    lines = [
        f"{line}\n2. {next(scripts)}" if line.startswith("1. ") else line
        for line in PLAN.split("\n")
    ]
    return "\n".join(lines)


def _scripts() -> Iterator[str]:
    """Yield the scripts in the order of the plan, which is that of `WORK`."""
    for sprint, (path, text) in WORK.items():
        message = f"Sprint {sprint[1]} of {sprint[0]}"
        yield f"{MARK} {json.dumps(_script(sprint, path, text, message))}"


def _script(sprint: tuple[str, str], path: str, text: str, message: str) -> list[object]:
    if sprint not in _WORDS:
        written = f"{path} written and committed."
        return [{"write": [path, text]}, {"sh": _commit(path, message)}, {"text": written}]
    folder, file = path.split("/")
    work = f"mkdir -p {folder} && printf %s {shlex.quote(text)} > {folder}/{file}"
    again = f'[ "$TOPKICK_ATTEMPT" = 1 ] || {{ {work}; {_commit(path, message)}; }}'
    return [{"sh": again}, {"text": _WORDS[sprint]}]


def _commit(path: str, message: str) -> str:
    """Two agents share this tree, and git locks its index for a moment."""
    once = f"git add {path} && git commit -q -m {shlex.quote(message)} -- {path}"
    return f"for try in $(seq 30); do {once} && break; done"
