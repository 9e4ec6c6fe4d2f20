"""Required behaviour of the engine, as one deterministic script of short scenes.

`python oracle.py` ends with 0 if all hold and with 9, naming the scene, if one does not.
A mutant that ends with anything else is broken, not caught.
"""

import sys
from dataclasses import replace

import gate_scenes
from tables import SPRINTS, UNITS

from fair_world import bring_to_an_end
from rig import CLONES, SETTINGS, Rig, command, exited, expect, plan, result, sprint, unit
from topkick.checks.model import Claim, Evidence, Finding, FindingKind, Ground, Where
from topkick.engine import messages as h
from topkick.engine.agents.program import AgentExit, AgentReport, Conclusion, Ending
from topkick.engine.agents.runs import Stage
from topkick.engine.settings import OnFinding
from topkick.plan_format.model import DeclaredFailure, SprintRef, SprintType, UnitPlan
from topkick.sprint.blockers.holds import FindingsOpen, MergeTrouble
from topkick.sprint.blockers.unit import needs
from topkick.sprint.model import Claimed, Overall, Proof, Verdict
from topkick.sprint.needs.model import Noted, Resolution
from topkick.sprint.orders import orders
from topkick.sprint.status import overall
from topkick.sprint.transitions import SPRINT_MOVES, UNIT_MOVES, SprintState, UnitState

CAUGHT = 9
DEFERRED, MANUAL = SprintType.DEFERRED, SprintType.MANUAL
ONE = plan(unit("A", sprint("1"), sprint("2")))
TWO_CHECKS = plan(unit("A", sprint("1", checks=("test", "lint"))))


def started(the_plan=ONE, **settings: object) -> Rig:
    rig = Rig()
    rig.start(the_plan, replace(SETTINGS, **settings))
    return rig


def rests_on(rig: Rig) -> list[str]:
    rest = rig.current("A").rest
    return [finding.what for finding in rest.findings] if isinstance(rest, FindingsOpen) else []


def state(rig: Rig, name: str = "A", id_: str = "1") -> SprintState:
    return rig.mission.sprint(name, id_).state


def unit_state(rig: Rig, name: str = "A") -> UnitState:
    return rig.mission.units[name].state


def is_(found: object, wanted: object) -> None:
    expect(found == wanted, f"{found!r} instead of {wanted!r}")


# --- scenes --------------------------------------------------------------------------------


def the_tables_are_those_of_the_specification():
    is_({(s.value, c.value): n.value for (s, c), n in UNIT_MOVES.items()}, UNITS)
    is_({(s.value, c.value): n.value for (s, c), n in SPRINT_MOVES.items()}, SPRINTS)


def three_attempts_and_no_more():
    rig = started()
    for failures in (1, 2):
        rig.fail("A")
        is_((rig.current("A").failures, state(rig)), (failures, SprintState.DISPATCHED))
    rig.exits("A")
    rig.checked("A", 30, substance=False)
    is_((state(rig), unit_state(rig)), (SprintState.FATAL, UnitState.BLOCKED))


def a_blocked_unit_leaves_the_others_alone():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"))), max_retries=1)
    rig.fail("A")
    rig.attempt("B")
    is_((unit_state(rig), unit_state(rig, "B")), (UnitState.BLOCKED, UnitState.COMPLETED))
    is_(overall(rig.mission), Overall.BLOCKED)


def a_retry_by_a_person_starts_again_and_the_lifetime_counts_on():
    rig = started(max_retries=2)
    rig.fail("A", 2)
    rig.command(h.Resume())
    is_(unit_state(rig), UnitState.BLOCKED)
    rig.command(h.Retry("A", "1", note="again"))
    is_((rig.current("A").failures, rig.current("A").failures_ever), (0, 2))
    rig.fail("A")
    is_((rig.current("A").failures, rig.current("A").failures_ever), (1, 3))


def the_same_failure_three_times_over_a_life_blocks():
    rig = started(max_retries=5)
    for _ in range(3):
        rig.attempt("A", 1, substance=False)
    is_(unit_state(rig), UnitState.BLOCKED)
    fatal = rig.current("A").fatal
    expect(fatal is not None and fatal.mark, "the fingerprint is not named")


def progress_is_never_charged():
    rig = started(TWO_CHECKS)
    rig.survey("A")
    rig.exits("A")
    seen = Evidence((result("test"), result("lint", 1)), head="h", substance=True)
    rig.tell(h.WorkChecked(rig.run("A").id, seen))
    is_((state(rig), rig.current("A").failures), (SprintState.DISPATCHED, 0))
    is_(rig.current("A").outcome.verdict, Verdict.PARTIAL)


def continuations_are_bounded():
    rig = started()
    for _ in range(3):
        rig.attempt("A", 1, substance=True)
    is_(rig.current("A").failures, 0)
    rig.attempt("A", 1, substance=True)
    is_(rig.current("A").failures, 1)


def a_life_has_only_so_many_orders():
    rig = started(max_dispatches=3, max_retries=9)
    rig.fail("A", 2)
    is_(unit_state(rig), UnitState.RUNNING)
    rig.exits("A")
    rig.checked("A", 40, substance=False)
    is_((unit_state(rig), rig.current("A").dispatches), (UnitState.BLOCKED, 3))
    rig.command(h.Retry("A", "1"))
    is_(unit_state(rig), UnitState.BLOCKED)


