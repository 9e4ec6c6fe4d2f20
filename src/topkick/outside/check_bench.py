"""Where work is looked at: surveys before an order, checks after it, polls of a condition."""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from topkick.core import happenings as h
from topkick.core.model import CheckOutcome, CheckResult, Evidence, Ground, Settings
from topkick.outside.ground.environment import allowed
from topkick.outside.ground.looks import FINDINGS, LOOKS, Look
from topkick.outside.ground.notices import Ended, Notice
from topkick.outside.ground.run_dir import Placement

TRIES = 3
STOP_GRACE_S = 1.0

Looking = h.SurveyGround | h.CheckWork | h.PollCondition


def checker_argv() -> list[str]:
    """The process that forks checkers: it needs site-packages, for reading git."""
    code = "import sys; from topkick.outside.checker import main; main(int(sys.argv[1]))"
    return [sys.executable, "-I", "-X", "utf8", "-c", code]


class Runner(Protocol):
    def ensure(self, run_id: str, placement: Placement) -> None: ...
    def stop(self, run_id: str, grace_s: float, why: str = ...) -> None: ...
    def forget(self, run_id: str) -> None: ...
    def poll(self) -> Sequence[Notice]: ...
    def wake_in_s(self) -> float | None: ...


class CheckBench:
    """Each look is a run of its own; one that dies without a finding is tried again."""

    def __init__(
        self,
        runner: Runner,
        root: Path,
        looks: Path,
        runs: Path,
        settings: Callable[[], Settings | None],
        environ: Mapping[str, str],
    ) -> None:
        self._runner = runner
        self._root = root
        self._looks = looks
        self._runs = runs
        self._settings = settings
        self._environ = environ
        self._orders: dict[str, Looking] = {}
        self._tries: dict[str, int] = {}
        self._cancelled: set[str] = set()

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, Looking)

    def live(self) -> frozenset[str]:
        return frozenset(self._orders) | self._cancelled

    def wake_in_s(self) -> float | None:
        return self._runner.wake_in_s()

    def ensure(self, order: h.Order) -> None:
        assert isinstance(order, Looking)
        if order.id not in self._orders:
            self._orders[order.id] = order
            self._look(order)

    def cancel(self, order_id: str) -> None:
        if order_id not in self._cancelled:
            self._orders.pop(order_id, None)
            self._cancelled.add(order_id)
            self._runner.stop(self._run_id(order_id), STOP_GRACE_S)

    def poll(self) -> Sequence[h.Fact]:
        facts: list[h.Fact] = []
        for notice in self._runner.poll():
            if isinstance(notice, Ended):
                facts.extend(self._ended(notice.run_id))
        return facts

    def _ended(self, run_id: str) -> Sequence[h.Fact]:
        order_id = run_id.rpartition(".try")[0]
        self._runner.forget(run_id)
        order = self._orders.get(order_id)
        if order is None:
            self._cancelled.discard(order_id)
            self._clear(run_id)
            return ()
        found = self._read(run_id)
        self._clear(run_id)
        if found is None and self._tries.get(order_id, 0) < TRIES:
            self._tries[order_id] = self._tries.get(order_id, 0) + 1
            self._look(order)
            return ()
        del self._orders[order_id]
        self._tries.pop(order_id, None)
        return (_fact(order, found if found is not None else _nothing(order)),)

    def _clear(self, run_id: str) -> None:
        shutil.rmtree(self._looks / run_id, ignore_errors=True)

    def _run_id(self, order_id: str) -> str:
        return f"{order_id}.try{self._tries.get(order_id, 0)}"

    def _look(self, order: Looking) -> None:
        settings = self._settings()
        assert settings is not None
        directory = self._root / order.directory
        look = _look_of(order, str(directory), str(self._root), settings, self._runs)
        self._runner.ensure(
            self._run_id(order.id),
            Placement(
                argv=("topkick-look",),
                cwd=str(self._root),
                env=allowed(self._environ, settings.verify_pass_env),
                stdin_text=LOOKS.encode(look)[1],
                output_cap_bytes=1,
                durable=False,
            ),
        )

    def _read(self, run_id: str) -> Ground | Evidence | None:
        try:
            text = (self._looks / run_id / "found").read_bytes().decode("utf-8", "surrogatepass")
        except OSError:
            return None
        kind, _, body = text.partition("\n")
        found = FINDINGS.decode(kind, body)
        assert isinstance(found, Ground | Evidence)
        return found


def _look_of(order: Looking, directory: str, root: str, settings: Settings, runs: Path) -> Look:
    timeout_s = settings.check_timeout_s
    match order:
        case h.SurveyGround():
            return Look(directory, root, order.entry, order.exit, before=True, timeout_s=timeout_s)
        case h.CheckWork():
            return Look(
                directory,
                root,
                checks=order.checks,
                always=order.always,
                base=order.base,
                ahead=order.ahead,
                output_of=str(runs / order.output_of) if order.output_of else "",
                timeout_s=timeout_s,
            )
        case h.PollCondition():
            return Look(directory, root, checks=order.checks, timeout_s=timeout_s)


def _fact(order: Looking, found: Ground | Evidence) -> h.Fact:
    match order, found:
        case h.SurveyGround(), Ground():
            return h.GroundSurveyed(order.run_id, found)
        case h.CheckWork(), Evidence():
            return h.WorkChecked(order.run_id, found)
        case h.PollCondition(), Evidence():
            return h.ConditionPolled(order.run_id, order.poll, found)
        case _:
            raise AssertionError(f"{type(found).__name__} does not answer {type(order).__name__}")


def _nothing(order: Looking) -> Ground | Evidence:
    """The look itself could not be made: nobody is charged, and a person is told."""
    why = "the process that runs the checks died each time"
    if isinstance(order, h.SurveyGround):
        return Ground(
            entry=(CheckResult("look at the tree", CheckOutcome.CANNOT_RUN, None, 0, why),)
        )
    commands = order.checks or ("look at the tree",)
    return Evidence(
        results=tuple(CheckResult(c, CheckOutcome.CANNOT_RUN, None, 0, why) for c in commands)
    )
