"""Stories: a fact a line, and below it, indented, the events it led to and the orders wanted.

    plan: A 1 2:manual          one line a unit: its name, its sprints, and what it waits for
    plan: B 1~ 2^ after A       ~ no checks, ^ an entry criterion, + two checks
    plan: C 1:deferred!3        !3 that exit code is a declared failure
    plan: D 1 2<A/2             <A/2 waits for that sprint of another unit
    plan: E 1* 2= verify make   * a check that builds, = dependencies only, make verifies E
    checkpoint: A B then C      judged after A and B, before C may begin
    set: max_agents=2           settings, where they differ
    isolated                    each unit has clones of its own

The facts are written by a person; what is indented is written by the run and kept as golden.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from rig import (
    CLONES,
    SETTINGS,
    Rig,
    command,
    expect,
    plan,
    replayed,
    result,
    said_by_judge,
    sprint,
    unit,
)
from topkick.checks.model import Claim, Evidence, Finding, FindingKind, Ground, Integration
from topkick.engine import messages as h
from topkick.engine.agents.program import (
    AgentExit,
    AgentProgram,
    AgentReport,
    Conclusion,
    Conversation,
    Ending,
    Usage,
)
from topkick.engine.blockers import Intent
from topkick.engine.codec.codec import Text
from topkick.engine.effects import Seen
from topkick.engine.kernel import Policy, Step
from topkick.engine.settings import Settings
from topkick.git.isolation import Isolation
from topkick.plan_format.model import (
    CheckpointPlan,
    DeclaredFailure,
    Plan,
    SprintPlan,
    SprintRef,
    SprintType,
    UnitPlan,
)
from topkick.sprint.blockers.unit import needs
from topkick.sprint.gates.model import GateRun
from topkick.sprint.model import Claimed
from topkick.sprint.needs.model import Noted
from topkick.sprint.orders import orders
from topkick.sprint.policy.decide import decide
from topkick.sprint.status import overall
from topkick.sprint.views.blocker_lines import rationale, told, whole, words

INDENT = "    "
LATER = re.compile(r" in (\d+)(s|min|h)$")
LATER_S = {"s": 1, "min": 60, "h": 3600}


@dataclass
class Stage:
    """Where a story is played: the rig, and what the header said."""

    rig: Rig
    units: list[UnitPlan] = field(default_factory=list)
    settings: Settings = SETTINGS
    isolation: Isolation | None = None
    checkpoints: tuple[CheckpointPlan, ...] = ()

    @property
    def plan(self) -> Plan:
        return plan(*self.units, checkpoints=self.checkpoints)


def play(story: str, policy: Policy = decide) -> str:
    """Play the story, and return it with every indented line written anew."""
    stage = Stage(Rig(policy))
    told: list[str] = []
    for line in story.splitlines():
        if line.startswith(INDENT.rstrip() + " "):
            continue
        if not line.strip():
            continue
        told += _header(stage, line) if _is_header(line) else _fact(stage, line)
    expect(replayed(iter(stage.rig.records)) == stage.rig.mission, "J2: replay differs")
    return "\n".join(told).strip() + "\n"


def _is_header(line: str) -> bool:
    return line.startswith(("#", "plan:", "checkpoint:", "set:")) or line == "isolated"


def _header(stage: Stage, line: str) -> list[str]:
    key, _, rest = line.partition(": ")
    if key == "plan":
        stage.units.append(read_unit(rest))
    elif key == "checkpoint":
        number = len(stage.checkpoints) + 1
        stage.checkpoints += (read_checkpoint(f"CHECKPOINT-{number:03}", rest),)
    elif key == "isolated":
        stage.isolation = CLONES
    elif key == "set":
        stage.settings = read_settings(stage.settings, rest)
    elif stage.rig.records:  # a remark between facts stands alone
        return ["", line]
    return [line]


def _fact(stage: Stage, line: str) -> list[str]:
    fact, after_s = read_fact(stage, line)
    done = stage.rig.tell(fact, after_s)
    return ["", line, *(INDENT + x for x in show_step(stage.rig, done))]


# --- reading -------------------------------------------------------------------------------


def read_unit(text: str) -> UnitPlan:
    text, _, verify = text.partition(" verify ")
    words, _, after = text.partition(" after ")
    name, *sprints = words.split()
    made = unit(name, *(read_sprint(w) for w in sprints), after=after.split())
    return replace(made, verify=(verify,) if verify else ())


def read_checkpoint(id_: str, text: str) -> CheckpointPlan:
    after, _, holds = text.partition(" then ")
    units = tuple(after.split())
    return CheckpointPlan(id_, "layer 0", units, tuple(holds.split()), units, "team")


def read_sprint(text: str) -> SprintPlan:
    word, _, awaited = text.partition("<")
    found = _read_sprint(word)
    refs = tuple(SprintRef(*ref.split("/")) for ref in awaited.split("&") if ref)
    return replace(found, waits_for=refs)


def _read_sprint(word: str) -> SprintPlan:
    bare = word.rstrip("~^+*=")
    marks = word[len(bare) :]
    bare, _, code = bare.partition("!")
    id_, _, kind = bare.partition(":")
    checks = [] if "~" in marks else ["test", "lint"] if "+" in marks else ["test"]
    fails_if = DeclaredFailure(exit_code=int(code)) if code else None
    entry = ["ready"] if "^" in marks else []
    made = sprint(id_, SprintType(kind or "code"), checks, entry, fails_if)
    heavy = (command("build", builds=True),) if "*" in marks else ()
    return replace(made, exit=(*made.exit, *heavy), dependencies_only="=" in marks)


def read_settings(settings: Settings, text: str) -> Settings:
    for word in text.split():
        key, _, value = word.partition("=")
        if key.startswith("budgets."):
            settings = _with_budget(settings, key, float(value))
            continue
        if key == "other_agent":
            other = AgentProgram(value, ("other",), models={"sonnet": f"{value}-mid"})
            settings = replace(settings, other_agent=other)
            continue
        if key == "limit_ends_at_minute":
            settings = replace(settings, limit_ends_at_minute=int(value))
            continue
        old = getattr(settings, key)
        new = value == "yes" if isinstance(old, bool) else _like(old, value)
        settings = replace(settings, **{key: new})
    return settings


def _with_budget(settings: Settings, key: str, value: float) -> Settings:
    """`budgets.run.usd=5`"""
    _, scope, what = key.split(".")
    budget = replace(getattr(settings.budgets, scope), **{what: value})
    return replace(settings, budgets=replace(settings.budgets, **{scope: budget}))


def _like(old: object, value: str) -> object:
    if isinstance(old, tuple):
        return tuple(value.split(",")) if value else ()
    return type(old)(value)


def read_fact(stage: Stage, line: str) -> tuple[h.Fact, float]:
    """A verb, mostly a unit, and words in any order; `in 5min` says how much later."""
    later = LATER.search(line)
    after_s = int(later[1]) * LATER_S[later[2]] if later else 1.0
    verb, *words = (w.replace("␣", " ") for w in LATER.sub("", line).split())
    return READERS[verb](stage, words), after_s


Reader = Callable[[Stage, list[str]], h.Fact]


def _woke(_: Stage, words: list[str]) -> h.Fact:
    return h.SupervisorWoke(1, driven="undriven" not in words)


def _time(_: Stage, words: list[str]) -> h.Fact:
    return h.TimePassed()


def _survey(stage: Stage, words: list[str]) -> h.Fact:
    run = stage.rig.run(words[0])
    entry = stage.rig.mission.sprint(run.unit, run.sprint).plan.entry
    code = 1 if "not-ready" in words else 0
    results = tuple(result(c.command, code, "not yet") for c in entry if c.command)
    if conflicts := _values(words, "conflicts"):
        return h.GroundSurveyed(run.id, Ground(conflicts=conflicts, tip="tip"))
    said = "".join(_values(words, "progress"))
    ground = Ground("base", results, _values(words, "passing"), progress=said)
    return h.GroundSurveyed(run.id, ground)


def _active(stage: Stage, words: list[str]) -> h.Fact:
    return h.AgentActive(_run_id(stage, words[0]))


def _quiet(stage: Stage, words: list[str]) -> h.Fact:
    return h.AgentQuiet(_run_id(stage, words[0]), int(words[1]))


def _exit(stage: Stage, words: list[str]) -> h.Fact:
    how = words[1] if len(words) > 1 else "0"
    busy = _values(words, "busy")
    if how.isdigit():
        busy_ms = int(busy[0]) * 1000 if busy else None
        found = AgentExit(Ending.EXITED, int(how), busy_ms=busy_ms)
    else:
        found = AgentExit(Ending(how), detail=" ".join(words[2:]))
    return h.AgentExited(_run_id(stage, words[0]), found)


def _check(stage: Stage, words: list[str]) -> h.Fact:
    run_id = _run_id(stage, words[0])
    commit = "commit" in words
    claim = _values(words, "claims")
    found = Evidence(
        results=tuple(_results(stage, words)),
        head="head",
        commits=("c1",) if commit or "empty-commit" in words else (),
        substance=commit,
        uncommitted=_values(words, "uncommitted"),
        claim=Claim(claim[0]) if claim else None,
        answer=_answer(words),
        report=_report(stage, words),
        findings=tuple(_finding(name) for name in _values(words, "finding")),
        progress="".join(_values(words, "progress")),
        noted=tuple(_noted(words)),
    )
    return h.WorkChecked(run_id, found)


def _noted(words: list[str]) -> Iterator[Noted]:
    """`noted=A:the_Box_of_B,A:more` and `defines=A:Box`: what progress files say of A."""
    needs = [value.split(":") for value in _values(words, "noted")]
    names = [value.split(":") for value in _values(words, "defines")]
    for of_unit in dict.fromkeys(found[0] for found in (*needs, *names)):
        listed = tuple(text.replace("_", " ") for u, text in needs if u == of_unit and text)
        yield Noted(of_unit, listed, tuple(n for u, n in names if u == of_unit and n))


def _finding(name: str) -> Finding:
    """`finding=test_a`; with `test_a!` the plan's words permit it."""
    subject = name.rstrip("!")
    permitted = "the plan says so" if name.endswith("!") else ""
    told = f"{subject} is gone"
    return Finding(FindingKind.TEST_REMOVED, told, subject=subject, permitted=permitted)


