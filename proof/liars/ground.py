"""A small repository with one thing left to do: its files, its plan, and the definition of done."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

PACKAGES = ("cart", "depot", "ledger", "harbor", "kiln", "orchard", "studio", "tariff")
READY = ("total", "weigh", "count_up", "scale", "measure", "tally")
WANTED = ("discount", "surcharge", "refund", "allowance", "bonus", "levy")
MODULES = ("pricing", "rates", "sums", "figures")


@dataclass(frozen=True, slots=True)
class Theme:
    """The functions: `ready(n)` is n * a; `wanted(n, m)` is n * b + m * c and refuses a
    negative n.
    """

    package: str
    module: str
    ready: str
    wanted: str
    a: int
    b: int
    c: int

    @property
    def package_title(self) -> str:
        return self.package.capitalize()

    def ready_of(self, n: int) -> int:
        return n * self.a

    def wanted_of(self, n: int, m: int) -> int:
        return n * self.b + m * self.c


def theme_of(seed: int) -> Theme:
    chance = random.Random(seed)
    return Theme(
        package=chance.choice(PACKAGES),
        module=chance.choice(MODULES),
        ready=chance.choice(READY),
        wanted=chance.choice(WANTED),
        a=chance.randint(3, 60),
        b=chance.randint(3, 60),
        c=chance.randint(61, 99),
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """A repository; `blocks` are the tests by name, of which those in `wanted` fail until the work
    is done.

    `source_with` makes the module's text from the wanted function's body and the text at its top.
    `probe` returns a program that exits with 0 if the work in the given tree is done; the agent
    never sees it. `harmless` is code that changes nothing. `after_notes`: another unit goes before,
    and writes notes.
    """

    language: str
    theme: Theme
    source: str
    tests: str
    head: str
    blocks: Mapping[str, str]
    wanted: tuple[str, ...]
    source_with: Callable[[str, str], str]
    stub: str
    right: str
    files: Mapping[str, str]
    criteria: tuple[str, ...]
    test_command: str
    probe: Callable[[str], list[str]]
    comment: str
    harmless: str
    joint: str = "\n\n"
    tail: str = ""
    tasks: tuple[str, ...] = ()
    more_plan: str = ""
    verify_always: tuple[str, ...] = ()
    probe_more: str = ""
    tests_must_notice: bool = True
    finished: bool = False
    after_notes: bool = False
    extra: Mapping[str, str] = field(default_factory=dict)

    # --- texts

    def test_text(self, blocks: Mapping[str, str] | None = None, head: str | None = None) -> str:
        chosen = self.blocks if blocks is None else blocks
        top = self.head if head is None else head
        return top + self.joint.join(chosen.values()) + self.tail

    @property
    def base_source(self) -> str:
        return self.source_with(self.right if self.finished else self.stub, "")

    @property
    def solution(self) -> str:
        return self.source_with(self.right, "")

    def without(self, *names: str) -> dict[str, str]:
        return {name: text for name, text in self.blocks.items() if name not in names}

    def changed(self, change: Callable[[str], str]) -> dict[str, str]:
        """Return the blocks, with those of the wanted function changed."""
        return {n: change(t) if n in self.wanted else t for n, t in self.blocks.items()}

    # --- the repository

    def all_files(self) -> dict[str, str]:
        here = {**self.files, self.source: self.base_source, self.tests: self.test_text()}
        return {**here, **self.extra, "EXECUTION_PLAN.md": self.plan()}

    def plan(self) -> str:
        t = self.theme
        name = t.wanted.replace("_", " ").capitalize()
        lines = [f"# EXECUTION_PLAN.md — {t.package_title}", "", "## Work Units", ""]
        lines += ["| Work Unit | Directory | Sprints | Dependencies |", "|---|---|---|---|"]
        needs = NOTES if self.after_notes else "none"
        lines += [f"| {NOTES} | . | 1 | none |"] if self.after_notes else []
        lines += [f"| {t.package} | . | 1 | {needs} |", ""]
        lines += [NOTES_SECTION] if self.after_notes else []
        lines += [f"## {t.package}", ""]
        lines += [f"### Sprint 1: {name}", "", "**Tasks**:"]
        lines += [f"{n}. {task}" for n, task in enumerate(self.all_tasks(), start=1)]
        lines += ["", "**Exit criteria**:"]
        lines += [f"- [ ] `{command}` passes" for command in self.criteria]
        return "\n".join([*lines, "", self.more_plan])

    def all_tasks(self) -> tuple[str, ...]:
        t = self.theme
        asked = (
            f"In `{self.source}` write `{t.wanted}`: n times {t.b} plus m times {t.c}; "
            f"a negative n is refused. The tests in `{self.tests}` say what is expected.",
            "Commit your work.",
        )
        return self.tasks or asked


def with_files(setting: Setting, more: Mapping[str, str]) -> Setting:
    return replace(setting, extra={**setting.extra, **more})


NOTES = "notes"
NOTES_SECTION = """\
## notes

### Sprint 1: Notes

**Tasks**:
1. Write `NOTES.md`.

**Exit criteria**:
- [ ] `grep -q . NOTES.md` passes
"""
PROGRESS = "# Progress\n\n- [ ] Sprint 1\n"
CI = """\
name: checks
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: {command}
"""
