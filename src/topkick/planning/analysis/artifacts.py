"""Follow paths from sprint to sprint: what is produced but unused, and what is needed but
missing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from topkick.plan_format.criteria.criteria import is_ticked
from topkick.plan_format.document import PlanReading
from topkick.plan_format.model import SprintPlan
from topkick.plan_format.order.waits import Pair
from topkick.planning.analysis.model import Bridge, DeadEnd, Statement
from topkick.planning.analysis.passages import DocumentBody, Index
from topkick.planning.analysis.rounds import Sequel
from topkick.planning.refinement.artifacts import is_test_path
from topkick.planning.refinement.graph import (
    SprintGraph,
    UseRole,
    uses_in_entry,
    uses_in_exit,
    uses_in_task,
)
from topkick.sprint.dispatch.names import distinct, names_in
from topkick.text.similarity import joined

SHORTEST_NAME = 4
BRIDGES = 500
SAID = 120
# made by tools or the run itself, or expected in every project
_EVERYWHERE = re.compile(
    r"(?:^|/)(?:README|CHANGELOG|LICENSE|CONTRIBUTING|PROGRESS|TODO|AGENTS|CLAUDE|EXECUTION_PLAN"
    r"|SUPERVISOR_STATE|COMPLETE|ANALYSIS_REPORT)[\w.-]*$"
    r"|(?:^|/)(?:package|tsconfig|composer|deno)(?:-lock)?\.json$|(?:^|/)[\w.-]+\.lock$"
    r"|(?:^|/)(?:pyproject|Cargo)\.toml$|(?:^|/)(?:go\.mod|Package\.swift|Gemfile|setup\.(?:py|cfg)"
    r"|requirements[\w-]*\.txt|\.env[\w.]*)$"
    r"|(?:^|/)(?:dist|build|target|out|coverage|node_modules|\.venv|venv|tmp|htmlcov|DerivedData)/",
    re.IGNORECASE,
)
# used by existing: entry points, configuration, documents, pipelines, migrations
_USED_ANYWAY = re.compile(
    r"\.(?:md|mdx|rst|txt|cfg|conf|ini|env|lock|toml|ya?ml|json|xml|plist|properties|csv|svg|sh|sql"
    r"|css|scss|html)$|(?:^|/)(?:main|index|__init__|__main__|mod|lib|app|cli|setup|conftest)\.\w+$"
    r"|(?:^|/)(?:Makefile|Dockerfile|Justfile|Procfile|Gemfile)$|(?:^|/)(?:migrations|\.github)/",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Uses:
    """The paths of one sprint: created, named, and needed with the words for it."""

    makes: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    needs: list[tuple[str, str, int]] = field(default_factory=list)


def _uses(sprint: SprintPlan, lines: Mapping[str, int]) -> _Uses:
    """Return the sprint's paths; `lines` maps its sentences to lines of the plan."""
    found = _Uses()
    for criterion in sprint.entry:
        for use in uses_in_entry(criterion.text):
            if use.role is UseRole.NEEDS:
                found.needs.append((use.path, criterion.text[:SAID], criterion.line))
    for task in sprint.tasks:
        for use in () if is_ticked(task) else uses_in_task(task):
            if use.role is UseRole.MAKES:
                found.makes.setdefault(use.path, lines.get(task, sprint.line))
            elif use.role is UseRole.NEEDS:
                found.needs.append((use.path, task[:SAID], lines.get(task, sprint.line)))
            else:
                found.names.add(use.path)
    for criterion in sprint.exit:
        for use in uses_in_exit(criterion.text):
            if use.role is UseRole.MAKES:
                found.makes.setdefault(use.path, criterion.line)
    found.names |= names_in(sprint.text).files - {path for path, _, _ in found.needs}
    return found