def _waive(_: Stage, words: list[str]) -> h.Fact:
    name, _sep, id_ = words[0].partition("/")
    return h.CommandGiven(h.Waive(name, id_, _finding(words[1]).id, " ".join(words[2:]), "me"))


def _report(stage: Stage, words: list[str]) -> AgentReport | None:
    """`ends=usage-limit` as the adapter saw it; `reset=600` seconds from now; `talk=c1`."""
    ends = _values(words, "ends")
    if not ends:
        return None
    reset, talk = _values(words, "reset"), _values(words, "talk")
    return AgentReport(
        Conclusion(ends[0].replace("-", " ")),
        "as scripted",
        _usage(words),
        Conversation(talk[0], _usage(words)) if talk else None,
        resets_at_us=stage.rig.at_us + int(reset[0]) * 1_000_000 if reset else None,
        proven="proven" in words,
    )


def _usage(words: list[str]) -> Usage:
    usd = _values(words, "usd")
    return Usage(
        turns=int((_values(words, "turns") or ("0",))[0]),
        output_tokens=int((_values(words, "tokens") or ("0",))[0]),
        cost_microusd=round(float(usd[0]) * 1e6) if usd else None,
    )


def _spent(stage: Stage, words: list[str]) -> h.Fact:
    return h.AgentSpent(_run_id(stage, words[0]), _usage(words), "counted" in words)


