"""Find out which units made a gate red (GT-03).

A gate builds and tests the base branch with the work of all its units on top. When that fails, the
cause may be the base itself, chance, commits that belong to no unit, one unit, or several units
that fail only together. Each question costs a build, so the search asks the cheap and likely ones
first:

1. The base without any unit. If it fails in the same way, and again in a second run, the failure is
   older than the work (PRE_EXISTING). Only a unit whose own exit criterion fails is still to blame.
2. All units again, RERUNS times. If a run does not fail again, the failure is FLAKY; if it cannot
   run, CANNOT_RUN.
3. The base with commits that no unit owns. If that fails, the verdict is UNCLEAR.
4. The units separately. If the failing output names files of exactly one unit and the others pass
   without it, that unit is in. Otherwise a binary search finds the shortest failing prefix of the
   units; its last unit is in. Then the search adds the fewest other units without which it does not
   fail. The group is removed, and the search repeats while the rest still fails. Groups of one unit
   are CULPRITS, larger ones an INTERACTION.

A set of units whose work cannot be merged by itself counts as not failing. After MOST_RUNS runs the
verdict is UNCLEAR, with the groups found so far.

The search keeps no state of its own. `next_step` runs it from the start over the recorded runs of
the gate, as if every build were at hand; the first build that is missing is the one to run next. A
supervisor that is killed at any point, and replays its journal, therefore asks for the same build.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from topkick.checks.model import CheckOutcome, CheckResult
from topkick.sprint.check_wording import told
from topkick.sprint.gates.model import NOBODY, Gate, GateKind, GateRun, GateVerdict, is_red

RERUNS = 2
MOST_RUNS = 24

Units = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Try:
    """Build and test the base with the work of these units on top."""

    units: Units


@dataclass(frozen=True, slots=True)
class Blame:
    verdict: GateVerdict
    why: str
    groups: tuple[Units, ...] = ()


class _NotTried(Exception):
    def __init__(self, units: Units) -> None:
        self.units = units


def next_step(gate: Gate) -> Try | Blame:
    """Return the build to run next, or the verdict if the recorded runs are enough for one."""
    tried = _Tried(gate)
    try:
        return _judged(gate, tried)
    except _NotTried as wanted:
        if len(gate.runs) < MOST_RUNS:
            return Try(wanted.units)
        return Blame(GateVerdict.UNCLEAR, f"still not clear after {MOST_RUNS} runs", tried.blamed)


class _Tried:
    """The results of the gate's runs, consumed in the order in which the search asks for them."""

    def __init__(self, gate: Gate) -> None:
        self._runs = list(gate.runs)
        self._seen: dict[Units, bool | None] = {}
        self.blamed: tuple[Units, ...] = ()

    def next(self, units: Units) -> GateRun:
        """Take the first unused run of exactly these units, or raise `_NotTried`."""
        for n, run in enumerate(self._runs):
            if run.units == units:
                return self._runs.pop(n)
        raise _NotTried(units)

    def once(self, units: Units, is_bad: Callable[[GateRun], bool]) -> bool | None:
        """Return whether these units fail; None if their work cannot be merged without
        the others.
        """
        if units not in self._seen:
            run = self.next(units)
            self._seen[units] = None if run.trouble else is_bad(run)
        return self._seen[units]


def _judged(gate: Gate, tried: _Tried) -> Blame:
    everyone = gate.units
    first = tried.next(everyone)
    if gate.kind is GateKind.CHECKPOINT:
        return Blame(*judges_answer(first))
    red = [r for r in first.results if is_red(r, _held(gate))]
    if first.trouble:
        return Blame(GateVerdict.CANNOT_RUN, first.trouble)
    if not red:
        return _of_missing(gate, tried, first) or _without_red(gate, first)
    if gate.kind is GateKind.CLEARANCE:
        return Blame(GateVerdict.CULPRITS, told(red[0]))
    return _of_red(gate, tried, first, red[0])


def _without_red(gate: Gate, run: GateRun) -> Blame:
    if not run.results:
        why = "no build or test command is known: [gate] command in topkick.toml, or in the plan"
        return Blame(GateVerdict.NOT_RUN, why)
    missing = [r for r in run.results if r.outcome is CheckOutcome.CANNOT_RUN]
    if missing and not (run.detected and _is_optional(gate, missing)):
        return Blame(GateVerdict.CANNOT_RUN, told(missing[0]))
    idle = [r for r in run.results if not r.passed]
    if idle:
        return Blame(GateVerdict.NOT_RUN, told(idle[0]))
    return Blame(GateVerdict.PASSED, "")


