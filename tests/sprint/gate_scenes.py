"""Short scenes of gates, clearances and repairs, for the oracle that every planted bug is asked."""

from dataclasses import replace

from fair_world import bring_to_an_end
from rig import CLONES, SETTINGS, Rig, command, expect, plan, result, sprint, unit
from topkick.checks.model import CheckOutcome, CheckResult
from topkick.engine import messages as h
from topkick.engine.agents.program import Ending
from topkick.engine.agents.runs import Stage
from topkick.git.isolation import Isolation
from topkick.plan_format.model import SprintPlan, UnitPlan
from topkick.sprint.blockers.unit import needs
from topkick.sprint.gates.model import GateMode, GateRun, GateVerdict
from topkick.sprint.model import Overall, Proof
from topkick.sprint.orders import orders
from topkick.sprint.status import overall
from topkick.sprint.transitions import UnitState

MAKE = "make test"
BUILD = replace(sprint("1"), exit=(command("test"), command("build", builds=True)))
DEPENDENCIES = replace(sprint("1"), dependencies_only=True)


def is_(found: object, wanted: object) -> None:
    expect(found == wanted, f"{found!r} instead of {wanted!r}")


def gated(*units: UnitPlan, isolation: Isolation | None = None, **settings: object) -> Rig:
    rig = Rig()
    wanted = {"gate": GateMode.AUTO, "gate_commands": (MAKE,), **settings}
    rig.start(plan(*units), replace(SETTINGS, **wanted), isolation=isolation)
    return rig


def three(sprint_plan: SprintPlan | None = None, **settings: object) -> Rig:
    """Return three units of one phase in clones of their own, their work done and merged."""
    made = sprint_plan or sprint("1")
    rig = gated(*(unit(n, made) for n in "ABC"), isolation=CLONES, **settings)
    for name in "ABC":
        rig.attempt(name)
        rig.integrated(name)
    return rig


def broken_by(rig: Rig, *groups: str, healed: tuple[str, ...] = ()) -> None:
    """Runs the gate that is wanted, to its verdict; each group fails whenever all of it is in."""
    first = rig.gate_order()
    assert first is not None, "no gate is wanted"
    while (order := rig.gate_order()) is not None and order.gate_id == first.gate_id:
        bad = [g for g in groups if g not in healed and set(g) <= set(order.units)]
        rig.gate_ran(*(f"test_{g}" for g in bad))


def repairs(rig: Rig) -> dict[str, list[str]]:
    found = {u.name: [s.id for s in u.sprints if s.plan.generated] for u in all_units(rig)}
    return {name: ids for name, ids in found.items() if ids}


def all_units(rig: Rig) -> list:
    return list(rig.mission.units.values())


def states(rig: Rig) -> str:
    """`R` RUNNING, `C` COMPLETED, `N` NOT_STARTED, `S` STOPPED, `B` BLOCKED, `K` KILLED."""
    return "".join(u.state.value[0] for u in all_units(rig))


# --- scenes --------------------------------------------------------------------------------


def a_unit_is_done_when_its_gate_passed():
    rig = three()
    is_((states(rig), rig.mission.runs), ("RRR", {}))
    is_(rig.gate_order().units, ("A", "B", "C"))
    is_((rig.gate_order().commands, overall(rig.mission)), ((MAKE,), Overall.RUNNING))
    rig.gate_ran()
    is_((states(rig), [u.gated for u in all_units(rig)]), ("CCC", [1, 1, 1]))
    is_([g.verdict for g in rig.mission.past_gates], [GateVerdict.PASSED])


def a_gate_waits_for_all_of_its_phase():
    units = [replace(unit(n, sprint("1")), layer=k) for n, k in (("A", 1), ("B", 1), ("C", 2))]
    rig = gated(*units, isolation=CLONES)
    rig.attempt("A")
    rig.integrated("A")
    is_(rig.gate_order(), None)
    rig.attempt("B")
    rig.integrated("B")
    is_((rig.gate_order().units, rig.run("C").stage), (("A", "B"), Stage.SURVEYING))


