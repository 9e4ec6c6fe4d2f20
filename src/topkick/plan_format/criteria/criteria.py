"""Compile the words of a criterion into a check that the supervisor can run, if possible.

A criterion that no form understands stays a checklist item for the agent and for people.
"""

import re
from collections.abc import Iterator, Sequence

from topkick.plan_format.criteria.commands import (
    PhraseText,
    not_to_be_run,
    reads_as_command,
    spans_in,
    words_of,
)
from topkick.plan_format.criteria.forms import form_and_check, understood
from topkick.plan_format.model import Criterion, CriterionKind, PlanFinding
from topkick.plan_format.structure import Fence, ListItem

SHELLS = frozenset({"", "sh", "bash", "shell", "zsh", "console", "shell-session", "terminal"})
SESSIONS = frozenset({"console", "shell-session", "terminal"})

_BOX = re.compile(r"^\[[ xX]\]\s+")
_NOTHING = re.compile(r"^(?:none|n/a|nothing|[-—–]+)(?:\s*[-—–(:,.].*)?$", re.IGNORECASE)
_NEEDS_NOTHING = re.compile(
    r"^(?:(?:this is the )?first (?:sprint|sortie|phase|step)\b.{0,80}"
    r"|.{0,60}\bno (?:prerequisites?|dependenc(?:y|ies)|preconditions?|entry criteria)\b.{0,40}"
    r"|none|nothing|n/a|independent)\W*$",
    re.IGNORECASE,
)
_IN_A_ROW = re.compile(r"^§0§(?: (?:→|->|then|&&) §\d+§)+")
_MAY_BE_ABSENT = ("no ", "zero ", "there ", "- no", "**no")
_JUDGMENT = re.compile(r"^\[judge?ment\]\s*", re.IGNORECASE)
_MANUAL = re.compile(
    r"^\[manual\]|\b(?:manual(?:ly)? (?:review|verif\w+|check\w*|test\w*)|by eye"
    r"|code review confirms"
    r"|operator[- ]attested|spot[- ]check)\b",
    re.IGNORECASE,
)


def has_box(text: str) -> bool:
    return _BOX.match(text) is not None


def is_ticked(text: str) -> bool:
    return text[:3] in ("[x]", "[X]")


def without_box(text: str) -> str:
    return _BOX.sub("", text.strip())


def says_none(text: str) -> bool:
    return _NOTHING.match(without_box(text)) is not None


def needs_nothing(text: str) -> bool:
    """Return whether the text says that nothing comes before it: `First sprint — no
    prerequisites`.
    """
    return len(text) < 200 and _NEEDS_NOTHING.match(without_box(text)) is not None


def text_criterion(raw: str, line: int, root: str = "") -> tuple[Criterion, list[PlanFinding]]:
    text = without_box(raw)
    if "`" not in text and not text.lower().startswith(_MAY_BE_ABSENT):
        return Criterion(text, _people_kind(text), line=line), []  # every form needs code
    words = words_of(text)
    named = _named(words)
    kind, check = understood(words)
    if check is None:
        kind = _people_kind(text)
        return Criterion(text, kind, line=line, named=named), []
    ran = [
        s
        for n, s in enumerate(words.spans)
        if s in check.command and (not n or s in words.commands)
    ]
    if reason := next(filter(None, (not_to_be_run(span, root) for span in ran)), ""):
        told = PlanFinding(line, f"Not run as a check: {reason}.")
        return Criterion(text, line=line, named=named), [told]
    return Criterion(text, kind, check.command, line, named, expects=check.expects), []


def form_of(text: str) -> str:
    """Return the name of the form that understood a criterion, for people."""
    form, _ = form_and_check(words_of(text))
    return form.__name__.replace("_", " ") if form is not None else ""


def _named(words: PhraseText) -> str:
    """Return the command that the words name: one, alternatives, or several in a row."""
    if len(words.commands) > 1 and "§ or §" in words.prose:
        return " || ".join(words.commands)
    if words.commands and len(words.spans) > 1 and _IN_A_ROW.match(words.prose):
        return " && ".join(words.spans[n] for n in spans_in(words.prose))
    return next(iter(words.commands), "")


def _people_kind(text: str) -> CriterionKind:
    if _JUDGMENT.match(text):
        return CriterionKind.JUDGMENT
    return CriterionKind.MANUAL if _MANUAL.search(text) else CriterionKind.CHECKLIST


def item_criteria(item: ListItem, root: str = "") -> tuple[list[Criterion], list[PlanFinding]]:
    """Return the criterion of a list item, and one for each shell fence inside it."""
    criterion, findings = text_criterion(item.text, item.line, root)
    scripts: list[Criterion] = []
    for fence in item.fences:
        script, found = fence_criterion(fence, root)
        findings += found
        if script is not None:
            scripts.append(script)
    if scripts and criterion.command is None and scripts[0].command is not None:
        first = Criterion(criterion.text, scripts[0].kind, scripts[0].command, item.line)
        return [first, *scripts[1:]], findings
    return [criterion, *scripts], findings


def nested_checks(items: Sequence[ListItem], root: str = "") -> Iterator[Criterion]:
    """Yield the checks below a criterion; other nested items are part of it."""
    for item in items:
        criteria, _ = item_criteria(item, root)
        yield from (criterion for criterion in criteria if criterion.command is not None)
        yield from nested_checks(item.items, root)


def fence_criterion(fence: Fence, root: str = "") -> tuple[Criterion | None, list[PlanFinding]]:
    """Return one criterion per fence: its lines are a script that stops at the first failure."""
    if fence.language not in SHELLS:
        return None, []
    lines = script_lines(fence)
    code = [line for line in lines if not line.lstrip().startswith("#")]
    if not code:
        return None, []
    if not fence.language and not reads_as_command(code[0].strip()):
        return None, [
            PlanFinding(
                fence.line,
                "This code block names no language, so topkick does not read it as commands.",
            )
        ]
    script = "\n".join(lines)
    if reason := not_to_be_run(script, root):
        finding = PlanFinding(fence.line, f"Not run as a check: {reason}.")
        return Criterion(script, line=fence.line), [finding]
    command = code[0].strip() if len(lines) == 1 else f"set -e\n{script}"
    return Criterion(script, CriterionKind.COMMAND, command, fence.line), []


def script_lines(fence: Fence) -> list[str]:
    lines = [line.rstrip() for line in fence.content.split("\n") if line.strip()]
    prompted = [line.lstrip() for line in lines if line.lstrip().startswith("$ ")]
    if prompted or fence.language in SESSIONS:
        return [line[2:] for line in prompted]
    return lines
