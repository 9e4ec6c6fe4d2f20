"""Add and sharpen exit criteria in the lines of a plan, each verified by reading it again."""

import re
from collections import Counter
from dataclasses import dataclass, replace

from topkick.core.plan import SprintPlan
from topkick.core.sprint_names import PATH
from topkick.core.sprint_traits import is_vague
from topkick.plans.criteria import text_criterion
from topkick.plans.document import Reading
from topkick.plans.labels import Label
from topkick.plans.refining.anatomy import Anatomy, anatomy, item_lead
from topkick.plans.refining.assessment import OVERSIZED_FROM, assess
from topkick.plans.refining.proposals import MARK, proposals
from topkick.plans.refining.scores import runs_tests
from topkick.plans.refining.source import Draft, core_of, refusal
from topkick.plans.surroundings import Surroundings

LONGEST = 120
_NARROW = re.compile(
    r"only-testing|--?filter|--?run\b|\s-[km]\s+\S+\s*$|test[-:]\w|[`{}]|\bTESTS?="
)


@dataclass(frozen=True, slots=True)
class Sharpened:
    text: str
    proposed: int = 0
    sharpened: int = 0

    @property
    def changed(self) -> bool:
        return bool(self.proposed or self.sharpened)


def sharpened(text: str, reading: Reading, around: Surroundings, max_turns: int) -> Sharpened:
    if refusal(reading):
        return Sharpened(text)
    around = replace(around, test_command=around.test_command or _own_tests(reading))
    draft = Draft.of(text)
    # a box may make a heading a sprint, so none is added where there was none
    mark = "- [ ] " if any(said.boxes for said in reading.sprints.values()) else "- "
    proposed = vague = 0
    for unit in reading.plan.units:
        for sprint in unit.sprints:
            said = reading.sprints[unit.name, sprint.id]
            body = anatomy(draft, core_of(draft, (said.first, said.behind)))
            vague += _sharpen(draft, sprint, around)
            room = (
                int(max_turns * OVERSIZED_FROM)
                - assess(reading, unit.name, sprint, max_turns).turns
            )
            found = proposals(unit, sprint, around)[: max(room, 0)]
            if found:
                _add(draft, body, [one.text for one in found], mark, delivered=said.delivered)
                proposed += len(found)
    return Sharpened(draft.text(), proposed, vague)


def _own_tests(reading: Reading) -> str:
    """Return the test command that the plan uses most, if no manifest names one."""
    said = [*reading.plan.gate]
    for unit in reading.plan.units:
        said += [*unit.verify, *(c.command or "" for s in unit.sprints for c in s.exit)]
    tests = [line for line in said if runs_tests(line) and len(line) < LONGEST and "\n" not in line]
    whole = Counter(line for line in tests if not (_NARROW.search(line) or PATH.search(line)))
    return min(whole, key=lambda line: (-whole[line], line)) if whole else ""


def _sharpen(draft: Draft, sprint: SprintPlan, around: Surroundings) -> int:
    """Add a command to vague criteria such as `It works correctly`; a person's words stay."""
    count = 0
    for criterion in sprint.exit:
        if criterion.command is None and is_vague(criterion.text) and around.test_command:
            line = draft[criterion.line]
            new = f"{line.rstrip().rstrip('.')}: `{around.test_command}` passes {MARK}"
            words = f"{criterion.text.rstrip('.')}: `{around.test_command}` passes {MARK}"
            if line.endswith(criterion.text) and text_criterion(words, 0)[0].command:
                draft[criterion.line] = new
                count += 1
    return count


def _add(draft: Draft, body: Anatomy, texts: list[str], mark: str, *, delivered: bool) -> None:
    """Add criteria at the end of their list, in its style; else as a new list."""
    wanted = Label.DELIVERABLES if delivered else Label.EXIT
    part = next((part for part in reversed(body.parts) if part.label is wanted), None)
    if part is None:
        lines = ["", "**Exit criteria**:", *(f"{mark}{text}" for text in texts)]
        draft.insert_behind(body.span[1] - 1, lines)
        return
    before: list[str] = [""]
    if part.items and part.plain:
        lead, box = item_lead(draft[part.items[-1][0]])
        if lead.strip() in ("-", "*", "+"):
            mark, before = f"{lead}{'[ ] ' if box else ''}", []
    draft.insert_behind(part.behind - 1, [*before, *(f"{mark}{text}" for text in texts)])
