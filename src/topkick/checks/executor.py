"""The check executor: surveys before an order, checks after it, polls of a condition."""

import re
import secrets
import selectors
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from topkick.checks.build_slots import INSIDE
from topkick.checks.missing_tools import words_of
from topkick.checks.model import CheckOutcome, CheckResult, Evidence, Ground, Integration, Where
from topkick.checks.pool import Checker, Foreman, end_leftovers
from topkick.checks.request import (
    Answer,
    Build,
    LastWords,
    LookRequest,
    MergeRequest,
    Ours,
    Question,
)
from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.settings import Settings
from topkick.git.clone.places import unit_root
from topkick.git.isolation import Isolation, Tip
from topkick.plan_format.model import Plan
from topkick.runner.environment import allowed, secrets_of
from topkick.runner.process.processes import MARKER
from topkick.sprint.check_wording import worded
from topkick.sprint.gates.model import GateRun

TRIES = 3
KINDS = frozenset({"survey", "check", "poll", "integrate"})

Looking = h.SurveyGround | h.CheckWork | h.PollCondition | h.IntegrateWork | h.RunGate


class CheckBench:
    """Runs one checker per look; if the checker dies, the look is tried again."""

    def __init__(
        self,
        root: Path,
        runs: Path,
        log_path: Path,
        settings: Callable[[], Settings | None],
        environ: Mapping[str, str],
        isolation: Callable[[], Isolation | None] = lambda: None,
        own_files: Callable[[], tuple[str, ...]] = tuple,
        verify_in: Path | None = None,
        slots_in: Path | None = None,
        heads: Callable[[str], tuple[Tip, ...]] = lambda _: (),
        plan: Callable[[], Plan | None] = lambda: None,
    ) -> None:
        self._root = root
        self._runs = runs
        self._foreman = Foreman(log_path)
        self._settings = settings
        self._environ = environ
        self._isolation = isolation
        self._heads = heads
        self._own_files = own_files
        self._verify_in = verify_in
        self._plan = plan
        self._slots_in = slots_in if not environ.get(INSIDE) else None
        self._selector = selectors.DefaultSelector()
        self._idle: list[Checker] = []
        self._busy: dict[str, Checker] = {}
        self._leaving: dict[str, Checker] = {}
        self._orders: dict[str, Looking] = {}
        self._tries: dict[str, int] = {}
        self._swept: set[str] = set()
        self._read_plan: Plan | None = None
        self._words: tuple[str, ...] = ()

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, Looking)

    def live(self) -> frozenset[str]:
        return frozenset(self._busy) | frozenset(self._leaving)

    def fileno(self) -> int:
        return self._selector.fileno()

    def wake_in_s(self) -> float | None:
        waits = [c.leaves_in_s() for c in self._leaving.values()]
        return min((w for w in waits if w is not None), default=None)

    def close(self) -> None:
        for checker in (*self._idle, *self._busy.values(), *self._leaving.values()):
            checker.close()
        self._foreman.close()
        self._selector.close()

    # --- orders ----------------------------------------------------------------------------

    def ensure(self, order: h.Order) -> None:
        assert isinstance(order, Looking)
        if order.id not in self._busy:
            self._orders[order.id] = order
            self._end_earlier(order.id)
            self._look(order)

    def _end_earlier(self, order_id: str) -> None:
        """End commands that an earlier supervisor's checkers left running: they may hold a build
        slot.

        The look itself is made again.
        """
        *kin, look = order_id.split(".")[:3]
        beginning = f"{'.'.join(kin if kin[-1] in KINDS else kin[:1])}."
        if look != "0" and beginning not in self._swept:
            self._swept.add(beginning)
            end_leftovers(beginning)

    def cancel(self, order_id: str) -> None:
        checker = self._busy.pop(order_id, None)
        if checker is not None:
            self._orders.pop(order_id, None)
            self._leaving[order_id] = checker
            checker.send_away()

    def _look(self, order: Looking) -> None:
        checker = self._idle.pop() if self._idle else self._hire()
        self._busy[order.id] = checker
        checker.ask(self._question(order))  # if it is dead, `hear` will notice

    def _hire(self) -> Checker:
        checker = self._foreman.hire()
        self._selector.register(checker, selectors.EVENT_READ)
        return checker

    # --- facts -----------------------------------------------------------------------------

    def poll(self) -> Sequence[h.Fact]:
        facts: list[h.Fact] = []
        for key, _ in self._selector.select(0):
            assert isinstance(key.fileobj, Checker)
            facts.extend(self._hear(key.fileobj))
        for checker in self._leaving.values():
            if checker.leaves_in_s() == 0.0:
                checker.kill()
        return facts

    def _hear(self, checker: Checker) -> Sequence[h.Fact]:
        order_id = next((i for i, c in self._busy.items() if c is checker), None)
        try:
            found = checker.hear()
        except EOFError:
            return self._died(checker, order_id)
        if found is None or order_id is None:
            return ()
        assert isinstance(found, Answer)
        checker.look = None
        self._idle.append(self._busy.pop(order_id))
        return self._done(order_id, found)

    def _died(self, checker: Checker, order_id: str | None) -> Sequence[h.Fact]:
        self._selector.unregister(checker)
        checker.close()
        self._idle = [c for c in self._idle if c is not checker]
        self._leaving = {i: c for i, c in self._leaving.items() if c is not checker}
        if order_id is None:
            return ()
        del self._busy[order_id]
        order, tried = self._orders[order_id], self._tries.get(order_id, 1)
        if tried >= TRIES:
            return self._done(order_id, _nothing(order))
        self._tries[order_id] = tried + 1
        self._look(order)
        return ()

    def _done(self, order_id: str, found: Answer) -> Sequence[h.Fact]:
        self._tries.pop(order_id, None)
        return (_fact(self._orders.pop(order_id), found),)

    # --- questions to checkers -------------------------------------------------------------

    def _question(self, order: Looking) -> Question:
        settings = self._settings()
        assert settings is not None
        if isinstance(order, h.RunGate):
            return self._build(order, settings)
        mark = f"{order.id}-{secrets.token_hex(6)}"
        ours = self._ours(order.tree)
        if isinstance(order, h.IntegrateWork):
            return MergeRequest(
                ours,
                order.directory,
                order.commit,
                order.told,
                order.commits,
                order.checked,
                {MARKER: mark},
            )
        isolation = ours.isolation
        root = self._root if isolation is None else unit_root(isolation, ours.unit)
        common = replace(
            self._look_of(order.id, settings, mark, root, ours),
            directory=str(root / order.directory),
            inside=order.directory,
            salvage_as=kept_as(order.run_id, order.tree or order.directory),
            timeout_s=_patience_s(order, settings),
        )
        return _with_order(common, order, self._runs)

    def _build(self, order: h.RunGate, settings: Settings) -> Build:
        """Return the question for a gate: its first run uses a fresh tree, later ones reuse it."""
        ours = replace(self._ours(""), isolation=self._isolation())
        mark = f"{order.id}-{secrets.token_hex(6)}"
        look = self._look_of(order.id, settings, mark, self._root, ours)
        in_place = ours.isolation is None and settings.verify_at is Where.PLACE
        warm = Where.COLD if order.number == 1 else Where.COMMIT
        where = Where.PLACE if in_place else warm
        return Build(replace(look, timeout_s=settings.gate_timeout_s, where=where), order)

    def _promised(self) -> tuple[str, ...]:
        """The words of the plan; it is read once, as it is the same for nearly all orders."""
        plan = self._plan()
        if plan is not self._read_plan:
            self._read_plan = plan
            self._words = words_of(plan) if plan is not None else ()
        return self._words

    def _look_of(
        self, order_id: str, settings: Settings, mark: str, root: Path, ours: Ours
    ) -> LookRequest:
        return LookRequest(
            id=order_id,
            directory="",
            project=str(root),
            timeout_s=settings.check_timeout_s,
            env={**allowed(self._environ, settings.verify_pass_env), MARKER: mark},
            secrets=secrets_of(self._environ, settings.all_pass_env),
            ours=ours,
            setup=settings.tree,
            own_files=self._own_files(),
            verify_in=str(self._verify_in) if self._verify_in is not None else "",
            prepare=settings.verify_prepare,
            builds=settings.builds,
            slots_in=str(self._slots_in) if self._slots_in is not None else "",
            build_max_pressure=settings.build_max_pressure,
            build_min_free_mb=settings.build_min_free_mb,
            promised=self._promised(),
        )

    def _ours(self, unit: str) -> Ours:
        return Ours(
            root=str(self._root),
            unit=unit,
            isolation=self._isolation() if unit else None,
            name=self._environ.get("GIT_AUTHOR_NAME", ""),
            email=self._environ.get("GIT_AUTHOR_EMAIL", ""),
            heads=self._heads(unit) if unit else (),
        )