def the_next_sprint_is_looked_at_on_the_way():
    rig = started()
    rig.survey("A")
    rig.exits("A")
    rig.checked("A", ahead=Ground(head="h", passing=("test",)))
    is_((state(rig), state(rig, "A", "2")), (SprintState.COMPLETED, SprintState.DISPATCHED))
    is_(rig.run("A").dispatch.passing, ("test",))


def the_ground_is_good_for_that_moment_only():
    two = plan(unit("A", sprint("1")), unit("B", sprint("1"), sprint("2")))
    rig = started(two, max_agents=1)
    rig.command(h.Stop(("A",)))
    rig.survey("B")
    rig.exits("B")
    rig.command(h.Resume(("A",)))
    rig.checked("B", ahead=Ground(head="old"))
    is_((rig.run("A").stage, state(rig, "B", "2")), (Stage.SURVEYING, SprintState.PENDING))
    rig.tell(h.TimePassed(), 60)
    rig.attempt("A")
    is_(rig.run("B").stage, Stage.SURVEYING)


def an_entry_criterion_is_heeded_also_when_looked_at_ahead():
    rig = started()
    rig.survey("A")
    rig.exits("A")
    rig.checked("A", ahead=Ground(head="h", entry=(result("ready", 1),)))
    is_((state(rig, "A", "2"), bool(rig.current("A").hold)), (SprintState.PENDING, True))
    is_(dict(rig.mission.runs), {})


def a_kill_at_the_last_dispatch_is_looked_at_before_it_is_given_up():
    for code, wanted in ((0, SprintState.COMPLETED), (1, SprintState.FATAL)):
        rig = started(max_dispatches=1)
        rig.survey("A")
        rig.command(h.KillAll())
        rig.exits("A", Ending.STOPPED)
        rig.command(h.Resume())
        is_((rig.run("A").stage, state(rig)), (Stage.CHECKING, SprintState.BACKOFF))
        rig.checked("A", code)
        is_(rig.mission.sprint("A", "1").state, wanted)


def a_person_may_accept_what_is_being_looked_at():
    rig = started(max_dispatches=1)
    rig.survey("A")
    rig.command(h.KillAll())
    rig.exits("A", Ending.STOPPED)
    rig.command(h.Resume())
    run_id = rig.run("A").id
    rig.command(h.Accept("A", "1", "good enough"))
    is_(state(rig), SprintState.COMPLETED)
    expect(rig.tell(h.WorkChecked(run_id, Evidence(head="h"))).stale, "a look nobody needs")


def an_undriven_mission_only_ends_what_is_to_be_ended():
    rig = started()
    rig.survey("A")
    rig.tell(h.SupervisorWoke(2, driven=False))
    rig.command(h.Stop())
    is_(orders(rig.mission, rig.mission.at_us), ())
    rig.command(h.KillAll())
    is_([type(o) for o in orders(rig.mission, rig.mission.at_us)], [h.EndAgent])


def what_lay_there_before_is_nobodys_work():
    rig = started()
    run_id = rig.run("A").id
    rig.tell(h.GroundSurveyed(run_id, Ground(head="h", passing=("test",), uncommitted=("mine",))))
    rig.exits("A")
    rig.checked("A", substance=False, uncommitted=("mine",))
    is_((rig.current("A").failures, rig.current("A").outcome.uncommitted), (0, ()))
    expect(bool(rig.current("A").rest), "the work was there before, so a person is asked")


def a_resume_waits_for_the_stop_to_end():
    rig = started()
    rig.survey("A")
    rig.command(h.Stop())
    refused = rig.command(h.Resume())
    expect(any(isinstance(e, h.CommandRefused) for e in refused.events), "resumed while stopping")
    is_(unit_state(rig), UnitState.STOPPING)


def what_a_revised_plan_defers_is_waited_for_at_once():
    rig = started(plan(unit("A", sprint("1"))))
    rig.command(h.KillAll())
    rig.command(h.Resume(plan=plan(unit("A", sprint("2", DEFERRED)), sha256="two")))
    is_((rig.current("A").id, rig.run("A").stage), ("2", Stage.WAITING))


def the_usage_limit_that_ends_last_counts():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1")), unit("C", sprint("1"))))
    later, sooner = (rig.at_us + hours * 3600 * 1_000_000 for hours in (70, 2))
    for name in "ABC":
        rig.survey(name)
    for name, ends_us in (("A", later), ("B", sooner), ("C", None)):
        rig.exits(name)
        said = AgentReport(Conclusion.USAGE_LIMIT, resets_at_us=ends_us, proven=True)
        rig.checked(name, 1, substance=False, report=said)
        (limit,) = rig.mission.limits.values()
        is_(limit.until_us, later)


def a_limit_is_not_set_below_what_was_used():
    rig = started(max_retries=3)
    rig.fail("A", 2)
    low = replace(SETTINGS, max_retries=1)
    refused = rig.command(h.Resume(settings=low))
    expect(any(isinstance(e, h.CommandRefused) for e in refused.events), "C1: a limit below")