def _integrated(stage: Stage, words: list[str]) -> h.Fact:
    trouble = " ".join(words[words.index("trouble") + 1 :]) if "trouble" in words else ""
    found = Integration("tip", _values(words, "conflicts"), trouble)
    return h.WorkIntegrated(_run_id(stage, words[0]), found)


def _gate(stage: Stage, words: list[str]) -> h.Fact:
    """The gate that is wanted; `fails=a,b` what fails, `code=127`, `names=A` whose files it names,
    `judged=warn` what a judge said, or `trouble` and why nothing could be built."""
    order = stage.rig.gate_order()
    assert order is not None, "no gate is wanted"
    if "trouble" in words:
        why = " ".join(words[words.index("trouble") + 1 :])
        return h.GateRan(order.gate_id, order.number, GateRun(order.units, trouble=why))
    if said := "".join(_values(words, "judged")):
        by_judge = said_by_judge(order.commands[0], said)
        return h.GateRan(order.gate_id, order.number, GateRun(order.units, (by_judge,)))
    fails, code = _values(words, "fails"), int((_values(words, "code") or ("1",))[0])
    named = (*order.commands, *(x.command for x in order.held))
    results = tuple(result(c, code if fails else 0, "as seen") for c in dict.fromkeys(named))
    run = GateRun(order.units, results, fails, _values(words, "names"))
    return h.GateRan(order.gate_id, order.number, run)


def _pass_gate(_: Stage, words: list[str]) -> h.Fact:
    return h.CommandGiven(h.PassGate(words[0], " ".join(words[1:])))


