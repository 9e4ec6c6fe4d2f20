"""Recognise headings and labels: what names a piece of work, and what names a part of it.

A work heading is a word, an id and usually a name (`Sprint 3: Parser`). A label (`Exit criteria`)
is a heading or the bold start of a line; the text below it says what a sprint needs, does or must
show.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto

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


class Label(Enum):
    ENTRY = auto()
    TASKS = auto()
    EXIT = auto()
    DELIVERABLES = auto()
    EXPECTED = auto()
    DEPENDS = auto()
    TYPE = auto()
    FAILS_IF = auto()
    DIRECTORY = auto()
    UNIT = auto()
    LAYER = auto()
    PRIORITY = auto()
    TURNS = auto()
    OTHER = auto()


LONGEST = 200
_WORDS = {
    Label.ENTRY: """
        entry criteria | entry criterion | entry conditions | entry checks | preconditions
        | precondition | prerequisites | prerequisite | critérios de entrada | pré requisitos
        | criterios de entrada | requisitos previos | critères d entrée | prérequis
        | voraussetzungen | eingangskriterien | 前置条件 | 入口条件 | 進入條件 | 前提条件
        """,
    Label.TASKS: """
        tasks | task list | steps | execute | run | action | actions | action items | to do | todo
        | todos | work | work items | implementation steps | subtasks | backlog | scope of work
        | tarefas | tareas | tâches | aufgaben | schritte | attività | задачи | 任务 | 任务清单
        | 任務 | タスク | 作業内容 | وظایف
        """,
    Label.EXIT: """
        exit criteria | exit criterion | exit conditions | exit checks | exit | acceptance criteria
        | acceptance criterion | acceptance | acceptance tests | definition of done | dod
        | done when | done criteria | is done when | completion criteria | completion conditions
        | completion checklist | complete when | success criteria | success criterion | success
        | success metrics | success metric | verification | verification commands
        | verification steps | verification checklist | verification criteria | verify
        | validation | validation commands | validation steps | validation checklist
        | validation criteria | validate | checkpoint | quality gate | quality gates
        | critérios de aceite | critérios de aceitação | critérios de saída | critérios de conclusão
        | definição de pronto | criterios de aceptación | criterios de salida | criterios de éxito
        | critères d acceptation | critères de sortie | critères de succès | abnahmekriterien
        | akzeptanzkriterien | erfolgskriterien | ausgangskriterien | critério de aceite
        | критерии приемки | критерии готовности | 验收标准 | 验收 | 完成标准 | 退出条件
        | 驗收標準 | 完了条件 | 受け入れ条件 | 受入条件 | معیار پذیرش
        """,
    Label.DELIVERABLES: """
        deliverables | deliverable | outputs | artifacts | entregáveis | entregables | livrables
        | lieferobjekte | 交付物 | 输出物 | 成果物
        """,
    Label.EXPECTED: """
        expected | expected output | expected result | expected results | should print | output
        """,
    Label.DEPENDS: """
        depends on | depends | dependencies | dependency | requires | blocked by | waits for
        | depende de | dependências | dependencias | dépend de | abhängig von | abhängigkeiten
        | 依赖 | 依存
        """,
    Label.TYPE: "type | sprint type | sortie type | task type",
    Label.FAILS_IF: "fails if | fail if",
    Label.DIRECTORY: "directory | working directory | dir | path | repository | repo | location",
    Label.UNIT: "work unit | unit | package | component | module",
    Label.LAYER: "layer | tier",
    Label.PRIORITY: "priority | priority score",
    Label.TURNS: "estimated turns | turns | turn budget",
}
LABELS = {
    " ".join(words.split()): label for label, text in _WORDS.items() for words in text.split("|")
}
_PARENTHESIS = re.compile(r"\([^()]*\)|（[^（）]*）")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_BOLD = re.compile(
    r"^(?:[^\w\s*]{1,3}\s*)?(?:\*\*|__)(?P<label>[^*]{1,80}?)(?P<colon>[:：]?)(?:\*\*|__)"
    r"(?:\s*\([^()]{0,80}\))?\s*(?P<colon2>[:：]?)\s*(?P<rest>.*)$"
)
_PLAIN = re.compile(
    r"^(?P<label>[\w][\w '/-]{1,40}?)\s*(?:\([^()]{0,60}\))?\s*[:：]\s*(?P<rest>.*)$"
)
_OWNER = re.compile(
    r"^(?:work unit|sprint|sortie|phase|stage|week|day|milestone|step|task|story|final|overall"
    r"|global|universal|minimum|key|primary|all)\b"
)
# labels that may follow the name of their owner: "Sprint 2 Exit Criteria"
_TRAILING = frozenset({Label.ENTRY, Label.EXIT, Label.DELIVERABLES})


def words(text: str) -> str:
    """Return lower-case letters of any alphabet with single spaces, without brackets' content."""
    return _NOT_LETTERS.sub(" ", _PARENTHESIS.sub(" ", text.lower())).strip()


def label_of(text: str) -> Label | None:
    """Return the label that a heading or the bold start of a line is."""
    if len(text) > LONGEST:
        return None
    said = words(text)
    if label := LABELS.get(said):
        return label
    tail = said
    while " " in tail:
        tail = tail.split(" ", 1)[1]
        label = LABELS.get(tail)
        if label in _TRAILING and (tail.endswith("criteria") or _OWNER.match(said)):
            return label
    return None


def label_line(line: str) -> tuple[Label, str] | None:
    """Parse a line that begins with a label: the label, and the words after it."""
    if not line or (line[0].isalnum() and ":" not in line[:120] and "：" not in line[:120]):
        return None  # a quick test: most lines are prose
    if found := _BOLD.match(line):
        label = label_of(found["label"])
        colon = found["colon"] or found["colon2"]
        if label and (colon or not found["rest"]):
            return label, found["rest"]
        return (Label.OTHER, "") if colon else None
    found = _PLAIN.match(line) if len(line) <= 400 else None
    label = LABELS.get(words(found["label"])) if found else None
    if found is None or label is None:
        return None
    return (label, found["rest"]) if not found["rest"] or label in _ONE_LINERS else None


_ONE_LINERS = frozenset({Label.DEPENDS, Label.LAYER, Label.DIRECTORY, Label.PRIORITY, Label.TURNS})
