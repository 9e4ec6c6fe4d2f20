"""Make the order that an agent gets: its text, its attempt number, its limits. One order is one
sprint with one goal for one agent.
"""

import re
from collections.abc import Iterator

from topkick.checks.model import Finding, FindingKind, Ground
from topkick.engine.agents.program import TIERS, Conversation
from topkick.engine.agents.runs import Dispatch
from topkick.engine.codec.codec import Text
from topkick.plan_format.model import Criterion, SprintType
from topkick.sprint.check_wording import name_of, words_for
from topkick.sprint.dispatch.model_score import Selection
from topkick.sprint.model import Mission, Sprint, Unit, Verdict, open_findings
from topkick.sprint.needs.model import Resolution, on_a_line
from topkick.sprint.spending import cost_left_microusd
from topkick.sprint.status import attempt
from topkick.sprint.transitions import SprintState

PLACEHOLDER = re.compile(
    r"<(?P<word>[A-Za-z][A-Za-z _-]{0,40})>|\{\{?(?P<braced>[A-Za-z][A-Za-z_ ]{1,40})\}?\}"
    r"|<(?P<choice>[\w.]{1,10}(?:\|[\w.]{1,10})+)>"
)
UNIT_WORDS = (
    "WORK_UNIT", "WORK_UNIT_NAME", "UNIT", "UNIT_NAME", "PACKAGE", "PACKAGE_NAME", "COMPONENT",
    "COMPONENT_NAME", "MODULE", "MODULE_NAME", "WORKUNITNAME",
)  # fmt: skip
DIRECTORY_WORDS = (
    "WORK_UNIT_DIR", "WORK_UNIT_DIRECTORY", "UNIT_DIR", "PACKAGE_DIR", "COMPONENT_DIR",
    "MODULE_DIR", "DIRECTORY", "DIR",
)  # fmt: skip
SPRINT_WORDS = (
    "N", "SPRINT", "SPRINT_ID", "SPRINT_NUMBER", "SORTIE", "SORTIE_ID", "SORTIE_NUMBER", "ID",
)  # fmt: skip
NAME_WORDS = ("SPRINT_NAME", "SPRINT_TITLE", "SORTIE_NAME", "SORTIE_TITLE", "NAME", "TITLE")
TEXT_WORDS = (
    "SPRINT_DEFINITION", "SORTIE_DEFINITION", "DEFINITION", "SPRINT_TEXT", "ASSIGNMENT",
    "SPRINT_BODY",
)  # fmt: skip

FILES_TO_READ = 10
OWN_MODEL = "the program's own"
SYNTAX = """\
    Python: python -m py_compile FILE.py          JavaScript: node --check FILE.js
    TypeScript: tsc --noEmit --skipLibCheck FILE.ts   Go: gofmt -e FILE.go
    Swift: swift -frontend -typecheck FILE.swift  Rust: rustfmt --check FILE.rs
    Java: javac -proc:none FILE.java              C, C++: gcc -fsyntax-only FILE.c"""
TYPE_LINES = {
    SprintType.BACKGROUND: (
        'Start the process with: "$TOPKICK" background run NAME -- COMMAND ... '
        "This sprint is complete once it is confirmed running. Do NOT wait for it to finish."
    ),
    SprintType.MANUAL: (
        "Perform the checks described and report your findings. "
        "Do NOT mark this as complete: a person will verify it."
    ),
}
REMEDIES = {
    FindingKind.TEST_REMOVED: "put the test back and let it pass",
    FindingKind.TEST_SKIPPED: "let the test run again and pass",
    FindingKind.TEST_FOCUSED: "let all the other tests run again",
    FindingKind.TEST_EMPTIED: "restore what the test asserted and let it pass",
    FindingKind.TEST_REWRITTEN: "restore the test as it was and change the code instead",
    FindingKind.FEWER_TESTS: "let every test run that ran before",
    FindingKind.CHECK_CHANGED: "restore what the check runs as it was",
    FindingKind.TOOL_CHANGED: "restore the program that the check uses",
    FindingKind.SETTING_LOOSENED: "restore the setting as it was",
    FindingKind.COMPLAINT_SUPPRESSED: "remove the suppression and fix what it hides",
    FindingKind.STUB: "write the real work in place of the stub",
    FindingKind.KNOWS_IT_IS_TESTED: "make the code do the same whether or not it is tested",
    FindingKind.PLAN_CHANGED: "restore the plan as it was",
    FindingKind.HISTORY_REWRITTEN: "make that commit part of the branch's history again",
    FindingKind.OTHER_BRANCH: "put your commits on the branch on which the order was given",
    FindingKind.LEANS_OUTSIDE: "use only files of the repository",
    FindingKind.BESIDE_THE_POINT: "do what the sprint asks for, in the files that it names",
}
"""What an order asks for about a finding, by its kind."""


