"""The state of a session's roles: the content of meta.json, and how messages change it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topkick.team.bus.model import (
    SHUTDOWN,
    STATE_UPDATE,
    Message,
    NotJson,
    number_of,
    parsed,
    pretty,
)

ACTIVE, COMPLETED = "active", "completed"
LIFTED = ("pipeline_mode", "pipeline_stages", "team_name", "task_description", "roles")
ROLE_STATE = "role_state"
UPDATED_AT = "_updated_at"
THROUGH = "last_state_update"
LONGEST_META_CHARS = 1 << 26

States = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Meta:
    """The content of meta.json; unknown keys are kept."""

    values: Mapping[str, object]

    @property
    def status(self) -> str:
        return _text(self.values, "status") or ACTIVE

    @property
    def role_state(self) -> States:
        states = self.values.get(ROLE_STATE)
        if not isinstance(states, dict):
            return {}
        return {role: state for role, state in states.items() if isinstance(state, dict)}

    @property
    def through(self) -> int:
        """The number of the last message that the file includes, as far as it says so."""
        return number_of(_text(self.values, THROUGH)) or 0

    @property
    def text(self) -> str:
        """The file's content, indented as other tools write it."""
        return pretty(self.values) + "\n"


NOTHING = Meta({})


@dataclass(frozen=True, slots=True)
class Legacy:
    """The contents of the files that older sessions have instead; empty where there are none."""

    shared_memory: str = ""
    session: str = ""


def read_meta(text: str) -> Meta | None:
    """Return the content; None if it is damaged and must be rebuilt from the messages."""
    values = _object(text)
    return Meta(values) if values else None


def _object(text: str) -> dict[str, object]:
    try:
        value = parsed(text) if text and len(text) <= LONGEST_META_CHARS else None
    except NotJson:
        return {}
    return value if isinstance(value, dict) else {}


def _text(values: Mapping[str, object], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


# --- from messages -------------------------------------------------------------------------------


def current(meta: Meta | None, messages: Iterable[Message], legacy: Legacy) -> Meta:
    """Return the state with all messages on the bus, even if their sender died before updating
    it.
    """
    there = tuple(messages)
    if meta is None:
        return _merged(_first(there, legacy), _updates(there))
    newest = max((message.number for message in there), default=0)
    return _merged(_with_legacy(meta, legacy), _not_in(meta, _updates(there), newest))


def written(meta: Meta | None, messages: Iterable[Message], legacy: Legacy) -> Meta:
    """Return the state to write after the last of these messages, which is a state update."""
    made = current(meta, messages, legacy)
    if meta is not None:
        return made
    return Meta({**made.values, "status": ACTIVE})


def _updates(messages: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(m for m in messages if m.type == STATE_UPDATE and m.fields)


def _not_in(meta: Meta, updates: tuple[Message, ...], newest: int) -> tuple[Message, ...]:
    """Return the updates that are not included yet; tools that don't record a number record a time.

    Merging a message twice does no harm.
    """
    if 0 < meta.through <= newest:
        return tuple(update for update in updates if update.number > meta.through)
    updated_at = _text(meta.values, "updated_at") if not meta.through else ""
    return tuple(update for update in updates if update.ts > updated_at)


def _first(messages: tuple[Message, ...], legacy: Legacy) -> Meta:
    status = COMPLETED if messages and messages[-1].type == SHUTDOWN else ACTIVE
    began = messages[0].ts if messages else ""
    ended = messages[-1].ts if messages else ""
    values = {"status": status, "created_at": began, "updated_at": ended}
    return _with_legacy(Meta(values), legacy)


def _merged(meta: Meta, updates: Iterable[Message]) -> Meta:
    values = dict(meta.values)
    states: dict[str, Mapping[str, object]] = dict(meta.role_state)
    for update in updates:
        data = update.fields
        states[update.sender] = {**states.get(update.sender, {}), **data, UPDATED_AT: update.ts}
        values.update({key: data[key] for key in LIFTED if key in data})
        values |= {"updated_at": update.ts, THROUGH: update.id}
    return Meta({**values, ROLE_STATE: states}) if states else Meta(values)


# --- from older files ----------------------------------------------------------------------------


def _with_legacy(meta: Meta, legacy: Legacy) -> Meta:
    """Add only what meta.json does not say itself."""
    older = _of_session(_object(legacy.session)) | _of_memory(_object(legacy.shared_memory))
    return Meta({**meta.values, **{k: v for k, v in older.items() if not meta.values.get(k)}})


def _of_memory(memory: Mapping[str, object]) -> dict[str, object]:
    found = {key: memory[key] for key in ("pipeline_mode", "pipeline_stages") if memory.get(key)}
    states = {
        role: state
        for role, state in memory.items()
        if isinstance(state, dict) and role not in {"pipeline_mode", "pipeline_stages"}
    }
    return {**found, ROLE_STATE: states} if states else found


def _of_session(session: Mapping[str, object]) -> dict[str, object]:
    found = {key: session[key] for key in LIFTED if session.get(key)}
    roles = found.pop("roles", None)
    names = [name for name in map(_role_name, roles) if name] if isinstance(roles, list) else []
    return {**found, "roles": names} if names else found


def _role_name(role: object) -> str:
    if isinstance(role, dict):
        return _text(role, "name")
    return role if isinstance(role, str) else ""