def who_is_waited_for_is_built_at_once():
    rig = gated(
        unit("A", sprint("1")),
        unit("B", sprint("1"), sprint("2")),
        unit("C", sprint("1"), after="A"),
        isolation=CLONES,
    )
    rig.attempt("A")
    rig.integrated("A")
    is_((rig.gate_order().units, states(rig)), (("A",), "RRN"))
    rig.gate_ran()
    is_(states(rig), "CRR")


def only_the_culprit_mends():
    for culprit in "ABC":
        rig = three()
        broken_by(rig, culprit)
        is_((repairs(rig), states(rig)), ({culprit: ["repair-1"]}, "RRR"))
        is_({s.failures_ever for u in all_units(rig) for s in u.sprints}, {0})
        is_(rig.gate_order(), None)
        expect(MAKE in rig.checks(culprit), "the repair is not judged by what failed")
        expect(MAKE in rig.current(culprit).plan.text, "the agent is not told what failed")
        rig.attempt(culprit)
        rig.integrated(culprit)
        rig.gate_ran()
        is_(states(rig), "CCC")


def two_culprits_mend_and_of_two_that_fail_together_the_last():
    rig = three()
    broken_by(rig, "A", "C")
    is_(sorted(repairs(rig)), ["A", "C"])
    rig = three()
    broken_by(rig, "AB")
    is_(list(repairs(rig)), ["B"])
    is_(rig.mission.past_gates[-1].verdict, GateVerdict.INTERACTION)


def what_does_not_fail_again_is_nobodys():
    rig = three()
    rig.gate_ran("test_a")
    is_(rig.gate_order().units, ())
    rig.gate_ran()
    is_(rig.gate_order().units, ("A", "B", "C"))
    rig.gate_ran()
    is_((states(rig), rig.mission.past_gates[-1].verdict), ("CCC", GateVerdict.FLAKY))


def what_failed_before_is_nobodys():
    rig = three()
    while rig.gate_order() is not None:
        rig.gate_ran("test_old")
    (gate,) = rig.mission.gates.values()
    is_((states(rig), gate.verdict, gate.final), ("RRR", GateVerdict.PRE_EXISTING, True))
    is_((overall(rig.mission), repairs(rig)), (Overall.BLOCKED, {}))
    rig.command(h.PassGate("G1", "known"))
    is_((states(rig), rig.mission.past_gates[-1].accepted), ("CCC", "known"))


def what_cannot_run_waits_for_a_person():
    for told in ({"trouble": "in use"}, {"code": 127}):
        rig = three()
        rig.gate_ran(*(() if "trouble" in told else ("x",)), **told)
        is_((states(rig), [n.handle for n in needs(rig.mission)]), ("RRR", ["G1"]))
        is_((overall(rig.mission), rig.gate_order()), (Overall.BLOCKED, None))
        is_(rig.mission.gates["G1"].verdict, GateVerdict.CANNOT_RUN)
        rig.command(h.PassGate("G1", "seen"))
        is_((states(rig), rig.mission.past_gates[-1].accepted), ("CCC", "seen"))


def a_resume_runs_it_again():
    rig = three()
    rig.gate_ran(trouble="in use")
    rig.command(h.Resume())
    expect(rig.gate_order() is not None, "who resumes wants to see it tried")
    rig.gate_ran()
    is_(states(rig), "CCC")


def nothing_known_is_not_called_passed():
    rig = three(gate_commands=(), gate=GateMode.ASK)
    order = rig.gate_order()
    rig.tell(h.GateRan(order.gate_id, order.number, GateRun(order.units)))
    is_((states(rig), [g.verdict for g in rig.mission.gates.values()]), ("RRR", ["not run"]))
    is_(three(gate_commands=()).mission.gates_opened, 0)


