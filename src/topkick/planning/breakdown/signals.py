"""The signs by which a sentence, an item or a row is recognised as a requirement (BD-01)."""

import re
from collections.abc import Sequence

from topkick.planning.breakdown.imperatives import clean, sentences
from topkick.planning.breakdown.language import is_order
from topkick.planning.breakdown.model import Confidence, RequirementKind
from topkick.planning.breakdown.passages import HeadingRole, is_out, role_of

Sign = tuple[RequirementKind, Confidence]

_RFC = re.compile(r"\b(?:MUST|SHALL|SHOULD|REQUIRED|MAY)\b(?! ?/)")
_MUST = re.compile(
    r"\b(?:must|shall)\b|必须|应当|须|しなければならない|\bdeve(?:m|rá)?\b|\bmuss\b|\bdebe(?:n|rá)?\b"
    r"|\bdoit\b|\b\u0434\u043e\u043b\u0436\u043d?\b|باید"
)
_STORY = re.compile(r"\bas an? .{2,80}?,? i (?:want|need|would like|can)\b", re.IGNORECASE)
_TOC = re.compile(r"^\[[^\[\]]{1,200}\]\(#[^()]{0,200}\)$")
_WHEREABOUTS = re.compile(
    r"^(?:\*\*)?`(?:[\w.@/+-]+\.\w{1,8}(?::[\d,-]+)?|[A-Z][A-Z0-9_]{3,})`(?:\*\*)?\s+[-—–]\s+(?!.*\b(?:must|shall)\b)"
)
_BRANCH = re.compile(r"^\W*(?:else|otherwise|if)\b(?! you)", re.IGNORECASE)
_TASK_WORDS = re.compile(
    r"^\W*(?:implement|create|build|add|support|enable|integrate|provide|write)\b", re.IGNORECASE
)
_CONVENTION = re.compile(r"\bRFC ?2119\b|\bBCP ?14\b|\bkey ?words?\b.{0,80}\bMUST\b")
_TELLS_WHAT = re.compile(r"^\W*(?:what|how|why|which|whether)\b", re.IGNORECASE)
_STRUCK = re.compile(r"^~~.*~~")
_LABEL = re.compile(r"^(?:\*\*|__)([^*]{1,80}?)[:：.]?(?:\*\*|__)\s*[:：—–-]?")
_TBD = re.compile(
    r"\b(?:TBD|TBC|to be (?:decided|determined|confirmed|defined))\b|\?\?\?|待定"
    r"|à définir|zu klären",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"\b(?:resolved|answered|decided|decision:|answer:|closed)\b|✅|~~|已决|决定", re.IGNORECASE
)
_LEAD = re.compile(
    r"\b(?:must|shall|should|will|to|can|MUST|SHALL|SHOULD)\s+"
    r"(?P<verb>support|provide|include|handle|offer|expose|accept|allow|cover|validate|verify|log"
    r"|store|display|show|test|report|emit|return|have)s?\b[^:：]{0,60}[:：]\s*$"
)


def sign_of(text: str, role: HeadingRole, *, box: bool, led: bool, title: str) -> Sign | None:
    """Return by which sign a list item asks for something, or None."""
    if _RFC.search(text):
        return RequirementKind.STATEMENT, Confidence.EXPLICIT
    if _STORY.search(text):
        return RequirementKind.STORY, Confidence.EXPLICIT
    if box:
        return RequirementKind.CHECKLIST, Confidence.IMPLICIT
    if role is HeadingRole.WORK:
        said = "requirement" in title.lower() or "需求" in title
        return RequirementKind.LISTED, Confidence.EXPLICIT if said else Confidence.IMPLICIT
    if _MUST.search(text):
        return RequirementKind.STATEMENT, Confidence.IMPLICIT
    if led or is_order(clean(text).replace("*", "")):
        return RequirementKind.LISTED, Confidence.IMPLICIT
    return None


