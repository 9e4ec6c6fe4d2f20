"""The rules of gates, looked at from outside: books that are kept from what happened alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from topkick.engine import messages as h
from topkick.engine.agents.budgets import NO_BUDGETS
from topkick.engine.blockers import Intent, Offer
from topkick.engine.kernel import Policy, Step, step
from topkick.sprint.blockers.unit import needs
from topkick.sprint.gates.model import GateKind
from topkick.sprint.model import Mission, Overall, Proof, Stance
from topkick.sprint.status import is_at_rest, overall
from topkick.sprint.transitions import UnitCause, UnitState


@dataclass
class GateBooks:
    """The criteria that each sprint holds, and the units cleared for each unit."""

    held: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    cleared: dict[str, frozenset[str]] = field(default_factory=dict)

    def take(self, before: Mission, done: Step) -> Iterator[str]:
        """In the order in which it happened; `before` is what the gates were about."""
        gates = dict(before.gates)
        runs = {r.id: (r.unit, r.sprint) for r in before.runs.values()}
        for event in done.events:
            match event:
                case h.RunOpened(run_id, unit, sprint):
                    runs[run_id] = (unit, sprint)
                case h.RunDispatched(run_id, order):
                    self.held[runs[run_id]] = order.held
                case h.GateOpened(gate):
                    gates[gate.id] = gate
                case h.GateClosed(gate_id, passed=True):
                    self._passed(done.mission, gates[gate_id])
                case h.UnitMoved(unit, cause=UnitCause.START):
                    yield from self._begun(done.mission, unit)
                case h.UnitMoved(unit, now=UnitState.COMPLETED):
                    yield from self._completed(done.mission, unit)

    def _passed(self, after: Mission, gate: object) -> None:
        if gate.kind is GateKind.CLEARANCE:
            self.cleared[gate.clears] = frozenset(gate.commands)
        for covered in gate.covers:
            for sprint in after.units[covered.unit].sprints[: covered.sprints]:
                self.held.pop((covered.unit, sprint.id), None)

    def _begun(self, after: Mission, name: str) -> Iterator[str]:
        wanted = {c for n in after.units[name].plan.waits_for for c in after.units[n].plan.verify}
        if missing := wanted - self.cleared.get(name, frozenset()):
            yield f"GT-01: {name} began and {sorted(missing)} never passed"

    def _completed(self, after: Mission, name: str) -> Iterator[str]:
        for sprint in after.units[name].sprints:
            held = self.held.get((name, sprint.id))
            if held and sprint.proof is not Proof.ACCEPTED:
                yield f"GT-02: {name} is COMPLETED and nobody ran {held} of {sprint.id}"


def nobody_is_charged(done: Step) -> Iterator[str]:
    if not isinstance(done.fact, h.GateRan):
        return
    for event in done.events:
        if isinstance(event, h.SprintJudged | h.TroubleMet):
            yield f"C3: {event.unit}/{event.sprint} was judged by a gate"


def of_gate_orders(mission: Mission, wanted: tuple[h.RunGate, ...]) -> Iterator[str]:
    if len(wanted) > 1:
        yield f"D10: {len(wanted)} gates would be run at once"
    for order in wanted:
        gate = mission.gates.get(order.gate_id)
        if gate is None or gate.verdict is not None:
            yield f"GT-02: {order.gate_id} would be run although it is clear"
        if mission.stance is not Stance.WORKING or not mission.driven:
            yield f"D7: {order.gate_id} would be run although nobody is at work"


# --- messages to a person -------------------------------------------------------------------


def of_needs(policy: Policy, mission: Mission, at_us: int) -> Iterator[str]:
    """Y1: who is at rest short of the end says what to type, and nothing of that is refused."""
    if not mission.driven or not mission.units or not is_at_rest(mission):
        return
    if overall(mission) is Overall.COMPLETED:
        return
    found = needs(mission)
    if not found:
        yield f"Y1: {overall(mission)}, and no word to anyone"
    for need in found:
        offers = [offer for offer in need.offers if offer.intent is not Intent.LOOK]
        if not offers:
            yield f"Y1: {need.handle} waits for a person, who may do nothing about {need.by}"
        for offer in offers:
            fact = h.CommandGiven(meant_by(mission, offer))
            refused = [
                e
                for e in step(policy, mission, fact, at_us).events
                if isinstance(e, h.CommandRefused)
            ]
            if refused:
                yield f"Y1: `{offer.command}` for '{need.by}' is refused: {refused[0].refusal}"


def meant_by(mission: Mission, offer: Offer) -> h.Command:
    """Return the command that the command line makes of an offer; `resume` lifts all budgets."""
    assert mission.settings is not None
    handles = {u.handle: u.name for u in mission.units.values()}
    match offer.argv:
        case ("accept", x, *_) if x in mission.gates:
            return h.PassGate(x, "seen")
        case ("reject", x, "--unit", unit, *_):
            covered = mission.gates[x].units
            return h.RefuseGate(x, "seen", handles.get(unit, covered[0]))
        case ("reject", x, *_) if x in mission.gates:
            return h.RefuseGate(x, "seen")
        case ("resume", *_):
            return h.Resume(settings=replace(mission.settings, budgets=NO_BUDGETS))
        case (verb, x, *more):
            number, _, sprint = x.partition("/")
            return _of_sprint(verb, handles[number], sprint, more)
        case _:
            raise AssertionError(offer)


def _of_sprint(verb: str, unit: str, sprint: str, more: list[str]) -> h.Command:
    match verb:
        case "accept":
            return h.Accept(unit, sprint, "seen")
        case "reject":
            return h.Reject(unit, sprint, "seen")
        case "retry":
            return h.Retry(unit, sprint)
        case "waive":
            return h.Waive(unit, sprint, more[0], "seen")
        case _:
            raise AssertionError(verb)