def _refuse_gate(_: Stage, words: list[str]) -> h.Fact:
    unit_name = "".join(_values(words, "unit"))
    why = " ".join(w for w in words[1:] if "=" not in w)
    return h.CommandGiven(h.RefuseGate(words[0], why, unit_name))


def _poll(stage: Stage, words: list[str]) -> h.Fact:
    run = stage.rig.run(words[0])
    seen = Evidence(tuple(_results(stage, words)))
    return h.ConditionPolled(run.id, run.polls + 1, seen)


def _results(stage: Stage, words: list[str]) -> Iterator:
    """`fail` fails all, `fail=lint` one, with `code=3` in that way; the others pass."""
    run = stage.rig.mission.runs.get(_run_id(stage, words[0]))
    if run is None or run.unit not in stage.rig.mission.units:
        return
    code = int((_values(words, "code") or ("1",))[0])
    bad = _values(words, "fail")
    owner = stage.rig.mission.sprint(run.unit, run.sprint)
    for criterion in (c for c in owner.plan.checks if c.command not in owner.held):
        fails = "fail" in words or criterion.command in bad
        yield result(criterion.command or "", code if fails else 0)


def _values(words: list[str], key: str) -> tuple[str, ...]:
    found = next((w for w in words if w.startswith(f"{key}=")), None)
    return tuple(found.partition("=")[2].split(",")) if found else ()


def _answer(words: list[str]) -> Text | None:
    if "answers" not in words:
        return None
    return Text.of(" ".join(words[words.index("answers") + 1 :]))


def _run_id(stage: Stage, name: str) -> str:
    """Return the id of a unit's run; `-` is the only run of a mission without units."""
    runs = stage.rig.mission.runs
    if name == "-":
        (only,) = runs
        return only
    return name if name in runs or name.startswith("m-") else stage.rig.run(name).id


def _file(_: Stage, words: list[str]) -> h.Fact:
    return h.FilesObserved((Seen(words[0], Text.of(" ".join(words[1:]))),))


def _start(stage: Stage, words: list[str]) -> h.Fact:
    """`start A/1 A/2!`: said to be done before; ! on a person's word."""
    claims = tuple(_claim(*word.split("/")) for word in words)
    return h.CommandGiven(h.Start("m", stage.plan, stage.settings, stage.isolation, claims))


def _claim(of_unit: str, of_sprint: str) -> Claimed:
    return Claimed(of_unit, of_sprint.rstrip("!"), "a file says so", taken="!" in of_sprint)


def _resume(stage: Stage, words: list[str]) -> h.Fact:
    units = tuple(w for w in words if not w.startswith("-") and "=" not in w)
    changes = " ".join(w for w in words if "=" in w)
    if changes:
        stage.settings = read_settings(stage.settings, changes)
    settings = stage.settings if changes else None
    return h.CommandGiven(h.Resume(units, "--retry-blocked" in words, settings=settings))


def _revise(stage: Stage, words: list[str]) -> h.Fact:
    units = [read_unit(text.strip()) for text in " ".join(words).split("|")]
    revised = plan(*units, sha256="two", checkpoints=stage.checkpoints)
    return h.CommandGiven(h.Resume(plan=revised))


def _stop(_: Stage, words: list[str]) -> h.Fact:
    units = tuple(w for w in words if not w.startswith("-"))
    return h.CommandGiven(h.Stop(units, force="--force" in words))


def _wrote(stage: Stage, words: list[str]) -> h.Fact:
    """Return that the edits were written, or `trouble` with the reason why not."""
    trouble = " ".join(words[1:]) if words[:1] == ["trouble"] else ""
    return h.FilesEdited(stage.rig.mission.edits_asked, trouble=trouble)


def _killall(_: Stage, words: list[str]) -> h.Fact:
    return h.CommandGiven(h.KillAll())


def _edited(_: Stage, words: list[str]) -> h.Fact:
    return h.PlanEdited(words[0])


def _background(stage: Stage, words: list[str]) -> h.Fact:
    run_id = _run_id(stage, words[0])
    return h.CommandGiven(h.BeginBackground(run_id, words[1], tuple(words[2:]), "."))


def _seen(_: Stage, words: list[str]) -> h.Fact:
    return h.BackgroundSeen(words[0])


def _ended(_: Stage, words: list[str]) -> h.Fact:
    return h.BackgroundEnded(words[0], AgentExit(Ending.STOPPED))


