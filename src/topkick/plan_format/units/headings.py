"""Recognise headings that name a piece of work: a word, an id, and usually a name."""

import re
from dataclasses import dataclass

SEGMENT = r"[A-Za-z]{0,5}\d{1,6}(?:[A-Za-z]\d{0,3})?"
ID = rf"(?:[A-Za-z]{{1,8}}-)?{SEGMENT}(?:[.-]{SEGMENT}){{0,5}}|[IVX]{{1,5}}(?!\w)|[A-Z](?!\w)"
_AFTER = (
    r"(?:\s+of\s+\d+|\s*/\s*\d+)?(?:\s*[(（](?P<remark>[^()（）]{0,120})[)）])?"
    r"\s*(?:$|(?:[:：—–.|)]|-+(?=\s))\s*(?P<name>.*)$)"
)
_LEAD = r"^(?:[^\w\[`]|_){0,12}(?:(?:§\s*)?\d{1,3}(?:\.\d{1,3}){0,4}[.)、:]?\s+)?"

SPRINT_WORDS = ("sprint", "sortie")
# each family's English word first; the others are translations
FAMILIES = (
    ("phase", "fase", "fas", "etapa", "étape", "этап", "фаза", "فاز", "阶段", "フェーズ"),
    ("stage", "stufe"),
    ("milestone", "meilenstein", "hito", "jalon", "里程碑", "マイルストーン"),
    ("iteration", "iteración", "iteração"),
    ("week", "semana", "woche", "semaine", "周"),
    ("day", "dia", "día", "tag", "jour"),
    ("step", "schritt", "passo", "paso", "шаг", "步骤", "ステップ"),
    ("epic", "épico"),
    ("wave", "welle"),
    ("batch", "lote"),
    ("part", "teil", "parte"),
    ("session", "sesión"),
    ("task", "tarefa", "tarea", "aufgabe", "tâche", "задача", "任务", "タスク"),
    ("story", "user story"),
)
WORK_WORDS = "|".join((*SPRINT_WORDS, *(family[0] for family in FAMILIES)))
_FAMILY = {word: family[0] for family in FAMILIES for word in family}


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    return re.compile(
        rf"{_LEAD}(?P<open>\[)?(?P<word>(?i:{either}))[\s_-]{{0,3}}#?(?P<id>{ID})(?P<close>\])?"
        rf"(?:(?<=\])\s*[:：—–-]*\s*(?P<bare>.*)$|{_AFTER})"
    )


_SPRINT = _pattern(SPRINT_WORDS)
_WORK = _pattern(tuple(_FAMILY))
_SHORT = re.compile(rf"{_LEAD}(?P<word>S|ST)(?P<id>\d+(?:\.\d+)?[a-z]?){_AFTER}")
_NUMBERED = re.compile(
    r"^[\W_]{0,12}(?P<id>\d{1,3}(?:\.\d{1,3}){0,2})(?:[.):、]\s*|\s+[—–-]+\s+|\s+)(?P<name>\S.*)$"
)
_MENTION = re.compile(
    rf"{_LEAD}(?P<word>(?i:{'|'.join((*SPRINT_WORDS, *_FAMILY))}))\s{{1,3}}#?(?P<id>{ID})"
    r"\s+(?P<rest>\S.*)$"
)
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|`")


@dataclass(frozen=True, slots=True)
class WorkHeading:
    """A heading; `word` is its family: sprint, phase, task …"""

    word: str
    id: str
    name: str


def bare(text: str) -> str:
    return _EMPHASIS.sub("", text).strip()


def sprint_heading(text: str) -> WorkHeading | None:
    """Parse `Sprint 3: Name` and similar; a mention such as `Sprint Summary` is not one."""
    found = _SPRINT.match(text.replace("*", "").strip())
    return _heading(found, "sprint", "Sprint") if found else None


def short_sprint_heading(text: str) -> WorkHeading | None:
    """Parse `S1.2 – Name`, as people write below a unit's heading."""
    found = _SHORT.match(bare(text))
    if found is None or not (found["name"] or "").strip():
        return None
    return WorkHeading("sprint", f"S{found['id']}", found["name"].strip())


def work_heading(text: str) -> WorkHeading | None:
    """Parse `Phase 2: Name`, `Week 1 — Name`, `Task 40: Name` and so on."""
    found = _WORK.match(text.replace("*", "").strip())
    if found is None:
        return None
    word = _FAMILY[found["word"].lower()]
    return _heading(found, word, found["word"].capitalize())


def _heading(found: re.Match[str], word: str, called: str) -> WorkHeading | None:
    bracketed = found["open"] is not None
    if bracketed != (found["close"] is not None):
        return None
    name = (found["bare"] if bracketed else found["name"]) or found["remark"] or ""
    return WorkHeading(word, found["id"], name.strip() or f"{called} {found['id']}")


def numbered_heading(text: str) -> WorkHeading | None:
    """Parse `2. Name` or `2.1 Name`."""
    found = _NUMBERED.match(bare(text))
    return WorkHeading("number", found["id"], found["name"].strip()) if found else None


def mention(text: str) -> tuple[str, str, str] | None:
    """Parse `Sprint 1 Success` into family, id and the rest; it is not a work heading itself."""
    found = _MENTION.match(bare(text))
    if found is None:
        return None
    word = found["word"].lower()
    family = "sprint" if word in SPRINT_WORDS else _FAMILY[word]
    return family, found["id"], found["rest"]
