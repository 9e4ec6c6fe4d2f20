"""The labels under which people write what a sprint needs, does and must show."""

import re
from enum import Enum, auto


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