def _end(_: Stage, words: list[str]) -> h.Fact:
    return h.CommandGiven(h.EndBackground(tuple(words)))


def _of_sprint(make: Callable[[str, str, str], h.Command]) -> Reader:
    def read(_: Stage, words: list[str]) -> h.Fact:
        name, _sep, id_ = words[0].partition("/")
        return h.CommandGiven(make(name, id_, " ".join(words[1:])))

    return read


READERS: dict[str, Reader] = {
    "woke": _woke,
    "time": _time,
    "survey": _survey,
    "active": _active,
    "quiet": _quiet,
    "spent": _spent,
    "exit": _exit,
    "check": _check,
    "integrated": _integrated,
    "poll": _poll,
    "gate": _gate,
    "pass": _pass_gate,
    "refuse": _refuse_gate,
    "file": _file,
    "start": _start,
    "resume": _resume,
    "revise": _revise,
    "stop": _stop,
    "killall": _killall,
    "wrote": _wrote,
    "edited": _edited,
    "background": _background,
    "seen": _seen,
    "ended": _ended,
    "end": _end,
    "accept": _of_sprint(h.Accept),
    "reject": _of_sprint(h.Reject),
    "waive": _waive,
    "retry": _of_sprint(h.Retry),
}


# --- showing -------------------------------------------------------------------------------


def show_step(rig: Rig, done: Step) -> Iterator[str]:
    if done.stale:
        yield "(stale: leads nowhere)"
        return
    for event in done.events:
        yield show_event(event)
    wanted = [show_order(o) for o in orders(rig.mission, rig.at_us)]
    stands = f"; {overall(rig.mission)}" if rig.mission.units else ""
    yield f"wants {', '.join(wanted) or 'nothing'}{stands}"
    if not wanted:
        for need in needs(rig.mission):
            offers = [o.command for o in need.offers if o.intent is not Intent.LOOK]
            yield f"needs {need.handle}: {words(need)} -> {' | '.join(offers)}"


def show_event(event: h.Event) -> str:
    match event:
        case h.MissionBegan(mission_id, policy):
            return f"mission {mission_id} begins, policy {policy}"
        case h.StanceTaken(stance, why):
            return f"stance {stance}: {why}"
        case h.UnitMoved(name, was, cause, now):
            return f"unit {name}: {was} -> {now} ({cause})"
        case h.SprintMoved(name, id_, was, cause, now, why, blocker):
            said = told(blocker) or why
            return f"sprint {name}/{id_}: {was} -> {now} ({cause})" + (f": {said}" if said else "")
        case h.Decided(name, id_, decision):
            return f"log {name}/{id_} {decision}: {rationale(event)}"
        case _:
            return _show_smaller(event)