def make_dispatch(
    mission: Mission,
    unit: Unit,
    sprint: Sprint,
    ground: Ground,
    selected: Selection,
    *,
    alone: bool = True,
) -> Dispatch:
    """Return the dispatch. If other agents share the tree, the prompt tells this one not to build
    or test; the gate does (GT-02).
    """
    assert mission.settings is not None
    is_held = sprint.plan.judged_at_gate or not alone
    held = _heavy(sprint) if is_held and sprint.plan.type is SprintType.CODE else ()
    agent = mission.settings.agent
    asked = sprint.asked_model
    model = asked if asked and asked not in TIERS else agent.model_for(selected.tier)
    return Dispatch(
        agent=agent.name,
        model=model,
        tier=selected.tier,
        attempt=attempt(sprint, mission.settings.max_retries),
        prompt=Text.of(write_prompt(mission, unit, sprint, ground, held)),
        base=ground.head,
        passing=ground.passing,
        uncommitted=ground.uncommitted,
        resumes=_resumed(sprint, agent.name),
        score=selected.score.total,
        cost_left_microusd=cost_left_microusd(mission, unit, sprint),
        program=agent,
        counts=ground.counts,
        branch=ground.branch,
        tools=ground.tools,
        held=held,
        alone=alone and mission.isolation is None,
    )


def _heavy(sprint: Sprint) -> tuple[str, ...]:
    return tuple(c.command for c in sprint.plan.checks if c.builds and c.command is not None)


def _resumed(sprint: Sprint, agent: str) -> Conversation | None:
    """Return the agent's own earlier conversation, which a continuation resumes (DP-04)."""
    continues = sprint.state is SprintState.PARTIAL and sprint.conversation_with == agent
    return sprint.conversation if continues else None


# --- the prompt ----------------------------------------------------------------------------


def write_prompt(
    mission: Mission, unit: Unit, sprint: Sprint, ground: Ground, held: tuple[str, ...] = ()
) -> str:
    assert mission.plan is not None
    if mission.plan.template:
        order = [fill_template(mission.plan.template, unit, sprint)]
    else:
        order = [
            _context(mission, unit),
            _assignment(sprint),
            _checks(sprint, ground),
            _boundaries(mission, sprint),
        ]
    parts = [
        *order,
        *_imports(unit),
        *_needs_met(mission, unit),
        *_rules(mission),
        *_coordination(sprint, held),
        *_history(sprint, ground),
        *_word_from_a_person(sprint),
    ]
    return "\n\n".join(parts) + "\n"


def fill_template(template: str, unit: Unit, sprint: Sprint) -> str:
    """Fill the plan's own template with the unit and the sprint (DP-02)."""
    known = {
        **dict.fromkeys(UNIT_WORDS, unit.name),
        **dict.fromkeys(DIRECTORY_WORDS, unit.plan.directory),
        **dict.fromkeys(SPRINT_WORDS, sprint.id),
        **dict.fromkeys(NAME_WORDS, sprint.plan.name),
        **dict.fromkeys(TEXT_WORDS, sprint.plan.text.strip()),
        "ENTRY_CRITERIA": _listed(sprint.plan.entry, "None"),
        "EXIT_CRITERIA": _listed(sprint.plan.exit, "None stated: commit your work"),
        "TASKS": "\n".join(f"- {task}" for task in sprint.plan.tasks),
        "PROJECT_ROOT": ".",  # agents run in the project root
    }

    def fill(found: re.Match[str]) -> str:
        if found["choice"]:
            section = unit.plan.section
            return section if section in found["choice"].split("|") else found[0]
        word = found["word"] or found["braced"]
        return known.get(word.strip().upper().replace(" ", "_").replace("-", "_"), found[0])

    filled = PLACEHOLDER.sub(fill, template.strip())
    return filled.replace("${PROJECT_ROOT}", ".").replace("$PROJECT_ROOT", ".")