def _of_missing(gate: Gate, tried: _Tried, first: GateRun) -> Blame | None:
    """Blame units for a command that could run on the base and now lacks something from the
    tree.
    """
    broken = [r for r in first.results if _is_broken(r)]
    if not broken or gate.kind is not GateKind.BUILD:
        return None
    base = tried.next(())
    if base.trouble or any(r.outcome is CheckOutcome.CANNOT_RUN for r in base.results):
        return None

    def is_bad(run: GateRun) -> bool:
        return any(map(_is_broken, run.results))

    groups = _taken_apart(gate, tried, first.suspects, is_bad)
    together = any(len(group) > 1 for group in groups)
    verdict = GateVerdict.INTERACTION if together else GateVerdict.CULPRITS
    return Blame(verdict, f"{told(broken[0])}; it could before the work began", groups)


def _is_broken(result: CheckResult) -> bool:
    return result.outcome is CheckOutcome.CANNOT_RUN and result.of_tree


def _is_optional(gate: Gate, results: list[CheckResult]) -> bool:
    """Return whether only manifests ask for these commands; what a person asks for must be able to
    run.
    """
    return not any(r.command in _held(gate) for r in results)


def _of_red(gate: Gate, tried: _Tried, first: GateRun, red: CheckResult) -> Blame:
    """Judge a red run: no unit is to blame for a failure without its work, or one that passes
    again.
    """
    everyone, held = gate.units, _held(gate)
    base = tried.next(())
    if base.trouble and len(everyone) > 1:
        why = f"{told(red)}; the cause cannot be found: {base.trouble}"
        return Blame(GateVerdict.UNCLEAR, why)
    known = _marks(base)

    def is_bad(run: GateRun) -> bool:
        failed = any(is_red(r, held) for r in run.results)
        return failed and not set(run.failing) <= known

    if not is_bad(first):
        again = tried.next(everyone)
        if not any(is_red(r, held) for r in again.results):
            return _not_again(again, red)
        if _marks(tried.next(())):
            return _unmet(gate, first) or _before_the_work(red)
        known = frozenset()
    for _ in range(RERUNS):
        again = tried.next(everyone)
        if not is_bad(again):
            return _not_again(again, red)
    if first.unowned and is_bad(tried.next((NOBODY,))):
        commits = ", ".join(first.unowned)
        return Blame(
            GateVerdict.UNCLEAR,
            f"{told(red)}; because of commits that belong to no unit: {commits}",
        )
    groups = _taken_apart(gate, tried, first.suspects, is_bad)
    together = any(len(group) > 1 for group in groups)
    return Blame(GateVerdict.INTERACTION if together else GateVerdict.CULPRITS, told(red), groups)


def _not_again(again: GateRun, red: CheckResult) -> Blame:
    """Judge a failure that did not repeat: a flake only if the second run was complete."""
    missing = [r for r in again.results if r.outcome is CheckOutcome.CANNOT_RUN]
    if again.trouble or missing or not again.results:
        why = again.trouble or (told(missing[0]) if missing else "nothing was run")
        return Blame(GateVerdict.CANNOT_RUN, f"{told(red)}; then, when it was run again: {why}")
    return Blame(GateVerdict.FLAKY, f"{told(red)} once, and not when it was run again")


def _unmet(gate: Gate, run: GateRun) -> Blame | None:
    """Blame the units whose exit criterion fails, even if it failed before the work too."""
    red = {r.command: r for r in run.results if is_red(r, _held(gate))}
    owed = [x for x in gate.held if x.command in red]
    if not owed:
        return None
    groups = tuple((unit,) for unit in gate.units if any(x.unit == unit for x in owed))
    why = f"{told(red[owed[0].command])}, which is its own exit criterion"
    return Blame(GateVerdict.CULPRITS, why, groups)


def _before_the_work(red: CheckResult) -> Blame:
    if red.outcome is CheckOutcome.TIMED_OUT:
        return Blame(GateVerdict.CANNOT_RUN, f"{told(red)}, nor did it before the work began")
    return Blame(GateVerdict.PRE_EXISTING, f"{told(red)}, as it did before the work began")


def _marks(run: GateRun) -> frozenset[str]:
    """Return the tests that fail; empty if nothing ran or could run."""
    return frozenset(run.failing if any(is_red(r) for r in run.results) else ())


def _held(gate: Gate) -> frozenset[str]:
    return frozenset(h.command for h in gate.held)