def _patience_s(order: h.SurveyGround | h.CheckWork | h.PollCondition, settings: Settings) -> float:
    """Return the time limit; a repair is checked by the gate's commands and gets the gate's
    limit.
    """
    repairs = not isinstance(order, h.PollCondition) and order.repair
    longer_s = settings.gate_timeout_s if repairs else 0.0
    return max(settings.check_timeout_s, longer_s)


def kept_as(run_id: str, whose: str) -> str:
    """Return the name for a unit's uncommitted work: the same work is saved once."""
    mission = run_id.rpartition("-")[0] or run_id
    return f"{mission}-{re.sub(r'[^A-Za-z0-9]+', '-', whose).strip('-') or 'root'}"


def _with_order(
    look: LookRequest, order: h.SurveyGround | h.CheckWork | h.PollCondition, runs: Path
) -> LookRequest:
    match order:
        case h.SurveyGround():
            return replace(
                look,
                entry=order.entry,
                checks=order.exit,
                before=True,
                catch_up=order.catch_up,
                where=order.where,
                sprint=order.sprint,
            )
        case h.CheckWork():
            return replace(
                look,
                checks=order.checks,
                always=order.always,
                base=order.base,
                ahead=order.ahead,
                output_of=str(runs / order.output_of) if order.output_of else "",
                program=order.program,
                resumed=order.resumed,
                ended=order.ended,
                since_us=order.since_us,
                whole=order.whole,
                where=order.where,
                compare=order.before,
                asked=order.asked,
                plan_file=order.plan_file,
                not_ours=order.not_ours,
                commit=order.commit,
                sprint=order.sprint,
                syntax=order.syntax,
                manifests_in=order.manifests_in,
                progress_of=order.progress_of,
                listens=order.listens,
                bare=order.bare,
                scratch_in=str(runs) if order.bare else "",
            )
        case h.PollCondition():
            return replace(look, checks=order.checks, salvage_as="")