def what_the_manifests_call_for_is_a_gate():
    rig = gated(unit("A", sprint("1")), gate_commands=())
    rig.attempt("A", gate=("npm test",))
    is_(rig.gate_order().commands, ())
    seen = GateRun(("A",), (result("npm test", 1),), ("t",), detected=True)
    rig.tell(h.GateRan("G1", 1, seen))
    is_(rig.gate_order().commands, ("npm test",))


def a_person_is_asked():
    rig = three(gate=GateMode.ASK)
    rig.gate_ran()
    is_((states(rig), [n.handle for n in needs(rig.mission)]), ("RRR", ["G1"]))
    rig.command(h.Resume())
    is_((list(rig.mission.gates), rig.gate_order()), (["G1"], None))
    refused = rig.command(h.RefuseGate("G1", "ugly"))
    is_([type(e) for e in refused.events], [h.CommandRefused])
    rig.command(h.RefuseGate("G1", "ugly", "B"))
    is_((repairs(rig), list(rig.mission.gates)), ({"B": ["repair-1"]}, []))
    expect("ugly" in rig.current("B").plan.text, "nobody is told why")
    rig.attempt("B")
    rig.integrated("B")
    rig.gate_ran()
    rig.command(h.PassGate("G2", "fine"))
    is_(states(rig), "CCC")


def who_speaks_of_no_gate_is_refused():
    rig = three()
    for said in (h.PassGate("G1", "early"), h.RefuseGate("G1", "early"), h.PassGate("G9", "no")):
        is_([type(e) for e in rig.command(said).events], [h.CommandRefused])
    is_(rig.gate_order().number, 1)


def a_build_counts_once():
    rig = three()
    rig.gate_ran("test_a")
    again = h.GateRan("G1", 1, GateRun(("A", "B", "C")))
    expect(rig.tell(again).stale, "C7: a build was counted twice")
    is_(rig.gate_order().number, 2)


def repairs_are_tried_three_times():
    rig = three()
    for n in (1, 2, 3):
        broken_by(rig, "B")
        is_(repairs(rig)["B"][-1], f"repair-{n}")
        rig.attempt("B")
        rig.integrated("B")
    broken_by(rig, "B")
    is_((len(repairs(rig)["B"]), rig.gate_order()), (3, None))
    is_([n.handle for n in needs(rig.mission)], ["G4"])


def a_repair_that_fails_blocks_and_no_gate_is_run_again():
    rig = three(max_retries=2)
    broken_by(rig, "B")
    rig.fail("B", 2)
    is_((states(rig), rig.gate_order(), rig.mission.gates), ("RBR", None, {}))
    is_([n.handle for n in needs(rig.mission)], ["U2/repair-1"])
    rig.command(h.Accept("B", "repair-1", "as it is"))
    rig.integrated("B")
    rig.gate_ran()
    is_(states(rig), "CCC")


def dependencies_are_built_before_anything_is_built_on_them():
    for isolation in (None, CLONES):
        rig = gated(unit("A", DEPENDENCIES, sprint("2")), isolation=isolation)
        rig.attempt("A")
        if isolation is not None:
            rig.integrated("A")
        is_((rig.mission.runs, rig.gate_order().units), ({}, ("A",)))
        rig.gate_ran()
        is_((rig.run("A").sprint, rig.mission.units["A"].gated), ("2", 1))


def what_mends_dependencies_is_merged_and_built_again():
    rig = gated(unit("A", DEPENDENCIES, sprint("2")), isolation=CLONES)
    rig.attempt("A")
    rig.integrated("A")
    broken_by(rig, "A")
    rig.attempt("A")
    is_((rig.run("A").stage, rig.run("A").sprint), (Stage.INTEGRATING, "repair-1"))
    rig.integrated("A")
    rig.gate_ran()
    is_(rig.run("A").sprint, "2")