def an_exit_counts_once():
    rig = started()
    rig.survey("A")
    fact = h.AgentExited(rig.run("A").id, AgentExit(Ending.EXITED, 1))
    early = h.WorkChecked(rig.run("A").id, Evidence(head="h"))
    expect(rig.tell(early).stale, "C7: a verdict before the exit")
    expect(not rig.tell(fact).stale, "the first exit")
    expect(rig.tell(fact).stale, "C7: the second exit")
    old = h.WorkChecked(rig.run("A").id, Evidence((result("test", 1),), head="h"))
    rig.tell(old)
    expect(rig.tell(old).stale, "C7: the second verdict")
    is_(rig.current("A").failures, 1)


def a_kill_is_not_charged_and_the_work_is_looked_at_first():
    rig = started()
    rig.fail("A")
    rig.command(h.KillAll())
    rig.exits("A", Ending.STOPPED)
    is_((state(rig), unit_state(rig)), (SprintState.BACKOFF, UnitState.KILLED))
    is_(overall(rig.mission), Overall.KILLED)
    rig.command(h.Resume())
    is_((rig.current("A").failures, rig.run("A").stage), (1, Stage.CHECKING))
    is_(rig.run("A").dispatch, None)
    rig.checked("A", 1, substance=False)
    is_((rig.run("A").stage, rig.run("A").dispatch.attempt), (Stage.WORKING, 2))


def work_found_done_after_a_kill_is_not_given_out_again():
    rig = started()
    rig.survey("A")
    rig.exits("A", Ending.STOPPED)
    rig.command(h.Resume())
    rig.checked("A")
    is_((state(rig), rig.current("A").id), (SprintState.COMPLETED, "2"))


def killall_leaves_nothing_at_work():
    units = [unit(n, sprint("1")) for n in "ABC"]
    rig = started(plan(*units, unit("D", sprint("1", DEFERRED)), unit("E", sprint("1"))))
    rig.survey("A")
    rig.survey("B")
    rig.exits("B")
    rig.command(h.KillAll())
    is_([type(o) for o in orders(rig.mission, rig.at_us)], [h.EndAgent])
    rig.exits("A", Ending.STOPPED)
    is_({u.state for u in rig.mission.units.values()}, {UnitState.KILLED})
    is_(rig.mission.runs, {})
    is_(rig.mission.sprint("D", "1").state, SprintState.BACKOFF)


def a_resting_rejected_sprint_is_spent_after_a_kill_too():
    rig = started(plan(unit("A", sprint("1", MANUAL))), max_retries=1)
    rig.attempt("A")
    rig.command(h.KillAll())
    rig.command(h.Reject("A", "1", "no"))
    rig.command(h.Resume())
    is_(unit_state(rig), UnitState.BLOCKED)


def stop_drains_and_gives_time():
    rig = started(plan(unit("A", sprint("1"), sprint("2")), unit("B", sprint("1"), after="A")))
    rig.survey("A")
    rig.command(h.Stop())
    is_((rig.run("A").cancel, unit_state(rig)), (None, UnitState.STOPPING))
    expect(not orders(rig.mission, rig.at_us)[0].launch, "D7: launched after stop")
    rig.tell(h.TimePassed(), after_s=1700)
    is_(rig.run("A").cancel, None)
    rig.exits("A")
    rig.checked("A")
    is_((unit_state(rig), state(rig, id_="2")), (UnitState.STOPPED, SprintState.PENDING))
    is_(overall(rig.mission), Overall.STOPPED)


def stop_forces_when_told_twice_or_out_of_patience():
    for second in (h.CommandGiven(h.Stop(force=True)), h.TimePassed()):
        rig = started()
        rig.survey("A")
        rig.command(h.Stop())
        rig.tell(second, after_s=1801)
        is_([type(o) for o in orders(rig.mission, rig.at_us)], [h.EndAgent])
        rig.exits("A", Ending.STOPPED)
        is_((unit_state(rig), rig.current("A").failures), (UnitState.KILLED, 0))


def a_stop_said_twice_is_one_stop():
    rig = started()
    rig.survey("A")
    rig.command(h.Stop())
    rig.command(h.Stop())
    is_((rig.run("A").cancel, unit_state(rig)), (None, UnitState.STOPPING))


def stop_of_one_unit_launches_nothing_of_it():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"))))
    rig.survey("A")
    rig.survey("B")
    rig.command(h.Stop(("A",)))
    is_([o.launch for o in orders(rig.mission, rig.at_us)], [False, True])


def nothing_is_given_out_while_all_is_stopped():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"), after="A")))
    rig.survey("A")
    rig.command(h.Stop())
    rig.exits("A")
    rig.checked("A")
    is_((unit_state(rig), unit_state(rig, "B")), (UnitState.COMPLETED, UnitState.NOT_STARTED))


def without_a_driver_nothing_is_given_out():
    rig = Rig()
    rig.start(ONE, driven=False)
    is_((rig.mission.runs, unit_state(rig)), ({}, UnitState.NOT_STARTED))
    rig.tell(h.SupervisorWoke(2, driven=True))
    is_(len(rig.mission.runs), 1)


def a_new_supervisor_looks_again():
    rig = started()
    first = orders(rig.mission, rig.at_us)[0].id
    rig.tell(h.SupervisorWoke(2, driven=True))
    expect(orders(rig.mission, rig.at_us)[0].id != first, "the old look is taken for the new")


