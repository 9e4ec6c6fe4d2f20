"""The material that a wake judges by, and what must be read for it.

It reads the artifacts of the tasks in scope that no earlier checkpoint has read, and what this
checkpoint's checks name in `reads`: kinds of documents, `scope`, or `upstream`, which is the scope
and everything before it. A vocabulary over four documents needs all four, each time.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from topkick.engine.codec.texts import Text
from topkick.team.bus.model import Message
from topkick.team.judge.checklist import Artifact, RoleSpec
from topkick.team.judge.findings import ArtifactRead, Since, StageEntry, known_hashes
from topkick.team.session import META, SESSION_FILES, WISDOM, RoleState, Session

MESSAGES_READ = 30
LONGEST_CHARS = 1 << 18
MOST_CHARS = 1 << 22
MOST_DOCUMENTS = 500
SCOPE = "scope"
UPSTREAM = "upstream"
OR = " or "
_LITERAL = re.compile(r"[*?\[\]]")


class WantedFiles(NamedTuple):
    """Paths and patterns below the session directory."""

    paths: tuple[str, ...]
    globs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """The material; `documents` by path below the session directory, `kinds` is the kind of
    each.
    """

    session: Session
    roles: Mapping[str, RoleState] = field(default_factory=dict)
    states_by_task: Mapping[str, RoleState] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    wisdom: Mapping[str, str] = field(default_factory=dict)
    scope: tuple[str, ...] = ()
    earlier: tuple[StageEntry, ...] = ()
    progress: str = ""
    at_us: int = 0
    kinds: Mapping[str, str] = field(default_factory=dict)
    artifacts: tuple[Artifact, ...] = ()

    def of(self, *kinds: str) -> Mapping[str, str]:
        return {path: self.documents[path] for path, kind in self.kinds.items() if kind in kinds}

    def place(self, kind: str) -> str:
        """Return where a document of that kind was searched."""
        places = next((row.places for row in self.artifacts if row.kind == kind), (f"a {kind}",))
        return OR.join(places)

    def states(self) -> Mapping[str, RoleState]:
        """Return every known state by task, or by role if its task is unknown."""
        newest = {state.task_id or name: state for name, state in self.roles.items()}
        return {**self.states_by_task, **newest, **self.states_by_task}

    def read(self) -> tuple[ArtifactRead, ...]:
        """Return the artifacts for the report, each with its change since the last checkpoint."""
        known = known_hashes(self.earlier)
        hashes = {path: Text.of(text).sha256 for path, text in sorted(self.documents.items())}
        return tuple(ArtifactRead(p, sha, _since(known.get(p), sha)) for p, sha in hashes.items())


def wanted(
    spec: RoleSpec,
    checkpoint: str,
    session: Session,
    states: Mapping[str, RoleState],
    scope: Sequence[str],
    earlier: Sequence[StageEntry] = (),
) -> WantedFiles:
    """Return what to read; artifacts read before are left out unless a check needs them.

    Their hashes show then whether they have changed.
    """
    judged = spec.checkpoint(checkpoint)
    reads = {name for check in (judged.checks if judged else ()) for name in _sources(check.reads)}
    known = known_hashes(earlier)
    found: list[str] = []
    for task_id in scope:
        places = places_of(spec.artifacts, session, states, task_id)
        found += (place for place in places if SCOPE in reads or place not in known)
    upstream = _upstream(spec, scope) if UPSTREAM in reads else ()
    for row in spec.artifacts:
        if row.kind in reads or row in upstream:
            found += (*_said(session, states, row.task), *row.places)
    unique = dict.fromkeys(place for place in found if not leads_out(place))
    globs = tuple(place for place in unique if _LITERAL.search(place))
    paths = tuple(place for place in unique if place not in globs)
    return WantedFiles((*SESSION_FILES, META, *paths), (WISDOM, *globs))


def gather(
    spec: RoleSpec,
    checkpoint: str,
    known: Material,
    seen: Mapping[str, str],
) -> Material:
    """Return `known` with the files that were found: documents, their kinds, what is missing."""
    states, session = known.states(), known.session
    wants = wanted(spec, checkpoint, session, states, known.scope, known.earlier)
    ours = {*SESSION_FILES, META}
    wisdom = {path: text for path, text in seen.items() if matches(WISDOM, path)}
    places = {*wants.paths, *wants.globs} - ours
    others = {
        path: text
        for path, text in seen.items()
        if path not in wisdom and any(matches(place, path) for place in places)
    }
    documents = _bounded(others)
    cut = tuple(path for path in others if documents.get(path) != others[path])
    return Material(
        session=session,
        roles=known.roles,
        states_by_task=known.states_by_task,
        documents=documents,
        missing=(
            *_missing(spec, known, wants, documents),
            *(f"{path} (too long, read in part)" for path in cut),
        ),
        messages=known.messages[-MESSAGES_READ:],
        wisdom=wisdom,
        scope=known.scope,
        earlier=known.earlier,
        progress=known.progress,
        at_us=known.at_us,
        kinds=_kinds(spec, session, states, documents),
        artifacts=spec.artifacts,
    )


def places_of(
    artifacts: Iterable[Artifact],
    session: Session,
    states: Mapping[str, RoleState],
    task_id: str,
) -> tuple[str, ...]:
    """Return where the work of a task is: as its role or the session file says, else as the spec
    says.
    """
    said = _said(session, states, task_id)
    return said or tuple(p for row in artifacts if row.task == task_id for p in row.places)


def matches(place: str, path: str) -> bool:
    """Return whether the path matches; `*` is within one directory, `**` any directories."""
    if not _LITERAL.search(place):
        return place == path
    return re.fullmatch(_expression(place), path) is not None


# --- places ----------------------------------------------------------------------------------


def _said(session: Session, states: Mapping[str, RoleState], task_id: str) -> tuple[str, ...]:
    state, task = states.get(task_id), session.task(task_id)
    ref = (state.ref if state is not None else "") or (task.ref if task is not None else "")
    place = below_session(ref, session.id, session.root)
    return (place,) if place else ()


def leads_out(place: str) -> bool:
    """Return whether the place is outside the session directory: never read, and reported as
    missing.
    """
    return place.startswith(("/", "~")) or ".." in place.split("/")


def below_session(ref: str, session_id: str, root: str = "") -> str:
    """Return a role's reference as a path below the session directory; a directory means its
    content.
    """
    path = ref.strip().removeprefix("<session>/").removeprefix("./")
    if root:
        path = path.removeprefix(f"{root.rstrip('/')}/")
    if session_id and f"{session_id}/" in path:
        path = path.rpartition(f"{session_id}/")[2]
    path = path.partition("#")[0]
    if not path or leads_out(path):
        return path
    if path.endswith("/"):
        return f"{_LITERAL.sub('?', path)}*.md"
    return path if not _LITERAL.search(path) else _LITERAL.sub("?", path)


def _expression(place: str) -> str:
    parts = re.split(r"(\*\*/|\*|\?)", place[:400])
    known = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    return "".join(known.get(part) or re.escape(part) for part in parts)


def _sources(reads: Iterable[str]) -> Iterable[str]:
    """Return `plan` for `plan.complexity`."""
    return (name.partition(".")[0] for name in reads)


def _upstream(spec: RoleSpec, scope: Sequence[str]) -> tuple[Artifact, ...]:
    """Return the rows of the spec's table up to the last one in scope."""
    last = max((n for n, row in enumerate(spec.artifacts) if row.task in scope), default=-1)
    return spec.artifacts[: last + 1]


