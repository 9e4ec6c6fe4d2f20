"""The executor of surveys, checks and polls in the simulated project."""

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from proof.simulation.building import Builder
from proof.simulation.timeline import Timeline
from proof.simulation.work import GATE_COMMAND, Project
from topkick.checks.model import Claim, Evidence, Ground
from topkick.engine import messages as h

Looking = h.SurveyGround | h.CheckWork | h.PollCondition | h.IntegrateWork | h.RunGate
BUILD_S = 40.0
SHOWN = ("done", "partial", "failed", "blocked")


class LookBench:
    """The executor of one supervisor; it ends with it."""

    def __init__(
        self,
        timeline: Timeline,
        project: Project,
        part_of: Callable[[str], str],
        report: Callable[[Looking, object], None],
        builder: Builder,
    ) -> None:
        self._builder = builder
        self._timeline = timeline
        self._project = project
        self._part_of = part_of
        self._report = report
        self._busy: dict[str, Looking] = {}
        self._leaving: set[str] = set()
        self._ready: list[tuple[str, h.Fact | None]] = []

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, Looking)

    def live(self) -> frozenset[str]:
        return frozenset(self._busy) | frozenset(self._leaving)

    def wake_in_s(self) -> float | None:
        return None

    def readable(self) -> bool:
        return bool(self._ready)

    def looked_at(self) -> list[str]:
        """Return the runs that are being surveyed or checked."""
        return [o.run_id for o in self._busy.values() if not isinstance(o, h.RunGate)]

    def built(self) -> list[str]:
        """Return the gates that are being run."""
        return [o.gate_id for o in self._busy.values() if isinstance(o, h.RunGate)]

    def ensure(self, order: h.Order) -> None:
        assert isinstance(order, Looking)
        if order.id in self._busy:
            return
        self._busy[order.id] = order
        takes_s = 0.05 + crc32(order.id.encode()) % 1000 / 40
        takes_s += BUILD_S if isinstance(order, h.RunGate) else 0.0
        self._timeline.after(takes_s, lambda: self._end(order))

    def cancel(self, order_id: str) -> None:
        if self._busy.pop(order_id, None) is not None:
            self._leaving.add(order_id)
            self._timeline.after(0.3, lambda: self._leaving.discard(order_id))
            self._timeline.after(0.3, self._ready_nothing)

    def _ready_nothing(self) -> None:
        """Make the descriptor readable, as a dead checker does."""
        self._ready.append(("", None))

    def poll(self) -> Sequence[h.Fact]:
        """Return the facts; an order is busy until its answer is read, and a cancelled one has
        none.
        """
        ready, self._ready = self._ready, []
        return [fact for id_, fact in ready if self._busy.pop(id_, None) and fact is not None]

    def close(self) -> None:
        """Stop: its checkers end with the supervisor."""
        self._busy.clear()

    def _end(self, order: Looking) -> None:
        if self._busy.get(order.id) is order:
            self._ready.append((order.id, self._look(order)))

    def _look(self, order: Looking) -> h.Fact:
        if isinstance(order, h.RunGate):
            built = self._builder.build(order)
            self._report(order, built)
            return h.GateRan(order.gate_id, order.number, built)
        part = self._part_of(order.run_id)
        match order:
            case h.IntegrateWork(run_id=run_id):
                merged = self._builder.merge(order)
                self._report(order, merged)
                return h.WorkIntegrated(run_id, merged)
            case h.SurveyGround(run_id=run_id, entry=entry, exit=leave):
                ground = self._ground(part, entry, leave)
                self._report(order, ground)
                return h.GroundSurveyed(run_id, ground)
            case h.CheckWork(run_id=run_id):
                evidence = self._evidence(part, order)
                self._report(order, evidence)
                return h.WorkChecked(run_id, evidence)
            case h.PollCondition(run_id=run_id, poll=poll, checks=checks):
                seen = Evidence(tuple(self._project.run(c) for c in checks))
                self._report(order, seen)
                return h.ConditionPolled(run_id, poll, seen)

    def _ground(self, part: str, entry: tuple[str, ...], leave: tuple[str, ...]) -> Ground:
        return Ground(
            head=self._project.head(part),
            entry=tuple(self._project.run(c) for c in entry),
            passing=tuple(c for c in leave if self._project.run(c).passed),
            uncommitted=self._project.left(part),
        )

    def _evidence(self, part: str, order: h.CheckWork) -> Evidence:
        project = self._project
        since = project.since(part, order.base)
        results = tuple(project.run(c) for c in order.checks)
        said = project.words.get(order.output_of, "")
        ahead = order.ahead if all(r.passed for r in results) else None
        return Evidence(
            results=results,
            always=tuple(project.run(c) for c in order.always),
            head=project.head(part),
            commits=tuple(name for name, _ in since),
            substance=any(substance for _, substance in since),
            uncommitted=project.left(part),
            claim=Claim(said) if said in SHOWN else None,
            report=project.reports.get(order.output_of),
            ahead=self._ground(part, ahead.entry, ahead.exit) if ahead is not None else None,
            gate=(GATE_COMMAND,) if order.manifests_in else (),
        )


class Echo:
    """Wraps an executor and repeats its earlier facts, late and out of order."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._told: list[h.Fact] = []
        self._again: list[h.Fact] = []
        self._stutters = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def repeat(self) -> None:
        """Repeat the last facts, and the next ones right after they are delivered."""
        self._again = self._told[-6:][::-1]
        self._stutters = True

    def readable(self) -> bool:
        return bool(self._again) or bool(self._inner.readable())

    def poll(self) -> Sequence[h.Fact]:
        fresh = list(self._inner.poll())
        self._told = [*self._told[-20:], *fresh]
        again, self._again = self._again, []
        if fresh and self._stutters:
            self._again, self._stutters = fresh[::-1], False
        return [*again, *fresh]