def units_wait_for_what_they_need():
    rig = started(
        plan(unit("A", sprint("1")), unit("B", sprint("1")), unit("C", sprint("1"), after="AB"))
    )
    rig.attempt("A")
    is_(unit_state(rig, "C"), UnitState.NOT_STARTED)
    rig.attempt("B")
    is_(unit_state(rig, "C"), UnitState.RUNNING)


def no_more_agents_than_allowed():
    units = [unit(n, sprint("1")) for n in "ABCD"]
    rig = started(plan(*units), max_agents=2)
    is_(len(rig.mission.runs), 2)
    rig.attempt("A")
    is_(sorted(r.unit for r in rig.mission.runs.values()), ["B", "C"])


def sprints_come_one_after_the_other():
    rig = started()
    rig.survey("A")
    rig.exits("A")
    rig.checked("A", 1)
    is_((state(rig), state(rig, id_="2")), (SprintState.DISPATCHED, SprintState.PENDING))
    is_(rig.run("A").sprint, "1")


def completed_is_final():
    rig = started(plan(unit("A", sprint("1"))))
    rig.attempt("A")
    is_((unit_state(rig), overall(rig.mission)), (UnitState.COMPLETED, Overall.COMPLETED))
    for said in (h.Resume(retry_blocked=True), h.Stop(), h.KillAll(), h.Retry("A", "1")):
        rig.command(said)
        is_((unit_state(rig), overall(rig.mission)), (UnitState.COMPLETED, Overall.COMPLETED))


def what_is_for_a_person_waits_for_a_person():
    rig = started(plan(unit("A", sprint("1", MANUAL))))
    rig.attempt("A")
    is_((state(rig), bool(needs(rig.mission))), (SprintState.PARTIAL, True))
    rig.command(h.Resume())
    is_(rig.mission.runs, {})
    rig.command(h.Accept("A", "1", "seen"))
    is_((unit_state(rig), rig.mission.sprint("A", "1").proof), (UnitState.COMPLETED, "accepted"))


def a_wait_never_fails_by_waiting():
    rig = started(plan(unit("A", sprint("1", DEFERRED, fails_if=DeclaredFailure(exit_code=3)))))
    for _ in range(25):
        rig.polled("A", 1)
    is_((state(rig), rig.current("A").failures), (SprintState.RUNNING, 0))
    is_([d.decision for d in rig.mission.decisions], ["Still waiting"])
    rig.polled("A", 3)
    is_(unit_state(rig), UnitState.BLOCKED)


def a_wait_takes_no_agents_place():
    rig = started(plan(unit("A", sprint("1", DEFERRED)), unit("B", sprint("1"))), max_agents=1)
    is_(sorted(r.stage for r in rig.mission.runs.values()), [Stage.SURVEYING, Stage.WAITING])
    rig.polled("A")
    is_(unit_state(rig), UnitState.COMPLETED)


def an_entry_criterion_holds():
    rig = started(plan(unit("A", sprint("1", entry=["ready"])), unit("B", sprint("1"))))
    rig.survey("A", entry_code=1)
    is_((state(rig), rig.mission.run_of("A")), (SprintState.PENDING, None))
    rig.tell(h.TimePassed(), after_s=100)
    is_(rig.mission.run_of("A"), None)
    rig.attempt("B")
    is_(rig.run("A").stage, Stage.SURVEYING)


def what_cannot_be_checked_needs_a_yes():
    the_plan = plan(unit("A", sprint("1", checks=())))
    is_(started(the_plan).mission.runs, {})
    rig = started(the_plan, accept_unchecked=True)
    rig.attempt("A")
    is_(rig.mission.sprint("A", "1").proof, Proof.UNCHECKED)


def a_check_that_passed_before_proves_nothing():
    for before, proof in (((), Proof.CHECKED), (("test",), Proof.UNCHECKED)):
        rig = started()
        rig.survey("A", passing=before)
        rig.exits("A")
        rig.checked("A")
        is_(rig.mission.sprint("A", "1").proof, proof)


def words_raise_nothing():
    for words in ("done", "partial"):
        for code, passing in ((1, ()), (0, ("test",))):
            rig = started()
            rig.survey("A", passing=passing)
            rig.exits("A")
            rig.checked("A", code, substance=False, claim=Claim(words))
            is_((rig.current("A").id, rig.current("A").failures), ("1", code))
        rig = started()
        rig.survey("A", passing=("test",))
        rig.exits("A", code=3)  # it broke down and did nothing, whatever it says
        rig.checked("A", substance=False, claim=Claim(words))
        is_((rig.current("A").id, rig.current("A").failures), ("1", 1))


def words_lower():
    rig = started()
    rig.attempt("A", claim=Claim("failed"))
    is_((rig.current("A").id, rig.current("A").failures), ("1", 0))


def a_progress_file_lowers():
    rig = started()
    rig.attempt("A", progress="failed")
    is_((rig.current("A").id, rig.current("A").failures), ("1", 0))


GONE, CUT = (Finding(FindingKind.TEST_REMOVED, f"{n} is gone", subject=n) for n in ("a", "b"))
BESIDE = Finding(FindingKind.BESIDE_THE_POINT, "none of the files was touched")