def _listed(criteria: tuple[Criterion, ...], nothing: str) -> str:
    return "\n".join(f"- {c.text}" for c in criteria) or f"- {nothing}"


def _context(mission: Mission, unit: Unit) -> str:
    assert mission.plan is not None
    where = "the project root" if unit.plan.directory in {".", ""} else f"{unit.plan.directory}/"
    progress = f"{unit.plan.directory}/PROGRESS.md".removeprefix("./")
    others = [name for name in mission.plan.files if name not in (progress, mission.plan.file)]
    lines = [
        f"{mission.plan.file}, only the part about your sprint",
        f"{progress}, if it exists",
        *others[:FILES_TO_READ],
    ]
    numbered = "\n".join(f"{n}. {line}" for n, line in enumerate(lines, start=1))
    return (
        f"You are working on {unit.name} in {where}\n\n"
        f"FIRST, read these files in order (paths from the project root):\n{numbered}"
    )


def _assignment(sprint: Sprint) -> str:
    return (
        f"You are executing Sprint {sprint.id}: {sprint.plan.name}.\n\n{sprint.plan.text.strip()}"
    )


def _checks(sprint: Sprint, ground: Ground) -> str:
    entry = [f"- {c.text}" for c in sprint.plan.entry] or ["- None: nothing has to be there first"]
    leave = [_exit_line(c, ground) for c in _to_be_met(sprint, ground)]
    leave = leave or ["- None stated: commit your work"]
    return "\n".join(
        [
            "ENTRY CRITERIA (verify before starting):",
            *entry,
            "",
            "EXIT CRITERIA (verify before declaring done; topkick runs them again):",
            *leave,
        ]
    )


def _to_be_met(sprint: Sprint, ground: Ground) -> tuple[Criterion, ...]:
    """Return the criteria; for a continuation only those that remain, if any do (DP-04)."""
    remaining = tuple(c for c in sprint.plan.exit if c.command not in ground.passing)
    continues = sprint.state is SprintState.PARTIAL and remaining
    return remaining if continues else sprint.plan.exit


def _exit_line(criterion: Criterion, ground: Ground) -> str:
    met = criterion.command is not None and criterion.command in ground.passing
    return f"- {criterion.text}" + (" (passes already; keep it so)" if met else "")


def _boundaries(mission: Mission, sprint: Sprint) -> str:
    assert mission.plan is not None
    lines = [
        "IMPORTANT:",
        "- Do NOT start the next sprint. Your scope ends after this sprint.",
        f"- Do NOT modify {mission.plan.file}.",
    ]
    if mission.isolation is not None:
        lines.append(
            "- This is a clone of your own: stay on its branch, do not push, and leave other "
            "checkouts alone. topkick takes your commits from here."
        )
    else:
        lines.append("- Stay on the branch you find here, and do not rewrite its history.")
    if sprint.plan.type is SprintType.CODE:
        lines.append(
            "- Commit your work when the exit criteria pass; uncommitted work is not done."
        )
        lines.append(
            "- Tests, and all that the exit criteria run, will be compared with how they are now: "
            "do not remove, skip or weaken them unless this sprint says so."
        )
    if sprint.plan.effective_type in TYPE_LINES:
        lines.append(f"- {TYPE_LINES[sprint.plan.effective_type]}")
    lines.append(
        '- You may end with one line of JSON: {"status": "done" | "partial" | "failed", '
        '"summary": "...", "remaining": ["..."]}'
    )
    return "\n".join(lines)


def _imports(unit: Unit) -> Iterator[str]:
    if unit.plan.imports:
        yield (
            f"ALLOWED IMPORTS for {unit.name} (from the plan; nothing else): {unit.plan.imports}\n"
            "If you need anything else of another unit, define what you need locally and add a "
            "line to PROGRESS.md under `## Cross-Package Needs` that names it and the unit."
        )


