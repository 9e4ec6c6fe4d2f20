"""The simulated project: which checks would pass, what is committed, what is not."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from zlib import crc32

from proof.simulation.gate_world import GateWorld
from proof.simulation.schedule import Agent, Part, Schedule, Step
from proof.simulation.timeline import Timeline
from topkick.checks.model import CheckOutcome, CheckResult
from topkick.engine.agents.program import AgentProgram, AgentReport, Conclusion
from topkick.engine.settings import OnLimit, Settings
from topkick.plan_format.model import (
    Criterion,
    CriterionKind,
    DeclaredFailure,
    Plan,
    SprintPlan,
    SprintType,
    UnitPlan,
)
from topkick.sprint.gates.model import GateMode

DECLARED_CODE = 3
STUCK_CODE = 9
ALWAYS = "always"
LATE_S = 5_400.0
GATE_COMMAND = "make everything"
VERIFY = "verify"
MERGED = "git merge-base"
PROGRAM = AgentProgram("scripted", ("agent",))
OTHER = AgentProgram("other", ("other agent",), account="elsewhere")
ON_LIMIT = (OnLimit.WAIT, OnLimit.ASK, OnLimit.SWITCH)
LIMIT_US = 2 * 3_600_000_000


def checks_of(part: str, step: Step) -> tuple[str, ...]:
    count = max(step.checks, 1) if step.type == "deferred" and step.checks else step.checks
    heavy = (f"{part}/{step.id}/build",) if step.builds else ()
    return (*(f"{part}/{step.id}/{k}" for k in range(count)), *heavy)


def plan_of(parts: tuple[Part, ...], edition: int = 0) -> Plan:
    units = tuple(_unit(p) for p in parts)
    return Plan(title="Simulated", sha256=f"edition {edition}", units=units)


def _unit(part: Part) -> UnitPlan:
    sprints = tuple(_sprint(part.name, s) for s in part.steps)
    verify = (f"{VERIFY} {part.name}",) if part.verify else ()
    return UnitPlan(
        part.name, part.name.lower(), part.layer, part.after, sprints=sprints, verify=verify
    )


def _sprint(part: str, step: Step) -> SprintPlan:
    entry = (_criterion(f"entry {step.entry} {part}/{step.id}"),) if step.entry else ()
    leave = tuple(_criterion(c) for c in checks_of(part, step))
    fails_if = DeclaredFailure(DECLARED_CODE) if step.met_after_s < 0 else None
    type_ = SprintType(step.type)
    made = SprintPlan(step.id, f"Step {step.id}", type_, "Do it.", entry, leave, fails_if=fails_if)
    return replace(made, dependencies_only=step.dependencies)


def _criterion(command: str) -> Criterion:
    return Criterion(command, CriterionKind.COMMAND, command, builds=command.endswith("/build"))


def settings_of(schedule: Schedule, world: GateWorld) -> Settings:
    s = schedule.settings
    only = tuple(p.name for p in schedule.parts[: max(1, len(schedule.parts) - 1)])
    return Settings(
        agent=PROGRAM,
        max_agents=int(s["max_agents"]),
        max_retries=int(s["max_retries"]),
        max_continuations=int(s["max_continuations"]),
        max_dispatches=int(s["max_dispatches"]),
        sprint_timeout_s=s["sprint_timeout_s"],
        stop_patience_s=s["stop_patience_s"],
        stop_grace_s=s["stop_grace_s"],
        deferred_poll_s=s["deferred_poll_s"],
        accept_unchecked=bool(s["accept_unchecked"]),
        verify_always=(ALWAYS,) if s["always"] else (),
        only=only if s["only"] else (),
        gate=GateMode(world.mode),
        gate_commands=(GATE_COMMAND,) if world.known else (),
        on_limit=(on_limit := ON_LIMIT[int(s.get("on_limit", 0))]),
        other_agent=OTHER if on_limit is OnLimit.SWITCH else None,
    )


class Project:
    def __init__(self, schedule: Schedule, timeline: Timeline, world: GateWorld) -> None:
        self._timeline = timeline
        self._world = world
        self.mended: set[str] = set()
        self._flaky = schedule.flaky
        self._seed = schedule.seed
        self._runs = 0
        self.met: set[str] = set()
        self.commits: dict[str, list[tuple[str, bool]]] = {}
        self.uncommitted: dict[str, set[str]] = {}
        self.words: dict[str, str] = {}
        self.reports: dict[str, AgentReport] = {}
        self.struck: Callable[[str], None] = lambda _what: None
        self._told: set[tuple[str, float]] = set()
        self.stuck: set[str] = set()  # these fail in the same way every time
        self.broken_until_s = 0.0
        self.forges_for_s = 0.0
        self.forged_until_s = 0.0
        self.honest = False
        self._deferred = {
            f"{part.name}/{step.id}": step.met_after_s
            for part in schedule.parts
            for step in part.steps
            if step.type == "deferred"
        }

    # --- agents change it ------------------------------------------------------------------

    def now_s(self) -> float:
        return self._timeline.since_s

    def groups(self) -> Iterator[frozenset[str]]:
        """Yield the groups of units whose work fails now, alone or together."""
        for group in self._world.groups:
            mended = self._world.mends and group & self.mended
            if not mended and not self.honest:
                yield group

    def work(
        self, part: str, step: Step, agent: Agent, run_id: str, checks: tuple[str, ...]
    ) -> None:
        self.words[run_id] = "done" if agent.kind == "liar" else agent.says
        match agent.kind:
            case "good" | "floods" | "done but 1":
                self.met.update(checks)
                if step.id.startswith("repair-"):
                    self.mended.add(part)
                self._commit(part, substance=True)
            case "uncommitted":
                self.met.update(checks)
                self.uncommitted.setdefault(part, set()).add(f"{part.lower()}/{step.id}.txt")
            case "same failure":
                self.stuck.update(checks)
            case "limit" | "limit until" | "provider" | "auth":
                self.reports[run_id] = _report(agent.kind, self._timeline.wall_us())
                if agent.at < 0.5:  # something was done before it was stopped
                    self.met.update([c for c in checks if c not in self.met][:1])
                    self._commit(part, substance=True)
            case "part":
                self.met.update([c for c in checks if c not in self.met][:1])
                self._commit(part, substance=True)
            case "idle commit":
                self._commit(part, substance=bool(len(run_id) % 2))
            case "undoes":
                self.met.difference_update(checks[:1])
                self._commit(part, substance=True)
            case _:
                return

    def _commit(self, part: str, *, substance: bool) -> None:
        mine = self.commits.setdefault(part, [])
        mine.append((f"{part}-c{len(mine) + 1}", substance))
        self.uncommitted.pop(part, None)

    # --- checks by the supervisor ----------------------------------------------------------

    def head(self, part: str) -> str:
        mine = self.commits.get(part, [])
        return mine[-1][0] if mine else f"{part}-c0"

    def since(self, part: str, base: str | None) -> list[tuple[str, bool]]:
        mine = self.commits.get(part, [])
        names = [name for name, _ in mine]
        return mine[names.index(base) + 1 :] if base in names else mine

    def left(self, part: str) -> tuple[str, ...]:
        return tuple(sorted(self.uncommitted.get(part, ())))

    def run(self, command: str) -> CheckResult:
        """Return the command's result now; flaky ones are wrong now and then, in both
        directions.
        """
        self._runs += 1
        now_s = self._timeline.since_s
        if not self.honest and now_s < self.broken_until_s:
            self._strikes("fault checks cannot run", self.broken_until_s)
            return CheckResult(command, CheckOutcome.CANNOT_RUN, 127)
        passes = self._truth(command, now_s)
        code = STUCK_CODE if command in self.stuck else 10 + self._runs % 5
        after_s = self._condition(command)
        if after_s is None and not self.honest:
            if not passes and self.forges_for_s:  # from the next check on that would fail
                self.forged_until_s, self.forges_for_s = now_s + self.forges_for_s, 0.0
                self.struck("fault forged progress")
            if now_s < self.forged_until_s:
                passes = True
            elif self._chance(command) < self._flaky:
                passes = not passes if self._runs % 4 == 0 else False
        if after_s is not None and after_s < 0 and now_s > -after_s:
            code = DECLARED_CODE
        if passes:
            return CheckResult(command, CheckOutcome.PASSED, 0)
        return CheckResult(command, CheckOutcome.FAILED, code)

    def _strikes(self, what: str, until_s: float) -> None:
        """Count a fault once, however many checks it affects."""
        if (what, until_s) not in self._told:
            self._told.add((what, until_s))
            self.struck(what)

    def _truth(self, command: str, now_s: float) -> bool:
        if command == ALWAYS or command.startswith("entry met"):
            return True
        if command == GATE_COMMAND:
            return not any(self.groups())
        if command.startswith(VERIFY):
            return self.honest or now_s > self._world.clears_at_s
        if command.startswith("entry late"):
            return self.honest or now_s > LATE_S
        after_s = self._condition(command)
        if after_s is not None:
            return self.honest or (now_s >= after_s if after_s >= 0 else now_s > 4 * -after_s)
        return command in self.met

    def _condition(self, command: str) -> float | None:
        """Return when a deferred sprint's condition is met; None for other commands."""
        return self._deferred.get(command.rpartition("/")[0])

    def _chance(self, command: str) -> float:
        return crc32(f"{self._seed} {command} {self._runs}".encode()) / 2**32


def _report(kind: str, now_us: int) -> AgentReport:
    """Return the report; a reset time is in machine-readable form, which counts as proof."""
    match kind:
        case "limit":
            return AgentReport(Conclusion.USAGE_LIMIT, "five hours")
        case "limit until":
            ends_us = now_us + LIMIT_US
            return AgentReport(Conclusion.USAGE_LIMIT, "a week", resets_at_us=ends_us, proven=True)
        case "provider":
            return AgentReport(Conclusion.PROVIDER_TROUBLE, "overloaded")
        case _:
            return AgentReport(Conclusion.AUTHENTICATION, "log in first")