def findings_rest_until_each_is_waived():
    rig = started(on_finding=OnFinding.ASK)
    rig.attempt("A", findings=(GONE, CUT, replace(GONE, subject="c", permitted="plan")))
    is_((state(rig), bool(rig.current("A").rest), len(rig.mission.runs)), ("PARTIAL", True, 0))
    rig.command(h.Waive("A", "1", "f000000", "no"))
    is_(rig.current("A").waivers, ())
    rig.command(h.Waive("A", "1", GONE.id, "moved"))
    is_(state(rig), SprintState.PARTIAL)
    rig.command(h.Waive("A", "1", CUT.id, "moved"))
    is_((state(rig), rig.mission.sprint("A", "1").proof), ("COMPLETED", Proof.CHECKED))


def a_finding_goes_back_once_and_charges_nothing():
    rig = started()
    rig.attempt("A", findings=(GONE, CUT))
    is_((rig.current("A").failures, rig.current("A").rest, len(rig.mission.runs)), (0, None, 1))
    rig.attempt("A", substance=False, findings=(GONE,))
    is_((state(rig), rig.current("A").failures, len(rig.mission.runs)), ("PARTIAL", 0, 0))
    is_(rests_on(rig), ["a is gone"])
    rig.command(h.Retry("A", "1", "put it back"))
    rig.attempt("A", substance=False)
    is_(rig.current("A").id, "2")


def a_finding_goes_back_only_while_orders_are_left():
    rig = started(max_dispatches=1)
    rig.attempt("A", findings=(GONE,))
    is_((state(rig), bool(rig.current("A").rest)), ("PARTIAL", True))


def a_returned_finding_is_no_idle_continuation():
    rig = started()
    rig.attempt("A", claim=Claim("partial"))
    rig.attempt("A", findings=(GONE,))
    is_((rig.current("A").returned, rig.current("A").idle_continuations), (True, 0))


def a_person_who_retries_lets_findings_go_back_again():
    rig = started()
    rig.attempt("A", findings=(GONE,))
    rig.fail("A", 3)
    is_(state(rig), SprintState.FATAL)
    rig.command(h.Retry("A", "1"))
    rig.attempt("A", findings=(GONE,))
    is_((rig.current("A").rest, len(rig.mission.runs)), (None, 1))


def the_last_finding_that_is_open_is_the_one_shown():
    rig = started(on_finding=OnFinding.ASK)
    rig.attempt("A", findings=(GONE, CUT))
    is_(rests_on(rig), ["a is gone", "b is gone"])
    rig.command(h.Waive("A", "1", GONE.id, "moved"))
    is_(rests_on(rig), ["b is gone"])


def work_that_was_there_before_waits_for_a_person_unless_the_agent_failed():
    for code, found in ((0, ("PARTIAL", 0, 0)), (1, ("DISPATCHED", 1, 1))):
        rig = started()
        rig.survey("A", passing=("test",))
        rig.exits("A", code=code)
        rig.checked("A", substance=False)
        sprint_ = rig.current("A")
        is_((sprint_.state.value, sprint_.failures, len(rig.mission.runs)), found)


def what_is_not_committed_is_no_progress():
    rig = started()
    for n in range(3):
        rig.attempt("A", 10 + n, substance=False, uncommitted=("x",), where=Where.COMMIT)
    is_((state(rig), rig.mission.sprint("A", "1").dispatches), ("FATAL", 3))
    is_("not committed: x" in rig.mission.sprint("A", "1").outcome.reasons, True)


def a_waiver_is_for_what_was_seen():
    expect(GONE.id != replace(GONE, seen="less").id, "VF-06: the same id for another sight")
    rig = started(on_finding=OnFinding.ASK)
    rig.attempt("A", findings=(GONE, CUT))
    rig.command(h.Waive("A", "1", GONE.id, "moved"))
    rig.command(h.Retry("A", "1"))
    rig.attempt("A", findings=(GONE,))
    is_(rig.current("A").id, "2")


def what_the_plan_permits_is_no_contradiction():
    rig = started()
    rig.attempt("A", findings=(replace(GONE, permitted="skip it"),))
    is_(rig.current("A").id, "2")


def a_change_has_to_be_to_the_point_unless_it_proves_something():
    for passing, now in (((), "2"), (("test",), "1")):
        rig = started()
        rig.survey("A", passing=passing)
        rig.exits("A")
        rig.checked("A", findings=(BESIDE,))
        is_(rig.current("A").id, now)


def a_sprint_is_compared_with_how_it_was_at_first():
    rig = started()
    rig.tell(h.GroundSurveyed(rig.run("A").id, Ground("first")))
    rig.exits("A")
    rig.checked("A", 1, head="second")
    rig.exits("A")
    found = [o for o in orders(rig.mission, rig.at_us) if isinstance(o, h.CheckWork)]
    is_([(o.base, o.before.base) for o in found], [("second", "first")])


def code_is_checked_at_its_commit_and_at_last_in_a_tree_made_anew():
    kinds = (sprint("1"), sprint("2", SprintType.COMMAND), sprint("3"))
    rig = started(plan(unit("A", *kinds)))
    seen = []
    for _ in kinds:
        if rig.run("A").dispatch is None:
            rig.survey("A")
        rig.exits("A")
        seen += [o.where for o in orders(rig.mission, rig.at_us) if isinstance(o, h.CheckWork)]
        rig.checked("A")
    is_(seen, [Where.COMMIT, Where.PLACE, Where.COLD])


