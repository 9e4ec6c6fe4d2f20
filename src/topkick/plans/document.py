"""Reads a plan: the document of a person becomes the model, and what was noticed on the way.

A plan is hostile text. Everything here takes time linear in its size, under hard caps, and ends
in a reading or in a `PlanError` that names the line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from topkick.core.errors import PlanError
from topkick.core.model import Plan
from topkick.plans.assembly import assemble, find_sprints
from topkick.plans.findings import Finding
from topkick.plans.structure import Fence, Section, sections

__all__ = ["Finding", "PlanError", "Reading", "read"]

MAX_BYTES = 8 * 1024 * 1024
MAX_LINES = 200_000
MAX_BARS = 400_000  # what tables are made of

_TITLE_PREFIX = re.compile(r"^execution[ _]plan(?:\.md)?\s*[:—–-]\s*", re.IGNORECASE)
_TITLE_SUFFIX = re.compile(r"\s[:—–-]\s*execution[ _]plan(?:\.md)?$", re.IGNORECASE)
_FEATURE_NAME = re.compile(r"^feature_name\s*:\s*(.*)$")
_TEMPLATE = re.compile(
    r"\b(?:dispatch template|sprint prompt template|agent prompt)\b", re.IGNORECASE
)
_RULES = re.compile(r"^(?:\W|\d)*(?:project |global |general )?rules$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """`rule` says by what the work units were found."""

    plan: Plan
    findings: tuple[Finding, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True)
class _Front:
    """The front matter: how many lines it takes up, the name in it, and its other lines."""

    length: int = 0
    feature_name: str = ""
    others: tuple[str, ...] = ()


def read(text: str, *, default_name: str) -> Reading:
    """The plan in `text`; `default_name` names it where it has no title."""
    _refuse_giants(text)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    front = _front_matter(lines)
    # Markdown ends a line at a lone \r too; editors and our line numbers do not
    body = "\n".join([""] * front.length + lines[front.length :]).replace("\r", " ")
    parts = sections(body)
    title = _title(parts) or default_name
    sprints, findings = find_sprints(parts, lines)
    assembly = assemble(title, parts, sprints)
    plan = Plan(
        title,
        _hash(front, lines),
        feature_name=front.feature_name,
        rules=_rules(parts, lines),
        template=_template(parts),
        units=assembly.units,
    )
    every = sorted([*findings, *assembly.findings], key=lambda finding: finding.line)
    return Reading(plan, tuple(every), assembly.rule)


def _refuse_giants(text: str) -> None:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise PlanError(1, "it is larger than 8 MiB; split it.")
    if text.count("\n") >= MAX_LINES:
        raise PlanError(MAX_LINES + 1, f"it has more than {MAX_LINES} lines; split it.")
    if text.count("|") > MAX_BARS:
        raise PlanError(1, f"its tables have more than {MAX_BARS} cells; split it.")


def _front_matter(lines: Sequence[str]) -> _Front:
    if lines[0].rstrip() != "---":
        return _Front()
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return _Front()
    named = [found for line in lines[1:end] if (found := _FEATURE_NAME.match(line))]
    others = tuple(line for line in lines[1:end] if not _FEATURE_NAME.match(line))
    return _Front(end + 1, named[0][1].strip().strip("\"'") if named else "", others)


def _title(parts: Sequence[Section]) -> str:
    text = next((part.title for part in parts if part.level == 1), "").strip()
    return _TITLE_SUFFIX.sub("", _TITLE_PREFIX.sub("", text)).replace("*", "").strip()


def _rules(parts: Sequence[Section], lines: Sequence[str]) -> str:
    """The section of rules that hold for every sprint, word for word."""
    for number, part in enumerate(parts):
        if part.heading and part.level in (2, 3) and _RULES.match(part.title):
            deeper = (n for n in range(number + 1, len(parts)) if parts[n].level <= part.level)
            last = next(deeper, len(parts)) - 1
            return "\n".join(lines[part.heading.line : parts[last].end - 1]).strip("\n")
    return ""


def _template(parts: Sequence[Section]) -> str:
    """The prompt that the plan wants agents to get: the first fence below such a heading."""
    for part in parts:
        if part.heading and _TEMPLATE.search(part.title):
            fences = (block.content for block in part.blocks if isinstance(block, Fence))
            if found := next(fences, ""):
                return found
    return ""


def content_hash(text: str) -> str:
    """By which a plan is known to be the same: line endings and `feature_name` do not count."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    return _hash(_front_matter(lines), lines)


def _hash(front: _Front, lines: Sequence[str]) -> str:
    """Of the content: the operation's name may come and go without a change of the plan."""
    others = [line for line in front.others if line.strip()]
    head = ["---", *others, "---"] if others else []
    text = "\n".join(lines[front.length :]).lstrip("\n")
    return sha256("\n".join([*head, text]).encode("utf-8", "surrogatepass")).hexdigest()