def _fact(order: Looking, found: Answer) -> h.Fact:
    match order, found:
        case h.SurveyGround(), Ground():
            entry = _worded(found.entry, order)
            return h.GroundSurveyed(order.run_id, replace(found, entry=entry))
        case h.CheckWork(), LastWords(words, report):
            heard = Evidence(answer=Text.of(words), report=report)
            return h.WorkChecked(order.run_id, heard)
        case h.CheckWork(), Evidence():
            return h.WorkChecked(order.run_id, _evidence_in_words(found, order))
        case h.PollCondition(), Evidence():
            return h.ConditionPolled(order.run_id, order.poll, found)
        case h.IntegrateWork(), Integration():
            return h.WorkIntegrated(order.run_id, found)
        case h.RunGate(), GateRun():
            results = _worded(found.results, order)
            return h.GateRan(order.gate_id, order.number, replace(found, results=results))
        case _:
            raise AssertionError(f"{type(found).__name__} does not answer {type(order).__name__}")


def _worded(
    results: tuple[CheckResult, ...], order: h.SurveyGround | h.CheckWork | h.RunGate
) -> tuple[CheckResult, ...]:
    """Name the results in the plan's own words, for people and agents."""
    return tuple(worded(result, order.criteria) for result in results)


def _evidence_in_words(found: Evidence, order: h.CheckWork) -> Evidence:
    ahead = found.ahead and replace(found.ahead, entry=_worded(found.ahead.entry, order))
    results, earlier = _worded(found.results, order), _worded(found.earlier, order)
    return replace(found, results=results, earlier=earlier, ahead=ahead)


def _nothing(order: Looking) -> Answer:
    """Return the answer for a look that could not be made: no unit is charged, and the user is
    asked.
    """
    why = "the process that runs the checks died at each try"

    def cannot(command: str) -> CheckResult:
        return CheckResult(command, CheckOutcome.CANNOT_RUN, None, 0, why)

    if isinstance(order, h.IntegrateWork):
        return Integration(trouble="the process that merges died at each try")
    if isinstance(order, h.RunGate):
        return GateRun(order.units, trouble=why)
    if isinstance(order, h.SurveyGround):
        return Ground(entry=(cannot("look at the tree"),))
    return Evidence(results=tuple(map(cannot, order.checks or ("look at the tree",))))
