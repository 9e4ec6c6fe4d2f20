"""A team's session as its files say: parsed tolerantly, malformed values count as empty."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topkick.team.bus import model as bus
from topkick.team.bus.model import STATE_UPDATE, Message

SESSION_FILES = ("team-session.json", "session.json")
META = ".msg/meta.json"
WISDOM = "wisdom/*.md"
ARTIFACTS = "artifacts/"
LONGEST_CHARS = 1 << 22
LONGEST_VALUE = 2_000
MOST_ENTRIES = 1_000
_NUMBER = re.compile(r"\s*(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)")
_USE = re.compile(r"(?:use|using|adopt|choose|chose|pick|go with)\s+(.+)", re.IGNORECASE)
_FOR = re.compile(r"(.+?)\s+(?:for|as)\s+(?:the\s+|our\s+)?(.+)", re.IGNORECASE)
_REASON = re.compile(r"\s+(?:\(|—|–|--|because\b|since\b|due to\b)\s*", re.IGNORECASE)
_CRITICAL = re.compile(r"\W{0,3}(critical|blocking|blocker)\b", re.IGNORECASE)
_SEVERE = frozenset({"critical", "blocking", "blocker"})
_CLOSED = frozenset({"resolved", "closed", "answered", "done"})


@dataclass(frozen=True, slots=True)
class TeamTask:
    """A task; `needs` are the tasks before it, times are texts as the file has them."""

    id: str
    role: str = ""
    status: str = ""
    needs: tuple[str, ...] = ()
    ref: str = ""
    started_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A session; `readable` unless the file was not a JSON object. Supervision is on by default.

    `root` is the session directory, which is not part of the file.
    """

    id: str = ""
    mode: str = ""
    requirement: str = ""
    team: str = ""
    supervision: bool = True
    tasks: tuple[TeamTask, ...] = ()
    complexity: str = ""
    topology: str = ""
    created_at: str = ""
    readable: bool = True
    root: str = ""

    def task(self, task_id: str) -> TeamTask | None:
        return next((task for task in self.tasks if task.id == task_id), None)


@dataclass(frozen=True, slots=True)
class SessionDecision:
    """A decision; `key` is its subject, empty if none was given."""

    key: str
    value: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SessionQuestion:
    text: str
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the vocabulary, and synonyms that should not be used."""

    name: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoleState:
    """The last state that a role reported about itself, or about one of its tasks."""

    role: str
    status: str = ""
    task_id: str = ""
    ref: str = ""
    key_findings: tuple[str, ...] = ()
    decisions: tuple[SessionDecision, ...] = ()
    open_questions: tuple[SessionQuestion, ...] = ()
    quality_self_score: float | None = None
    terminology_keys: tuple[Term, ...] = ()
    upstream_refs_consumed: tuple[str, ...] = ()
    updated_at: str = ""
    errors: int = 0


# --- the two files, and the bus --------------------------------------------------------------


def read_session(text: str) -> Session:
    found = parsed(text)
    if not isinstance(found, Mapping):
        return Session(readable=False)
    pipeline = found.get("pipeline")
    inner: Mapping[str, object] = pipeline if isinstance(pipeline, Mapping) else {}
    both = {**inner, **found}
    named = inner.get("mode") if inner else pipeline
    tasks = found.get("tasks") or inner.get("tasks")
    return Session(
        id=_first(both, "session_id", "id"),
        mode=_text(named) or _first(both, "pipeline_mode", "mode"),
        requirement=_first(both, "requirement", "task_description"),
        team=_first(both, "team_name", "team"),
        supervision=both.get("supervision") is not False,
        tasks=_tasks(tasks),
        complexity=_first(both, "complexity").casefold(),
        topology=_first(both, "impl_topology", "topology").casefold(),
        created_at=_first(both, "created_at"),
    )


def read_roles(meta_text: str) -> Mapping[str, RoleState]:
    """Read `.msg/meta.json`: only the newest state of each role."""
    found = parsed(meta_text)
    states = found.get("role_state") if isinstance(found, Mapping) else None
    if not isinstance(states, Mapping):
        return {}
    known = list(states.items())[:MOST_ENTRIES]
    return {name: role_state(name, each) for name, each in known if isinstance(each, Mapping)}


def states_by_task(messages: Iterable[Message]) -> Mapping[str, RoleState]:
    """Return the last state of each task; a role may have had several tasks.

    A report about one task is merged with earlier reports about that task only.
    """
    said: dict[str, dict[str, object]] = {}
    who: dict[str, str] = {}
    for message in messages:
        fields = message.fields if message.type == STATE_UPDATE else {}
        task_id = _text(fields.get("task_id"))
        if not task_id or (task_id not in said and len(said) >= MOST_ENTRIES):
            continue
        told = said.setdefault(task_id, {})
        told.update(fields)
        told["_updated_at"] = message.ts
        who[task_id] = message.sender
    return {task_id: role_state(who[task_id], told) for task_id, told in said.items()}


def role_state(role: str, found: Mapping[str, object]) -> RoleState:
    return RoleState(
        role=role,
        status=_first(found, "status"),
        task_id=_first(found, "task_id"),
        ref=_first(found, "ref"),
        key_findings=_texts(found.get("key_findings")),
        decisions=_decisions(found.get("decisions")),
        open_questions=_questions(found.get("open_questions")),
        quality_self_score=number(found.get("quality_self_score")),
        terminology_keys=_terms(found.get("terminology_keys")),
        upstream_refs_consumed=_texts(found.get("upstream_refs_consumed")),
        updated_at=_first(found, "_updated_at", "updated_at"),
        errors=_count(found.get("errors", found.get("error_count"))),
    )


# --- values ----------------------------------------------------------------------------------


def parsed(text: str) -> object | None:
    """Return the JSON value, or None if it is invalid, too long or too deep."""
    try:
        found: object = bus.parsed(text[:LONGEST_CHARS].removeprefix("\ufeff"))
    except bus.NotJson:
        return None
    return found


def number(value: object) -> float | None:
    """Return a finite number: 85, "85", "85/100" and "85%" are all 85."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return float(value) if abs(value) < 10**9 else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    found = _NUMBER.match(value[:LONGEST_VALUE]) if isinstance(value, str) else None
    return float(found[1]) if found else None