def _show_smaller(event: h.Event) -> str:
    match event:
        case h.RunOpened(run_id, name, id_, stage):
            return f"run {run_id} opens for {name}/{id_}, {stage}"
        case h.RunDispatched(run_id, d):
            told = d.prompt.body or ""
            brief = f": {told}" if told and "\n" not in told else ""
            brief += f", input {d.prompt.sha256[:8]}" if "INPUT" in told else ""
            brief += f", holds {', '.join(d.held)}" if d.held else ""
            talk = f", goes on with {d.resumes.id}" if d.resumes else ""
            talk += ", a person adds a word" if "A PERSON ADDS" in told else ""
            return f"run {run_id} dispatched: {d.agent} {d.model}, attempt {d.attempt}{talk}{brief}"
        case h.RunCancelled(run_id, why, grace_s):
            return f"run {run_id} to be ended: {why}, grace {grace_s:g} s"
        case h.RunClosed(run_id, why):
            return f"run {run_id} closed" + (f": {why}" if why else "")
        case h.BackgroundOpened(id_, name, sprint_id, title):
            return f"background {id_} {title} opened for {name}/{sprint_id}"
        case h.BackgroundCancelled(id_, grace_s):
            return f"background {id_} to be ended, grace {grace_s:g} s"
        case h.SprintJudged():
            return _show_judgment(event)
        case h.FindingWaived(name, id_, waiver):
            return f"finding {waiver.finding} of {name}/{id_} waived by {waiver.by}: {waiver.why}"
        case h.TroubleMet(name, id_, why, not_before_us):
            return f"trouble {name}/{id_}: {why}; not before {not_before_us / 1e6:g} s"
        case h.LimitMet(account, why, until_us):
            return f"limit of {account} until {until_us / 1e6:g} s: {why}"
        case h.SettingsChanged(settings):
            return f"settings changed; agent {settings.agent.name}"
        case h.AgentDown(down):
            return f"agent {down.agent} is down: {down.why}"
        case h.HoldPlaced(name, id_, hold):
            return f"hold {name}/{id_}: {' | '.join(whole(hold).splitlines())}"
        case h.HoldLifted(name, id_):
            return f"hold {name}/{id_} lifted"
        case h.SprintReopened(name, id_, fresh, note, model):
            words = [w for w in ("fresh" if fresh else "", note, model) if w]
            return f"reopened {name}/{id_}: {', '.join(words)}".rstrip(": ")
        case h.UnitIntegrated(name, sprints, tip):
            return f"unit {name}: {sprints} sprints integrated at {tip}"
        case h.SprintAdded(name, sprint_plan):
            return f"sprint {name}/{sprint_plan.id} added: {sprint_plan.name}"
        case h.GateOpened() | h.GateJudged() | h.GateClosed() | h.GateDropped() | h.UnitHeld():
            return _show_gate(event)
        case h.NeedNoted(need):
            who = f"{need.unit} of {need.target or 'nobody known'}"
            return f"need {need.number} of {who}: {need.text}; {need.resolution}"
        case h.NeedResolved(number, why):
            return f"need {number} resolved: {why}"
        case h.DefinitionsNoted(name, names):
            return f"unit {name} defines {', '.join(names) or 'nothing'}"
        case h.UnitAdded(unit_plan):
            sprints = "; ".join(f"{s.id} {s.name}" for s in unit_plan.sprints)
            return f"unit {unit_plan.name} added: {sprints}"
        case h.ReconciliationEnded(why):
            return f"reconciliation ended: {why}"
        case h.EditsAsked(edits):
            added = (f"{e.path}: {(e.content.body or '').rstrip()}" for e in edits if e.appends)
            return f"to be added to {'; '.join(added)}" if edits[0].appends else "EditsAsked"
        case h.LookAsked(glance):
            return f"look at {' '.join(glance.paths)}"
        case h.MissionEnded(done, why):
            return f"{'done' if done else 'ended'}: {why}"
        case h.NoteTaken(key, value):
            return f"note {key} = {' | '.join(value.splitlines())}".rstrip()
        case _:
            return repr(event) if isinstance(event, h.CommandRefused) else type(event).__name__


def _show_gate(event: h.Event) -> str:
    match event:
        case h.GateOpened(gate):
            about = ", ".join(f"{c.unit}:{c.sprints}" for c in gate.covers)
            what = f"clears {gate.clears}" if gate.clears else f"of {about}"
            what = f"by {gate.commands[0]}" if gate.task else what
            held = f", held: {', '.join(x.command for x in gate.held)}" if gate.held else ""
            return f"gate {gate.id} opened, {what}{held}" + (", the last" if gate.final else "")
        case h.GateJudged(gate_id, verdict, why, groups):
            who = "; ".join(" with ".join(group) for group in groups)
            return ": ".join(part for part in (f"gate {gate_id} {verdict}", why, who) if part)
        case h.GateClosed(gate_id, passed, accepted):
            how = "passed" if passed else "not passed"
            return f"gate {gate_id} closed, {how}" + (f", accepted: {accepted}" if accepted else "")
        case h.GateDropped(gate_id):
            return f"gate {gate_id} dropped"
        case h.UnitHeld(name, None):
            return f"unit {name} free"
        case h.UnitHeld(name, hold):
            return f"unit {name} held: {' | '.join(whole(hold).splitlines())}"
        case _:
            raise AssertionError(event)


def _show_judgment(e: h.SprintJudged) -> str:
    marks = [
        "charged" if e.charged else "",
        "newly met" if e.newly_met else "",
        e.proof.value if e.proof else "",
        f"rests: {told(e.rest)}" if e.rest else "",
        "returned" if e.returned else "",
        told(e.fatal),
    ]
    return ", ".join([f"judged {e.unit}/{e.sprint} {e.outcome.verdict}", *filter(None, marks)])


def show_order(order: h.Order) -> str:
    match order:
        case h.RunAgent(id=run_id, launch=launch):
            return f"{run_id} RunAgent" + ("" if launch else " (no launch)")
        case h.EndAgent(id=run_id):
            return f"{run_id} EndAgent"
        case h.RunGate(id=id_, units=units):
            return f"{id_} RunGate({' '.join(units)})"
        case _:
            return f"{order.id} {type(order).__name__}"