def a_conflict_is_not_met_again_while_it_is_resolved():
    rig = gated(unit("A", DEPENDENCIES, sprint("2")), isolation=CLONES)
    rig.attempt("A")
    for number in (1, 2):
        rig.integrated("A", "both.txt")
        is_((rig.run("A").stage, rig.run("A").sprint), (Stage.SURVEYING, f"merge-{number}"))
        rig.attempt("A")
    rig.integrated("A")
    rig.gate_ran()
    is_(rig.run("A").sprint, "2")


def a_dependant_waits_for_what_verifies():
    base = replace(unit("A", sprint("1")), verify=("verify a",))
    rig = gated(base, unit("B", sprint("1"), after="A"), unit("C", sprint("1")), gate=GateMode.OFF)
    rig.attempt("A")
    is_((states(rig), rig.gate_order().commands), ("CNR", ("verify a",)))
    rig.gate_ran("x")
    is_((states(rig), rig.gate_order()), ("CNR", None))
    hold = rig.mission.units["B"].hold
    expect(hold is not None and "verify a" in hold.why, "nobody is told why it waits")
    is_([n.handle for n in needs(rig.mission)], ["U2"])
    rig.attempt("C")
    is_(rig.gate_order().commands, ("verify a",))
    rig.gate_ran("x")
    rig.command(h.Resume())
    rig.gate_ran()
    is_(states(rig), "CRC")


def several_in_one_tree_hold_what_builds():
    rig = gated(unit("A", BUILD), unit("B", BUILD), unit("C", sprint("1"), after="AB"))
    rig.survey("A")
    rig.survey("B")
    is_([rig.run(n).dispatch.held for n in "AB"], [("build",), ("build",)])
    rig.exits("A")
    check = next(o for o in orders(rig.mission, rig.at_us) if isinstance(o, h.CheckWork))
    is_((check.checks, check.syntax), (("test",), True))
    rig.checked("A", results=(result("test"),))
    is_((rig.mission.sprint("A", "1").proof, states(rig)), (Proof.HELD, "RRN"))
    is_(rig.gate_order(), None)
    rig.exits("B")
    rig.checked("B", results=(result("test"),))
    is_(sorted(x.command for x in rig.gate_order().held), ["build", "build"])
    rig.gate_ran()
    is_((states(rig), rig.mission.sprint("A", "1").proof), ("CCR", Proof.CHECKED))


def a_held_criterion_that_runs_no_test_is_not_met():
    rig = gated(unit("A", BUILD), unit("B", sprint("1")))
    rig.survey("A")
    rig.attempt("B")
    rig.exits("A")
    rig.checked("A", results=(result("test"),))
    order = rig.gate_order()
    nothing = CheckResult("build", CheckOutcome.RAN_NOTHING, 0)
    seen = GateRun(order.units, (result(MAKE), nothing), ("build",))
    rig.tell(h.GateRan(order.gate_id, order.number, seen))
    is_((rig.mission.gates["G1"].verdict, states(rig)), (None, "RR"))


def who_could_build_before_there_were_gates_is_alone_once_there_are():
    rig = gated(unit("A", sprint("1")), unit("B", sprint("1")), gate=GateMode.OFF)
    rig.survey("B")
    rig.command(h.Resume(settings=replace(rig.mission.settings, gate=GateMode.AUTO)))
    rig.survey("A")
    is_(rig.mission.run_of("A"), None)
    rig.exits("B")
    rig.checked("B")
    is_(rig.run("A").stage, Stage.SURVEYING)


def who_may_build_is_alone():
    rig = gated(unit("A", BUILD), unit("B", BUILD), max_agents=2)
    rig.command(h.Stop(("B",)))
    rig.survey("A")
    is_((rig.run("A").dispatch.alone, rig.run("A").dispatch.held), (True, ()))
    rig.command(h.Resume(("B",)))
    is_((states(rig), rig.mission.run_of("B")), ("RR", None))
    rig.exits("A")
    rig.checked("A")
    is_(rig.run("B").stage, Stage.SURVEYING)