def _needs_met(mission: Mission, unit: Unit) -> Iterator[str]:
    """Yield the needs of this unit that the plan allows to import (RP-05)."""
    mine = [n for n in mission.cross_needs if n.unit == unit.name and not n.resolved]
    found = [n for n in mine if n.resolution is Resolution.IMPORT]
    if found:
        listed = "\n".join(f"- {on_a_line(n.text)} (import it from {n.target})" for n in found)
        yield (
            "CROSS-UNIT NEEDS that the plan lets you import. Use the import instead of anything "
            f"local, and remove the line from the list in PROGRESS.md:\n{listed}"
        )


def _rules(mission: Mission) -> Iterator[str]:
    """Yield the project rules, verbatim in every order (DP-12)."""
    if mission.plan is not None and mission.plan.rules:
        yield f"PROJECT RULES (from the plan):\n{mission.plan.rules.strip()}"


def _coordination(sprint: Sprint, held: tuple[str, ...]) -> Iterator[str]:
    """Yield instructions for several agents in one tree (DP-03), or several that repair it."""
    listed = "\n".join(f"- {words_for(sprint.plan.checks, command)}" for command in held)
    if held and sprint.plan.judged_at_gate:
        yield (
            "AT THE GATE these also fail for reasons that other units repair. topkick runs them "
            f"again when all repairs are done; repair only your part of it:\n{listed}"
        )
    elif held:
        yield (
            "BUILD COORDINATION: other agents work in this tree at the same time. Do NOT run full "
            "builds or test suites. topkick runs these once, when all are done:\n"
            f"{listed}\nCheck the syntax of the files you touch instead, one by one, for example:\n"
            f"{SYNTAX}"
        )


def _history(sprint: Sprint, ground: Ground) -> Iterator[str]:
    outcome = sprint.outcome
    if outcome is not None and outcome.verdict is Verdict.PARTIAL:
        yield _what_remains(sprint)
    elif outcome is not None and outcome.verdict is Verdict.FAILURE:
        yield _what_went_wrong(sprint)
    if ground.uncommitted:
        names = "\n".join(f"- {p}" for p in ground.uncommitted[:20])
        yield f"UNCOMMITTED FILES are in the tree from before; look at them first:\n{names}"


def _what_remains(sprint: Sprint) -> str:
    assert sprint.outcome is not None
    if found := open_findings(sprint):
        return _what_was_found(sprint, found)
    lines = [f"Sprint {sprint.id} was begun by an earlier order and is not finished. REMAINING:"]
    lines += [f"- {reason}" for reason in sprint.outcome.reasons]
    return "\n".join([*lines, *_outputs(sprint)])


def _what_was_found(sprint: Sprint, found: tuple[Finding, ...]) -> str:
    """Return a finding to the agent before a person is asked (VF-06)."""
    base = (
        f" It is compared with commit {sprint.base_at_first[:10]}." if sprint.base_at_first else ""
    )
    return "\n".join(
        [
            f"Sprint {sprint.id} meets its exit criteria, but the work of the earlier order is not "
            f"accepted because of these findings.{base}",
            *(_wanted(finding) for finding in found),
            "Put each of these right and commit it. The exit criteria have to pass afterwards. "
            "If one of them is right as it is, leave it and say why: a person decides then.",
        ]
    )


def _wanted(finding: Finding) -> str:
    """Return one line of an order: the place, the finding, and what is wanted."""
    line = f":{finding.line}" if finding.line else ""
    where = f"{finding.file}{line}: " if finding.file else ""
    return f"- {where}{finding.what}. Wanted: {REMEDIES[finding.kind]}."


def _what_went_wrong(sprint: Sprint) -> str:
    assert sprint.outcome is not None
    number = sprint.failures or sprint.failures_ever
    lines = [f"Sprint {sprint.id} failed on attempt {number}. What went wrong:"]
    lines += [f"- {reason}" for reason in sprint.outcome.reasons]
    lines += _outputs(sprint)
    return "\n".join([*lines, "Fix this, then complete the sprint."])


def _outputs(sprint: Sprint) -> Iterator[str]:
    assert sprint.outcome is not None
    for result in sprint.outcome.failing:
        if result.excerpt:
            yield f"\nOutput of {name_of(result)}:\n{_indented(result.excerpt)}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _word_from_a_person(sprint: Sprint) -> Iterator[str]:
    if sprint.note:
        yield f"A PERSON ADDS:\n{sprint.note}"