def an_empty_commit_is_no_work():
    rig = started()
    rig.survey("A", passing=("test",))
    rig.exits("A")
    rig.checked("A", substance=False, commits=("c1",))
    is_(rig.current("A").failures, 1)


def a_criterion_that_was_not_run_is_not_met():
    rig = started()
    rig.attempt("A", results=())
    is_(rig.current("A").id, "1")


def a_commit_of_an_earlier_order_counts():
    rig = started()
    rig.attempt("A", 1)
    rig.attempt("A", 0, substance=False)
    is_(rig.current("A").id, "2")


def a_lost_agent_is_not_charged():
    rig = started()
    rig.survey("A")
    rig.exits("A", Ending.LOST)
    rig.checked("A", 1, substance=False)
    is_((rig.current("A").failures, state(rig)), (0, SprintState.BACKOFF))
    is_(rig.mission.runs, {})
    rig.tell(h.TimePassed(), after_s=9)
    is_(rig.mission.runs, {})
    rig.tell(h.TimePassed(), after_s=1)
    is_(len(rig.mission.runs), 1)


def an_agent_that_cannot_start_is_down_for_all():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"))), max_agents=1)
    rig.survey("A")
    rig.tell(h.AgentExited(rig.run("A").id, exited(Ending.CANNOT_START)))
    is_((rig.mission.runs, rig.current("A").failures), ({}, 0))
    is_(overall(rig.mission), Overall.BLOCKED)
    rig.command(h.Resume())
    is_(len(rig.mission.runs), 1)


def a_silent_agent_is_ended_and_charged():
    rig = started()
    rig.survey("A")
    rig.tell(h.AgentQuiet(rig.run("A").id, 9))
    is_(rig.run("A").cancel, None)
    rig.tell(h.AgentQuiet(rig.run("A").id, 10))
    rig.exits("A", Ending.STOPPED)
    rig.checked("A", 1)
    is_((rig.current("A").failures, unit_state(rig)), (1, UnitState.RUNNING))


def another_plan_keeps_what_has_begun():
    rig = started()
    rig.attempt("A")
    new = plan(unit("A", sprint("1"), sprint("3")), unit("B", sprint("1")), sha256="two")
    rig.command(h.Resume(plan=new))
    is_([s.id for s in rig.mission.units["A"].sprints], ["1", "3"])
    is_((state(rig), rig.run("A").sprint), (SprintState.COMPLETED, "3"))
    is_(rig.run("B").stage, Stage.SURVEYING)


def new_settings_count_at_once():
    rig = started(max_dispatches=1, max_retries=9)
    rig.fail("A")
    more = replace(SETTINGS, max_dispatches=2, max_retries=9)
    rig.command(h.Resume(retry_blocked=True, settings=more))
    is_(unit_state(rig), UnitState.RUNNING)


def a_refused_retry_changes_nothing():
    rig = started(max_dispatches=1)
    rig.fail("A")
    rig.command(h.KillAll())
    before = rig.mission
    rig.command(h.Retry("A", "1"))
    is_(replace(rig.mission, at_us=0), replace(before, at_us=0))


def killall_also_ends_a_wait_that_nobody_polls():
    rig = started(plan(unit("A", sprint("1", DEFERRED))))
    rig.command(h.Stop())
    rig.tell(h.SupervisorWoke(2, driven=False))
    rig.command(h.Resume())
    rig.command(h.KillAll())
    is_((unit_state(rig), state(rig)), (UnitState.KILLED, SprintState.BACKOFF))


def what_is_needed_can_be_done():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"), after="A")), only=("B",))
    is_([n.handle for n in needs(rig.mission)], ["U2"])
    rig = started(max_dispatches=1)
    rig.fail("A")
    verbs = [offer.verb for offer in needs(rig.mission)[0].offers]
    expect("accept" in verbs and "retry" not in verbs, "retry would be refused")
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"), after="A")))
    rig.survey("A")
    rig.command(h.Stop())
    rig.exits("A")
    rig.checked("A")
    is_([(n.handle, n.offers[0].command) for n in needs(rig.mission)], [("U2", "topkick resume")])


def a_sprint_that_is_out_stays_of_its_kind():
    rig = started(plan(unit("A", sprint("1", MANUAL))))
    rig.survey("A")
    rig.command(h.Resume(plan=plan(unit("A", sprint("1", SprintType.COMMAND)), sha256="two")))
    rig.exits("A")
    rig.checked("A")
    is_(state(rig), SprintState.PARTIAL)


def a_background_process_must_be_seen_running():
    the_plan = plan(unit("A", sprint("1", SprintType.BACKGROUND, checks=())))
    for seen, left in ((False, ["1"]), (True, [])):
        rig = started(the_plan)
        rig.survey("A")
        rig.command(h.BeginBackground(rig.run("A").id, "server", ("serve",), "."))
        if seen:
            rig.tell(h.BackgroundSeen(next(iter(rig.mission.backgrounds))))
        rig.exits("A")
        rig.checked("A", substance=False)
        is_([s.id for s in rig.mission.units["A"].sprints[rig.mission.units["A"].at :]], left)


