"""The commands that verify units together: the plan's gate, and each unit's own (GT-01, GT-02)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from topkick.plan_format.criteria.criteria import without_box
from topkick.plan_format.model import PlanFinding, UnitPlan
from topkick.plan_format.order.gate_commands import (
    builds,
    in_fence,
    in_words,
    is_choice,
    only_builds,
    prepared,
    refusal,
)
from topkick.plan_format.order.references import UnitNames
from topkick.plan_format.structure import Fence, ItemList, ListItem, Paragraph, Quote, Section
from topkick.plan_format.units.headings import LABELS, words

# --- sentences that ask for a verification -----------------------------------------------------
# For example `when X is complete, verify: …`.

_ASKED = re.compile(r"\b(?:verify|verified|verifying|verification)\b", re.IGNORECASE)
_ORDERED = re.compile(r"\b(?:when|once|after|until|before)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:when|once|after|until)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;!?](?=\s|$)")
_BEHIND = re.compile(r"[`:：]")
_BEFORE = re.compile(r"(?<=`)\s*,?\s*before\b[^`]*$", re.IGNORECASE)
_WORD = re.compile(r"[\w./-]*\w")
NAME_WORDS = 5


def waited_for(text: str, names: UnitNames) -> tuple[str, ...]:
    """Return the units that a text says to verify before others start, or none."""
    asked = _ASKED.search(text)
    if asked is None or len(names.all) < 2 or not _ORDERED.search(text):
        return ()
    rest = text[asked.end() :]
    if "`" not in rest and not rest.rstrip().endswith((":", "：")):
        return ()
    first = tuple(_named(_BEHIND.split(rest, maxsplit=1)[0], names))
    return first or tuple(_named(_awaited(text), names))


def behind_verify(text: str) -> str:
    """Return the code after the word, without a following `before …`."""
    asked = _ASKED.search(text)
    at = text.find("`", asked.end()) if asked else -1
    return _BEFORE.sub("", text[at:].strip().rstrip(".")) if at >= 0 else ""


def _awaited(text: str) -> str:
    """Return the text after `when`, `once` or `after`, up to the end of its sentence."""
    found = _AFTER.search(text)
    if found is None:
        return ""
    rest = text[found.end() :]
    ends = [one.start() for one in (_SENTENCE.search(rest), _ASKED.search(rest)) if one]
    return rest[: min(ends, default=len(rest))]


def _named(text: str, names: UnitNames) -> Iterator[str]:
    """Yield the units named in a text, each by the longest matching words."""
    places = [(found.start(), found.end()) for found in _WORD.finditer(text)]
    seen: set[str] = set()
    at = 0
    while at < len(places):
        for many in range(min(NAME_WORDS, len(places) - at), 0, -1):
            name = names.find(text[places[at][0] : places[at + many - 1][1]])
            if name is not None:
                if name not in seen:
                    yield name
                seen.add(name)
                at += many - 1
                break
        at += 1


MAX_COMMANDS = 5


def _labels(text: str) -> frozenset[str]:
    return frozenset(" ".join(one.split()) for one in text.split("|"))


_GATES = _labels("""
    build gate | build gates | gate command | gate commands | build gate command
    | build gate commands | build checkpoint | build checkpoints | build checkpoint command
    | phase gate | phase gate command | integration gate | integration gate command | final gate
    | test gate | build and test gate | gate | build and test | build test | build command
    | build commands | test command | test commands | build and test command
    | build and test commands | build test commands | full test suite | full suite | full build
    | full build and test | final verification | final build | final build and test
    | full verification
    """)
_SHORT = _labels("build | test | tests | test suite")
"""Words that are too common for a heading: only a line that names its command counts."""
_VERIFIES = _labels("""
    verify | verification | verify with | verified by | verified with | verification command
    | verification commands | verify command | validation command | validation commands
    | build verification | unit gate | exit gate
    """)
_KNOWN = _GATES | _SHORT | _VERIFIES | LABELS.keys()
_BOLD = re.compile(
    r"^(?:[^\w\s*]{1,3}\s*)?(?:\*\*|__)(?P<label>[^*`]{1,80}?)[:：]?(?:\*\*|__)"
    r"\s*(?:\([^()`]{0,80}\))?\s*[:：—–-]?\s*(?P<rest>.*)$"
)
_PLAIN = re.compile(
    r"^(?:[^\w\s*`]{1,3}\s*)?(?P<label>\w[\w '/&+-]{1,40}?)\s*(?:\([^()`]{0,60}\))?"
    r"(?:\s*[:：]|\s[—–-]{1,2}\s)\s*(?P<rest>.*)$"
)
_WITH = re.compile(
    r"^(?P<label>verify|verified|build|test)\s+(?:it )?(?:with|by|using|via)\s*:?\s*(?P<rest>`.*)$",
    re.IGNORECASE,
)
_SET_ASIDE = re.compile(
    r"^\W*(?:archived?|superseded|obsolete|examples?|samples?|template)\b", re.IGNORECASE
)
_CD = re.compile(r"^cd\s+[\"']?(?:\./)?([\w./@+-]+)")
LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class GateCommand:
    """A command; `unit` is what it verifies, empty for everything together."""

    command: str
    line: int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Gates:
    """The commands; `given` has those of each unit, and under the empty name those of the whole."""

    given: Mapping[str, tuple[GateCommand, ...]] = field(default_factory=dict)
    findings: tuple[PlanFinding, ...] = ()

    def of(self, unit: str) -> tuple[str, ...]:
        return tuple(one.command for one in self.given.get(unit, ()))


Owners = tuple[str, ...]
WHOLE: Owners = ("",)


@dataclass(slots=True)
class _Search:
    units: Sequence[UnitPlan]
    root: str
    names: UnitNames
    given: dict[str, dict[str, GateCommand]] = field(default_factory=dict)
    findings: list[PlanFinding] = field(default_factory=list)

    def take(self, commands: Sequence[str], line: int, owners: Owners) -> None:
        """Take commands; a gate must build or test, because looking at files proves nothing."""
        if owners == WHOLE and not all(map(builds, commands)):
            self.refuse(line, "it neither builds nor tests")
            return
        self._run(commands, line, owners)

    def take_fence(self, fence: Fence, owners: Owners) -> None:
        commands = in_fence(fence)
        if is_choice(fence) and commands:
            self.refuse(fence.line, "it names several commands to choose from")
        elif only_builds(commands):
            self._run(commands, fence.line, owners)
        elif any(map(builds, commands)):
            self.refuse(fence.line, "it does more than build and test")

    def _run(self, commands: Sequence[str], line: int, owners: Owners) -> None:
        for command in commands:
            if reason := refusal(command, self.root):
                self.refuse(line, reason)
                return
        for command in map(prepared, commands):
            owner = owners[0] if len(owners) == 1 else self._at_home(command, owners)
            if owner is None:
                self.refuse(
                    line,
                    f"it is not clear which of these units it checks: {', '.join(owners)[:80]}",
                )
            else:
                self._keep(GateCommand(command, line, owner))

    def _keep(self, one: GateCommand) -> None:
        own = self.given.setdefault(one.unit, {})
        if one.command not in own and len(own) == MAX_COMMANDS:
            self.refuse(one.line, f"the gate has {MAX_COMMANDS} commands already")
        else:
            own.setdefault(one.command, one)

    def _at_home(self, command: str, owners: Owners) -> str | None:
        """Return the one unit in whose directory a command runs."""
        found = _CD.match(command)
        place = found[1].rstrip("/") if found else ""
        homes = [u.name for u in self.units if u.name in owners and u.directory == place]
        return homes[0] if len(homes) == 1 else None

    def refuse(self, line: int, reason: str) -> None:
        self.findings.append(PlanFinding(line, f"Not run as a gate: {reason}."))


def gates_of(
    sections: Sequence[Section],
    inside: set[int],
    units: Sequence[UnitPlan],
    cells: Mapping[str, Sequence[str]],
    root: str = "",
    template: str = "",
) -> Gates:
    """Find the gate commands; `inside` are sections of sprints, `cells` the units' verify cells.

    The section with heading `template` is skipped, as it is for agents.
    """
    search = _Search(units, root, UnitNames([unit.name for unit in units]))
    for unit in units:
        for text in cells.get(unit.name, ()):
            _sentence(search, text, unit.line, (unit.name,) if len(units) > 1 else WHOLE)
    for number, part in enumerate(sections):
        if number not in inside and not is_aside(part, template):
            _read(search, part, _owner(search, part))
    given = {owner: tuple(own.values()) for owner, own in search.given.items()}
    return Gates(given, tuple(dict.fromkeys(search.findings)))


def is_aside(part: Section, template: str) -> bool:
    titles = [part.title, *(above.text for above in part.parents)]
    return any(_SET_ASIDE.match(t) or (template and t == template) for t in titles)


def _owner(search: _Search, part: Section) -> Owners:
    """Return the unit whose section this is; with a single unit everything is the whole."""
    if len(search.units) < 2:
        return WHOLE
    above = [*part.parents, *([part.heading] if part.heading else [])]
    named = (search.names.find(h.text) for h in reversed(above) if h.level > 1)
    return (next((name for name in named if name), ""),)


# --- labels and their content ----------------------------------------------------------------


def _read(search: _Search, part: Section, owners: Owners) -> None:
    """Read a section; `below` are the owners of what follows an open label."""
    whole: Owners | None = None
    if part.heading is not None:
        label, rest = _labelled(part.title) or (words(part.title), "")
        if _names_gate(label, owners) and not _sentence(search, rest, part.heading.line, owners):
            whole = owners
    below = whole
    for block in part.blocks:
        match block:
            case Paragraph() | Quote():
                below = _read_lines(search, block.lines, block.line, owners, whole)
                continue
            case Fence() if below:
                search.take_fence(block, below)
            case ItemList():
                for item in block.items:
                    _read_item(search, item, owners, below)
            case _:
                pass
        below = whole


def _read_lines(
    search: _Search, lines: Sequence[str], first: int, owners: Owners, below: Owners | None
) -> Owners | None:
    """Read lines; return the owners of what follows, if they end with a label."""
    told = " ".join(lines)[:LONGEST]
    if waited := waited_for(told, search.names):
        return _verify(search, told, first, waited)
    last = below
    for number, line in enumerate(lines, start=first):
        last = _read_line(search, line.strip(), number, owners, below)
    return last


def _read_line(
    search: _Search, line: str, number: int, owners: Owners, below: Owners | None
) -> Owners | None:
    label, rest = _labelled(line) or ("", line)
    if not label or (below and label == "run"):
        if below:
            _sentence(search, line, number, below)
        return below
    if label in _SHORT:
        _take_short(search, rest, number, owners)
    elif _names_gate(label, owners) and not _sentence(search, rest, number, owners):
        return owners
    return None


def _take_short(search: _Search, text: str, line: int, owners: Owners) -> None:
    """Take commands of more than one word: `Test: `vitest`` names a tool, not the command."""
    commands, _ = in_words(text[:LONGEST])
    if all(len(command.split()) > 1 for command in commands):
        search.take(commands, line, owners)


def _read_item(search: _Search, item: ListItem, owners: Owners, below: Owners | None) -> None:
    text = without_box(item.text)[:LONGEST]
    if waited := waited_for(text, search.names):
        below = _verify(search, text, item.line, waited)
    else:
        below = _read_line(search, text, item.line, owners, below)
    if below:
        for fence in item.fences:
            search.take_fence(fence, below)


def _verify(search: _Search, text: str, line: int, waited: Owners) -> Owners | None:
    command = behind_verify(text)
    return None if command and _sentence(search, command, line, waited) else waited


def _sentence(search: _Search, text: str, line: int, owners: Owners) -> bool:
    """Take the commands of a labelled sentence; return whether it names any."""
    commands, reason = in_words(text[:LONGEST])
    if reason:
        search.refuse(line, reason)
    search.take(commands, line, owners)
    return bool(commands or reason)


def _labelled(line: str) -> tuple[str, str] | None:
    if len(line) > LONGEST:
        return None
    if found := _BOLD.match(line) or _WITH.match(line):
        return words(found["label"]), found["rest"].strip()
    found = _PLAIN.match(line)
    label = words(found["label"]) if found else ""
    return (label, found["rest"].strip()) if found and label in _KNOWN else None


def _names_gate(label: str, owners: Owners) -> bool:
    return label in _GATES or (owners != WHOLE and label in _VERIFIES)