# --- testing the units separately ----------------------------------------------------------


def _taken_apart(
    gate: Gate, tried: _Tried, suspects: Units, is_bad: Callable[[GateRun], bool]
) -> tuple[Units, ...]:
    """Find the culprits one after the other: single units, or groups that fail only together."""

    def bad(units: Units) -> bool | None:
        return tried.once(tuple(u for u in gate.units if u in units), is_bad)

    rest = gate.units
    while True:
        found = rest if len(rest) == 1 else _one_group(rest, suspects, bad)
        group = tuple(u for u in rest if u in found)
        tried.blamed = (*tried.blamed, group)
        rest = tuple(u for u in rest if u not in group)
        if not rest or not bad(rest):
            return tried.blamed


def _one_group(rest: Units, suspects: Units, bad: Callable[[Units], bool | None]) -> Units:
    """Find one unit, or the fewest units together, that make `rest` fail; try a single suspect
    first.
    """
    named = [u for u in rest if u in suspects]
    if len(named) == 1:
        others = tuple(u for u in rest if u != named[0])
        if bad(others) is False:
            return _with_whom(named[0], others, bad)
    low, high = 0, len(rest)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bad(rest[:middle]) else (middle, high)
    if high == 1:
        return rest[:1]
    return _with_whom(rest[high - 1], rest[: high - 1], bad)


def _with_whom(last: str, others: Units, bad: Callable[[Units], bool | None]) -> Units:
    """Return the fewest units that fail together with `last`, given that all of `others` with it
    fail.
    """
    needed: Units = (last,)
    while others and bad(needed) is False:
        low, high = 0, len(others)  # it fails with others[low:], not with others[high:]
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if bad((*others[middle:], *needed)) else (low, middle)
        needed = (others[low], *needed)
        others = others[low + 1 :]
    return needed


# --- the answer of a checkpoint's judge ----------------------------------------------------

_LONGEST_ANSWER = 300
_VERDICT = re.compile(
    r"^(?:\[supervisor\] )?(?:[0-9:]{8} CHECKPOINT-[0-9R-]{3,12}: )?Verdict:? (pass|warn|block)"
    r"(?:: ([0-9.]{1,8})(?:: (.*))?| \(score: ([0-9.]{1,8})\))$",
    re.MULTILINE,
)
_FINDINGS = re.compile(r"^(?:\[supervisor\] )?Findings: (.+)$", re.MULTILINE)
_BY_WORD = {"pass": GateVerdict.PASSED, "warn": GateVerdict.WARNED, "block": GateVerdict.BLOCKED}
_WORST_FIRST = ("block", "warn", "pass")
_PASSED, _BLOCKED = 0, 1


def judges_answer(run: GateRun) -> tuple[GateVerdict, str]:
    """Return the verdict; exit code and text must agree, because a judge that crashed has judged
    nothing.
    """
    if run.trouble:
        return GateVerdict.CANNOT_RUN, run.trouble
    if not run.results:
        return GateVerdict.CANNOT_RUN, "the judge was not run"
    result = run.results[0]
    said = {found[1]: found for found in _VERDICT.finditer(result.excerpt)}
    word = next((word for word in _WORST_FIRST if word in said), "")
    lets_pass = result.outcome is not CheckOutcome.TIMED_OUT and result.code == _PASSED
    blocks = result.outcome is not CheckOutcome.TIMED_OUT and result.code == _BLOCKED
    if (lets_pass and word in {"pass", "warn"}) or (blocks and word == "block"):
        return _BY_WORD[word], _why(said[word], result) if word != "pass" else ""
    return GateVerdict.CANNOT_RUN, _fell_over(result, word)


def _why(said: re.Match[str], result: CheckResult) -> str:
    listed = _FINDINGS.search(result.excerpt)
    findings = said[3] or (listed[1] if listed else "")
    return "; ".join(filter(None, (f"score {said[2] or said[4]}", findings.strip())))[
        :_LONGEST_ANSWER
    ]


def _fell_over(result: CheckResult, word: str) -> str:
    if result.outcome is CheckOutcome.TIMED_OUT:
        return f"`{result.command}` did not end in time"
    if word:
        return f"`{result.command}` said {word} and ended with {result.code}"
    last = result.excerpt.strip().split("\n")[-1].removeprefix("[supervisor]").strip()
    return f"`{result.command}` ended with {result.code}: {last}"[:_LONGEST_ANSWER].rstrip(": ")