def killall_ends_what_runs_in_the_background():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"))))
    rig.survey("A")
    begin = h.BeginBackground(rig.run("A").id, "server", ("serve",), ".")
    rig.command(begin)
    rig.command(h.KillAll())
    is_([type(o) for o in orders(rig.mission, rig.at_us)], [h.EndAgent, h.EndAgent])
    rig.command(replace(begin, name="another"))
    is_(len(rig.mission.backgrounds), 1)


def a_name_in_the_background_is_taken_once():
    rig = started()
    rig.survey("A")
    begin = h.BeginBackground(rig.run("A").id, "server", ("serve",), ".")
    rig.command(begin)
    rig.command(begin)
    is_(len(rig.mission.backgrounds), 1)


def isolated(*units: UnitPlan, **settings: object) -> Rig:
    rig = Rig()
    rig.start(plan(*units), replace(SETTINGS, **settings), isolation=CLONES)
    return rig


def a_unit_is_done_when_its_work_is_merged():
    rig = isolated(unit("A", sprint("1")), unit("B", sprint("1"), after="A"))
    rig.attempt("A")
    is_((unit_state(rig), unit_state(rig, "B")), (UnitState.RUNNING, UnitState.NOT_STARTED))
    is_([type(o) for o in orders(rig.mission, rig.at_us)], [h.IntegrateWork])
    is_(orders(rig.mission, rig.at_us)[0].commit, "head")
    rig.integrated("A")
    is_((unit_state(rig), unit_state(rig, "B")), (UnitState.COMPLETED, UnitState.RUNNING))


def merges_come_one_after_the_other_and_take_no_agents_place():
    rig = isolated(*(unit(name, sprint("1")) for name in "ABC"), max_agents=1)
    rig.attempt("A")
    is_(rig.run("B").stage, Stage.SURVEYING)
    rig.attempt("B")
    merging = [o.run_id for o in orders(rig.mission, rig.at_us) if isinstance(o, h.IntegrateWork)]
    is_(merging, [rig.run("A").id])


def a_conflict_is_a_sprint_of_its_own():
    rig = isolated(unit("A", sprint("1")))
    rig.attempt("A")
    rig.integrated("A", "a.txt")
    added = rig.current("A").plan
    is_((added.id, added.generated, state(rig)), ("merge-1", True, SprintState.COMPLETED))
    expect("a.txt" in added.text, "the agent is not told what conflicts")
    is_(rig.checks("A"), ("git merge-base --is-ancestor tip HEAD", "test"))
    rig.command(h.Resume(plan=plan(unit("A", sprint("1")), sha256="two")))
    is_(rig.current("A").id, "merge-1")
    rig.survey("A")
    rig.exits("A")
    expect(orders(rig.mission, rig.at_us)[0].whole, "only the unit's directory would be looked at")
    rig.checked("A")
    rig.integrated("A")
    is_(unit_state(rig), UnitState.COMPLETED)


def what_another_waits_for_is_merged_first():
    waiting = replace(sprint("1"), waits_for=(SprintRef("A", "1"),))
    rig = isolated(unit("A", sprint("1"), sprint("2")), unit("B", waiting))
    rig.attempt("A")
    is_((rig.run("A").stage, rig.mission.run_of("B")), (Stage.INTEGRATING, None))
    rig.integrated("A")
    is_(rig.mission.units["A"].integrated, 1)
    looks = {o.run_id: o for o in orders(rig.mission, rig.at_us)}
    is_((looks[rig.run("A").id].catch_up, looks[rig.run("B").id].catch_up), (False, True))
    rig.tell(h.GroundSurveyed(rig.run("B").id, Ground(conflicts=("x",), tip="tip")))
    is_(rig.current("B").id, "merge-1")


def what_has_begun_goes_on_where_the_work_of_others_conflicts():
    waiting = replace(sprint("1"), waits_for=(SprintRef("A", "1"),))
    rig = isolated(unit("A", sprint("1")), unit("B", waiting))
    rig.attempt("A")
    rig.integrated("A")
    rig.attempt("B", 1)
    rig.tell(h.GroundSurveyed(rig.run("B").id, Ground("h0", conflicts=("x",), tip="tip")))
    is_((rig.current("B").id, rig.run("B").stage), ("1", Stage.WORKING))


def a_merge_that_meets_trouble_waits_for_a_person():
    rig = isolated(unit("A", sprint("1")))
    rig.attempt("A")
    rig.integrated("A", trouble="in use")
    is_([(n.handle, n.by) for n in needs(rig.mission)], [("U1", MergeTrouble("in use"))])
    is_(overall(rig.mission), Overall.BLOCKED)
    rig.command(h.Resume())
    is_(rig.run("A").stage, Stage.INTEGRATING)


def nothing_is_merged_after_killall():
    rig = isolated(unit("A", sprint("1")))
    rig.attempt("A")
    rig.command(h.KillAll())
    is_((unit_state(rig), rig.mission.runs), (UnitState.KILLED, {}))
    rig.command(h.Resume())
    is_(rig.run("A").stage, Stage.INTEGRATING)


def what_a_person_accepted_is_merged_as_it_lies():
    rig = isolated(unit("A", sprint("1", MANUAL)))
    rig.attempt("A")
    rig.command(h.Accept("A", "1", "seen"))
    is_(orders(rig.mission, rig.at_us)[0].commit, "")