def _missing(
    spec: RoleSpec, known: Material, wants: WantedFiles, documents: Mapping[str, str]
) -> tuple[str, ...]:
    """Return what is missing; of several possible places, one is enough.

    Work that was not begun yet is not missing.
    """
    asked = {*wants.paths, *wants.globs}
    states = known.states()
    upstream = _upstream(spec, known.scope)
    choices = [places_of(spec.artifacts, known.session, states, task) for task in known.scope]
    choices += [
        places_of(spec.artifacts, known.session, states, row.task)
        for row in upstream
        if row.task in states
    ]
    found = []
    for places in choices:
        looked = any(place in asked or leads_out(place) for place in places)
        if looked and not any(matches(place, path) for place in places for path in documents):
            found.append(OR.join(places))
    return tuple(dict.fromkeys(found))


def _bounded(documents: Mapping[str, str]) -> Mapping[str, str]:
    """Limit each document and all of them together; what is cut counts as missing."""
    found: dict[str, str] = {}
    left = MOST_CHARS
    for path in sorted(documents)[:MOST_DOCUMENTS]:
        found[path] = documents[path][: min(LONGEST_CHARS, left)]
        left -= len(found[path])
    return {path: text for path, text in found.items() if text or not documents[path]}


def _kinds(
    spec: RoleSpec,
    session: Session,
    states: Mapping[str, RoleState],
    documents: Mapping[str, str],
) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for row in spec.artifacts:
        places = (*_said(session, states, row.task), *row.places)
        for path in documents:
            if any(matches(place, path) for place in places):
                found.setdefault(path, row.kind)
    return found


def _since(known: str | None, sha256: str) -> Since:
    if known is None:
        return Since.NEW
    return Since.UNCHANGED if known == sha256 else Since.CHANGED