def decision(text: str) -> SessionDecision:
    """Parse `key: value (reason)` or `Use value for key because reason`; else a value without a
    key.
    """
    line = " ".join(text[:LONGEST_VALUE].split())
    key, colon, rest = line.partition(": ")
    if not colon or len(key.split()) > 6:
        key, rest = "", line
    parts = _REASON.split(rest, maxsplit=1)
    value, reason = parts[0].strip(), parts[1].strip(" )") if len(parts) > 1 else ""
    used = _USE.fullmatch(value)
    value = used[1] if used else value
    about = _FOR.fullmatch(value) if used and not key else None
    if about is not None:
        value, key = about[1], about[2]
    return SessionDecision(key.strip(" *`_"), value.strip(" *`_."), reason)


def _tasks(found: object) -> tuple[TeamTask, ...]:
    if isinstance(found, Mapping):
        pairs = [(name, each) for name, each in found.items() if isinstance(each, Mapping)]
    elif isinstance(found, list):
        pairs = [(_first(each, "id", "task_id"), each) for each in _mappings(found)]
    else:
        return ()
    return tuple(_task(name, each) for name, each in pairs[:MOST_ENTRIES] if name)


def _task(name: str, found: Mapping[str, object]) -> TeamTask:
    needs = ("needs", "blocked_by", "blockedBy", "depends_on", "dependencies")
    return TeamTask(
        id=name[:LONGEST_VALUE],
        role=_first(found, "role", "owner", "assignee"),
        status=_first(found, "status").casefold(),
        needs=next((_texts(found[key]) for key in needs if key in found), ()),
        ref=_first(found, "ref", "artifact", "output"),
        started_at=_first(found, "started_at", "claimed_at"),
        updated_at=_first(found, "updated_at", "completed_at"),
    )


def _decisions(found: object) -> tuple[SessionDecision, ...]:
    if isinstance(found, Mapping):
        pairs = list(found.items())[:MOST_ENTRIES]
        return tuple(SessionDecision(key, _text(value)) for key, value in pairs if _text(value))
    return tuple(made for each in _list(found) if (made := _decision(each)).value)


def _decision(found: object) -> SessionDecision:
    if not isinstance(found, Mapping):
        return decision(_text(found))
    key = _first(found, "key", "topic", "about", "area")
    value = _first(found, "value", "choice", "decision", "title")
    reason = _first(found, "reason", "rationale", "why")
    if not key:
        bare = decision(value)
        return SessionDecision(bare.key, bare.value, reason or bare.reason)
    return SessionDecision(key, value, reason)


def _questions(found: object) -> tuple[SessionQuestion, ...]:
    made = (_question(each) for each in _list(found))
    return tuple(each for each in made if each.text)


def _question(found: object) -> SessionQuestion:
    if not isinstance(found, Mapping):
        return question(_text(found))
    if _first(found, "status").casefold() in _CLOSED:
        return SessionQuestion("")
    severe = _first(found, "severity", "priority").casefold() in _SEVERE
    marked = found.get("critical") is True or found.get("blocking") is True
    told = question(_first(found, "question", "text", "title"))
    return SessionQuestion(told.text, told.critical or severe or marked)


def question(text: str) -> SessionQuestion:
    """Parse a question; `[critical] Who …?` and `CRITICAL: who …?` are critical."""
    return SessionQuestion(text, _CRITICAL.match(text) is not None)


def _terms(found: object) -> tuple[Term, ...]:
    if isinstance(found, Mapping):
        pairs = list(found.items())[:MOST_ENTRIES]
        return tuple(Term(name, _others(value)) for name, value in pairs if name.strip())
    return tuple(made for each in _list(found) if (made := _term(each)).name)


def _term(found: object) -> Term:
    if not isinstance(found, Mapping):
        return Term(_text(found))
    others = ("not", "others", "aliases", "synonyms", "variants")
    said = next((_texts(found[key]) for key in others if key in found), ())
    return Term(_first(found, "term", "name", "key"), said)


def _others(value: object) -> tuple[str, ...]:
    """Return synonyms: in a mapping of terms a list means synonyms, a text is the meaning."""
    return _texts(value) if isinstance(value, list) else ()


def _first(found: Mapping[str, object], *keys: str) -> str:
    return next((text for key in keys if (text := _text(found.get(key)))), "")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value[:LONGEST_VALUE].strip()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number and number(value) is not None else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(text for each in _list(value) if (text := _text(each)))


def _list(value: object) -> list[object]:
    if isinstance(value, list):
        return value[:MOST_ENTRIES]
    return [] if value is None else [value]


def _mappings(values: list[object]) -> list[Mapping[str, object]]:
    return [each for each in values if isinstance(each, Mapping)]


def _count(value: object) -> int:
    if isinstance(value, list):
        return len(value)
    found = number(value)
    return max(0, int(found)) if found is not None else 0
