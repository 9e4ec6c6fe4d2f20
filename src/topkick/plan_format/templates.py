"""The prompt template that a plan gives for its agents (PL-14)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topkick.plan_format.text.structure import Fence, Section

_TITLE = re.compile(
    r"\b(?:dispatch(?: prompt)? template|(?:sprint|sortie)(?: dispatch)? prompt(?: template)?"
    r"|agent prompt(?: template)?|prompt template)\b",
    re.IGNORECASE,
)
_APPENDIX = re.compile(r"^\W*appendix d\b", re.IGNORECASE)
_KEY = re.compile(r"^template\s*:\s*(?:[|>][+-]?\s*$|(?P<rest>\S.*)$)", re.MULTILINE)
_PLACEHOLDER = re.compile(
    r"<[A-Za-z0-9][A-Za-z0-9_ |-]{0,60}>|\$PROJECT_ROOT|\{\{?[A-Za-z_ ]{2,40}\}?\}"
)
_ORDER = re.compile(
    r"\b(?:you are|your (?:task|assignment|sprint|sortie)|read these files)\b", re.IGNORECASE
)
_ROOT = re.compile(
    r"(?<![\w$>}.])(/[\w.@+-]+(?:/[\w.@+-]+)*|~(?:/[\w.@+-]+)+)/"
    r"(?=EXECUTION_PLAN\.md|<(?:PACKAGE|WORK_UNIT|UNIT|COMPONENT)_DIR)"
)


@dataclass(frozen=True, slots=True)
class PlanTemplate:
    heading: str = ""
    text: str = ""
    line: int = 0
    placeholders: tuple[str, ...] = ()


def template_of(sections: Sequence[Section]) -> PlanTemplate:
    """Find a section with that title, an Appendix D that contains one, or a `template:` key in
    YAML.
    """
    for finder in (_titled, _appendix, _keyed):
        if found := next(finder(sections), None):
            return found
    return PlanTemplate()


def _titled(sections: Sequence[Section]) -> Iterator[PlanTemplate]:
    for part in sections:
        titled = part.heading and _TITLE.search(part.title)
        if titled and (fence := _fence_with_order(part) or _first_fence(part)):
            yield _template(part, fence.content, fence.line)


def _appendix(sections: Sequence[Section]) -> Iterator[PlanTemplate]:
    for part in sections:
        if part.heading and _APPENDIX.match(part.title) and (fence := _fence_with_order(part)):
            yield _template(part, fence.content, fence.line)


def _keyed(sections: Sequence[Section]) -> Iterator[PlanTemplate]:
    for part in sections:
        for block in part.blocks:
            if isinstance(block, Fence) and block.language in ("yaml", "yml"):
                found = _KEY.search(block.content)
                if found and (text := found["rest"] or _indented(block.content[found.end() :])):
                    yield _template(part, text, block.line)


def _first_fence(part: Section) -> Fence | None:
    fences = (block for block in part.blocks if isinstance(block, Fence) and block.content.strip())
    return next((fence for fence in fences if fence.language not in ("yaml", "yml")), None)


def _fence_with_order(part: Section) -> Fence | None:
    fences = (block for block in part.blocks if isinstance(block, Fence))
    return next(
        (f for f in fences if _PLACEHOLDER.search(f.content) and _ORDER.search(f.content)), None
    )


def _indented(text: str) -> str:
    lines = text.lstrip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    kept: list[str] = []
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) < margin:
            break
        kept.append(line[margin:])
    return "\n".join(kept).strip("\n") if margin else ""


def _template(part: Section, text: str, line: int) -> PlanTemplate:
    placeholders = tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))
    return PlanTemplate(part.title, _ROOT.sub("$PROJECT_ROOT/", text), line, placeholders)