def who_rests_will_be_back():
    rig = gated(unit("A", BUILD), unit("B", BUILD))
    rig.survey("B")
    rig.exits("B", Ending.LOST)
    rig.checked("B", 1, substance=False)
    is_(rig.mission.run_of("B"), None)
    rig.survey("A")
    is_((rig.run("A").dispatch.alone, rig.run("A").dispatch.held), (False, ("build",)))


def a_tree_of_its_own_is_built_in():
    rig = gated(unit("A", BUILD), unit("B", BUILD), isolation=CLONES)
    rig.survey("A")
    rig.survey("B")
    is_([rig.run(n).dispatch.held for n in "AB"], [(), ()])


def no_gate_is_opened_while_somebody_works_in_the_tree():
    units = [replace(unit(n, sprint("1")), layer=k) for n, k in (("A", 1), ("B", 2))]
    rig = gated(*units)
    rig.attempt("A")
    is_((rig.gate_order(), states(rig)), (None, "RR"))
    rig.attempt("B")
    is_(rig.gate_order().units, ("A", "B"))


def a_stop_lets_a_gate_rest_where_it_is():
    for said, state in ((h.Stop(), "SSS"), (h.KillAll(), "KKK")):
        rig = three()
        rig.gate_ran("test_a")
        rig.command(said)
        is_((rig.gate_order(), states(rig)), (None, state))
        rig.command(h.Resume())
        is_((rig.gate_order().number, states(rig)), (2, "RRR"))


def a_new_supervisor_builds_again():
    rig = three()
    first = rig.gate_order().id
    rig.tell(h.SupervisorWoke(2, driven=True))
    expect(rig.gate_order().id != first, "the old build is taken for the new")
    rig.tell(h.SupervisorWoke(3, driven=False))
    is_(rig.gate_order(), None)


def a_revised_plan_has_gates_of_its_own():
    rig = three()
    rig.command(h.Resume(plan=plan(*(unit(n, sprint("1")) for n in "ABCD"), sha256="two")))
    is_((list(rig.mission.gates), rig.run("D").stage), ([], Stage.SURVEYING))
    rig.attempt("D")
    rig.integrated("D")
    is_(rig.gate_order().units, ("A", "B", "C", "D"))


def gates_that_are_turned_off_leave_nothing_unchecked():
    rig = gated(unit("A", BUILD), unit("B", sprint("1")))
    rig.survey("A")
    rig.attempt("B")
    rig.exits("A")
    off = replace(rig.mission.settings, gate=GateMode.OFF)
    rig.command(h.Resume(settings=off))
    rig.checked("A", results=(result("test"),))
    is_([x.command for x in rig.gate_order().held], ["build"])
    rig.gate_ran()
    is_(states(rig), "CC")


def without_gates_nobody_waits_for_one():
    rig = three(gate=GateMode.OFF)
    is_((states(rig), rig.mission.gates_opened), ("CCC", 0))


def everything_gated_can_be_brought_to_an_end():
    base = replace(unit("A", DEPENDENCIES, replace(BUILD, id="2")), verify=("verify a",))
    for isolation in (None, CLONES):
        for mode in (GateMode.AUTO, GateMode.ASK):
            units = (base, unit("B", BUILD), unit("C", BUILD, after="AB"))
            rig = gated(*units, isolation=isolation, gate=mode)
            rig.attempt("A")
            rig.command(h.Stop())
            rig.command(h.KillAll())
            bring_to_an_end(rig)
            is_({u.state for u in all_units(rig)}, {UnitState.COMPLETED})


def scenes() -> list:
    tools = {is_, gated, three, broken_by, repairs, all_units, states, scenes}
    mine = [f for f in globals().values() if getattr(f, "__module__", "") == __name__]
    return [f for f in mine if callable(f) and f not in tools]