def what_others_say_was_done_is_looked_at_first():
    units = unit("A", sprint("1"), sprint("2"), sprint("3", checks=()), sprint("4", checks=()))
    said = [Claimed("A", str(n), "they say", taken=n == 4) for n in range(1, 5)]
    rig = Rig()
    rig.tell(h.SupervisorWoke(1, driven=True))
    settings = replace(SETTINGS, accept_unchecked=True)
    rig.command(h.Start("m", plan(units), settings, claims=tuple(said)))
    is_((rig.run("A").stage, rig.run("A").sprint), (Stage.CHECKING, "1"))
    rig.checked("A", substance=False)
    is_((state(rig), rig.mission.sprint("A", "1").proof), (SprintState.COMPLETED, Proof.CHECKED))
    for id_ in ("2", "3"):
        is_((rig.run("A").stage, rig.run("A").sprint), (Stage.CHECKING, id_))
        rig.checked("A", 1, substance=False)
        is_((rig.run("A").stage, rig.run("A").sprint), (Stage.SURVEYING, id_))
        rig.attempt("A")
    rig.checked("A", substance=False)
    is_(
        (unit_state(rig), rig.mission.sprint("A", "4").proof), (UnitState.COMPLETED, Proof.ACCEPTED)
    )


def noting(rig: Rig, name: str, *needs: str, defines: tuple[str, ...] = (), of: str = "") -> None:
    rig.attempt(name, noted=(Noted(of or name, needs, defines),))


def what_units_need_of_one_another_is_reconciled():
    rig = started(plan(unit("Alpha", sprint("1")), unit("Beta", sprint("1"), after=["Alpha"])))
    noting(rig, "Alpha", "the Ink of Beta", "the Pen")
    is_([(n.target, n.resolved) for n in rig.mission.cross_needs], [("Beta", False), ("", False)])
    is_({n.resolution for n in rig.mission.cross_needs}, {Resolution.RECONCILIATION})
    noting(rig, "Beta", "the Nib of Alpha")
    is_(rig.mission.cross_needs[2].resolution, Resolution.IMPORT)
    first = rig.mission.units["Reconciliation 1"]
    is_((first.state, len(first.sprints)), (UnitState.RUNNING, 3))
    is_(first.plan.reconciles, (1, 2, 3))
    noting(rig, "Reconciliation 1", "the Pen", "something new", of="Alpha")
    is_([n.resolved for n in rig.mission.cross_needs], [True, False, False, False])
    is_([d.decision for d in rig.mission.decisions].count("Cross-unit need"), 4)
    noting(rig, "Reconciliation 1", "something new", of="Alpha")
    noting(rig, "Reconciliation 1", of="Beta")
    is_(rig.mission.units["Reconciliation 2"].plan.reconciles, (4,))
    noting(rig, "Reconciliation 2", "something new", of="Alpha")
    is_((overall(rig.mission), len(rig.mission.units)), (Overall.COMPLETED, 4))
    expect("resolved none" in rig.mission.reconciled, "nobody is told why there is no third pass")


def what_two_define_is_told_and_stops_nobody():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"))), reconcile=False)
    noting(rig, "A", defines=("Box",))
    noting(rig, "B", defines=("Box", "Pen"))
    is_([(n.subject, n.unit, n.target) for n in rig.mission.cross_needs], [("Box", "B", "A")])
    is_((overall(rig.mission), len(rig.mission.units)), (Overall.COMPLETED, 2))


def who_waits_for_a_person_is_not_reconciled():
    rig = started(plan(unit("A", sprint("1")), unit("B", sprint("1"))), max_retries=1)
    noting(rig, "A", "the Ink of B")
    rig.fail("B")
    is_(len(rig.mission.units), 2)


def a_plan_taken_over_keeps_the_pass_under_way():
    rig = started(plan(unit("A", sprint("1"))))
    noting(rig, "A", "the Ink", "the Pen")
    noting(rig, "Reconciliation 1", "the Pen", of="A")
    rig.command(h.Resume(plan=plan(unit("A", sprint("1")), sha256="two")))
    is_({n: len(u.sprints) for n, u in rig.mission.units.items()}, {"A": 1, "Reconciliation 1": 2})


def everything_can_be_brought_to_an_end():
    kinds = [sprint("1"), sprint("2", MANUAL), sprint("3", DEFERRED), sprint("4", checks=())]
    both = replace(sprint("5", entry=["ready"]), exit=(command("test"), command("lint")))
    rig = started(plan(unit("A", *kinds), unit("B", both), unit("C", sprint("1"), after="AB")))
    rig.survey("A")
    rig.command(h.Stop())
    rig.command(h.KillAll())
    bring_to_an_end(rig)


def scenes() -> list:
    tools = {started, noting, rests_on, state, unit_state, is_, scenes, main}
    mine = [f for f in globals().values() if getattr(f, "__module__", "") == __name__]
    return [f for f in mine if f not in tools]


def main() -> int:
    """Run all scenes; any exception, an illegal move or a broken rule, counts as noticed."""
    for scene in (*scenes(), *gate_scenes.scenes()):
        try:
            scene()
        except Exception as why:  # noqa: BLE001
            print(f"{scene.__name__}: {type(why).__name__}: {str(why)[:300]}")
            return CAUGHT
    return 0


if __name__ == "__main__":
    sys.exit(main())