def sign_of_sentence(text: str, role: HeadingRole) -> Sign | None:
    """Return the sign of a sentence; in prose only words of duty count, or a story."""
    if (
        len(text) > 500
        or _CONVENTION.search(text)
        or _TELLS_WHAT.match(text)
        or text.rstrip().endswith((":", "：", "?", "\uff1f"))
    ):
        return None
    if _RFC.search(text):
        return RequirementKind.STATEMENT, Confidence.EXPLICIT
    if _STORY.search(text):
        return RequirementKind.STORY, Confidence.EXPLICIT
    if _MUST.search(text):
        return RequirementKind.STATEMENT, Confidence.IMPLICIT
    if (role is HeadingRole.WORK or _TASK_WORDS.match(text)) and is_order(clean(text)):
        return RequirementKind.STATEMENT, Confidence.IMPLICIT
    return None


def says_duty(text: str) -> bool:
    return _RFC.search(text) is not None


def is_no_item(text: str) -> bool:
    """Return whether the line is a table of contents, struck out, or a location."""
    said = text.strip()
    return bool(_TOC.match(said) or _STRUCK.match(said) or _WHEREABOUTS.match(said))


def is_procedure(texts: Sequence[str]) -> bool:
    """Return whether the items are steps of one thing (`If …`, `Else …`), not tasks."""
    return any(_BRANCH.match(text) and not says_duty(text) for text in texts)


def within_scope(text: str) -> str:
    """Return the text without clauses that say what should not be done now."""
    if not is_out(text):
        return text
    kept = [clause for one in sentences(text) for clause in one.split("; ") if not is_out(clause)]
    return "; ".join(kept)


def label_role(text: str) -> HeadingRole:
    """Return the role of a label such as `**Non-goals**: …` at the start of a line."""
    found = _LABEL.match(text.strip())
    return role_of(found[1]) if found else HeadingRole.NEUTRAL


def lead_of(text: str) -> str:
    """Return the verb of "The tool must support:", for the items below it."""
    found = _LEAD.search(text[-200:])
    if found is None:
        return ""
    verb = found["verb"].capitalize()
    return "Provide" if verb == "Have" else verb


def is_undecided(text: str) -> bool:
    return _TBD.search(text) is not None and not _SETTLED.search(text)


def is_settled(text: str) -> bool:
    return _SETTLED.search(text) is not None


# --- tables ----------------------------------------------------------------------------------

_NAMES = re.compile(
    r"^(?:features?|requirements?|name|items?|stor(?:y|ies)|tasks?|rule|capability|change|work"
    r"|功能名称|功能|名称|需求|模块|機能|funcionalidade|requisito|tarefa|anforderung|funktion|exigence"
    r"|fonctionnalité|tarea|requerimiento|area|category)$"
)
_TELLS = re.compile(
    r"^(?:descriptions?|requirements?|details?|behaviou?r|what|acceptance(?: criteria)?|spec"
    r"|描述|说明|功能描述|需求描述|要求|内容|説明|descrição|beschreibung|descripción|description)$"
)
_NUMBERS = re.compile(r"^(?:id|#|no\.?|nr\.?|编号|序号|功能编号|ref)$")
_STATES = re.compile(
    r"^(?:status|state|priority|phase|release|version|when|状态|优先级|阶段|版本)$"
)
_PUT_OFF = re.compile(
    r"✅|☑|\b(?:done|complete[d]?|shipped|future|later|won['’]?t|out|deferred|v[2-9])\b|已完成|不做|未来",
    re.IGNORECASE,
)


def columns_of(header: Sequence[str]) -> tuple[int, int] | None:
    """Return which columns name a requirement and describe it; the same twice if one does both."""
    cells = [cell.strip().strip("*").lower() for cell in header]
    names = next((n for n, cell in enumerate(cells) if _NAMES.match(cell)), None)
    tells = next((n for n, c in enumerate(cells) if _TELLS.match(c) and n != names), None)
    if names is None and tells is None:
        return None
    if names is None or tells is None:
        only = names if names is not None else tells
        assert only is not None
        return only, only
    return names, tells


def put_off(header: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a row says that it is done, or not for now."""
    titles = (cell.strip().strip("*").lower() for cell in header)
    return any(
        _PUT_OFF.search(cell)
        for title, cell in zip(titles, cells, strict=False)
        if _STATES.match(title)
    )