class _Files:
    """Paths by their last part: `store.py` and `src/store.py` may be one file."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[str, int]] = {}

    def add(self, path: str, at: int) -> None:
        paths = self._by_name.setdefault(path.rpartition("/")[2], {})
        paths[path] = paths.get(path, 0) | 1 << at

    def having(self, path: str) -> int:
        """Return the sprints that have the path, as bits; one of two paths must end in the
        other.
        """
        found = 0
        for other, bits in self._by_name.get(path.rpartition("/")[2], {}).items():
            longer, shorter = (path, other) if len(path) > len(other) else (other, path)
            if longer == shorter or longer.endswith(f"/{shorter}"):
                found |= bits
        return found


@dataclass(frozen=True, slots=True)
class Artifacts:
    """Every sprint's use of paths, and the sprints that others say they wait for."""

    graph: SprintGraph
    sequel: Sequel
    uses: tuple[_Uses, ...]
    waited_for: frozenset[Pair]

    @classmethod
    def of(
        cls, body: DocumentBody, reading: PlanReading, graph: SprintGraph, sequel: Sequel
    ) -> "Artifacts":
        lines: dict[Pair, dict[str, int]] = {pair: {} for pair in graph.order}
        for passage in body.passages:
            if passage.sprint is not None:
                lines[passage.sprint].setdefault(passage.text, passage.line)
        both = zip(graph.order, sequel.sprints, strict=True)
        uses = tuple(_uses(sprint, lines[pair]) for pair, sprint in both)
        refs = ((r.unit, r.sprint) for sprint in sequel.sprints for r in sprint.waits_for)
        return cls(
            graph, sequel, uses, frozenset((*refs, *(before for before, _ in reading.after)))
        )

    # -- missing bridges

    def bridges(self, existing: frozenset[str]) -> tuple[Bridge, ...]:
        there, made, named, told = _files(existing), _Files(), _Files(), _Files()
        for n, uses in enumerate(self.uses):
            for path in uses.makes:
                made.add(path, n)
            for path in uses.names:
                named.add(path, n)
        found: dict[str, Bridge] = {}
        for n, uses in enumerate(self.uses):
            for path, said, line in uses.needs:
                if told.having(path) or _EVERYWHERE.search(path) or there.having(path):
                    continue
                earlier = self.sequel.before[n] | 1 << n
                if (made.having(path) | named.having(path)) & earlier:
                    continue
                told.add(path, 0)
                found[path] = self._bridge(n, path, said, line, made.having(path))
                if len(found) >= BRIDGES:
                    return tuple(found.values())
        return tuple(found.values())

    def _bridge(self, n: int, path: str, said: str, line: int, made: int) -> Bridge:
        by = self.graph.order[(made & -made).bit_length() - 1] if made else None
        return Bridge(self.graph.order[n], line, path, said, by)

    # -- dead ends

    def dead_ends(
        self, index: Index, end: Sequence[Statement], existing: frozenset[str]
    ) -> tuple[DeadEnd, ...]:
        """Return unused results; those of the last sprints are the plan's purpose and don't
        count.
        """
        there, named = _files(existing), _names_in(end)
        found: list[DeadEnd] = []
        for n, uses in enumerate(self.uses):
            if n in self.sequel.last:
                continue
            new = [p for p in uses.makes if _could_be_dead(p) and not there.having(p)]
            dead = [path for path in new if not _is_named(path, index, 1 << n, named)]
            if dead == new and self.graph.order[n] in self.waited_for:
                continue  # a sprint that waits for another by number need not name its files
            if kept := tuple(path for path in dead if path in distinct({*dead})):
                found.append(DeadEnd(self.graph.order[n], uses.makes[kept[0]], kept))
        return tuple(found)


def _files(paths: Iterable[str]) -> _Files:
    found = _Files()
    for path in paths:
        found.add(path, 0)
    return found


def _is_named(path: str, index: Index, own: int, end: frozenset[str]) -> bool:
    """Return whether another sprint or the plan's end names the path."""
    names = {joined(part) for part in _callings(path)}
    return any(name in end or index.names.get(name, 0) & ~own for name in names)


def _could_be_dead(path: str) -> bool:
    return not (is_test_path(path) or _USED_ANYWAY.search(path) or _EVERYWHERE.search(path))


def _callings(path: str) -> Iterator[str]:
    """Yield the file's name without endings, and its folder, if they are telling enough."""
    *folders, name = path.split("/")
    for part in (name.partition(".")[0], *folders[-1:]):
        if len(joined(part)) >= SHORTEST_NAME and part.lower() not in ("src", "lib", "tests"):
            yield part


def _names_in(end: Sequence[Statement]) -> frozenset[str]:
    return frozenset(Index.of(statement.text for statement in end).names)
