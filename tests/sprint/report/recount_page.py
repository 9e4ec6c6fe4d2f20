"""The report's figures as they have to be, laid out as its JSON is, from the recount."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from recount import RANK, WEIGHT, Recount, avg, covered, div, seconds

from topkick.engine import messages as h
from topkick.sprint.gates.model import Gate, GateKind


def expected(r: Recount) -> dict[str, Any]:
    done = [s for s in r.sprints if s["done"]]
    return {
        "record": r.mark,
        "summary": {
            "planned": sum(not s["plan"].generated for s in r.sprints),
            "added": sum(s["plan"].generated for s in r.sprints),
            "completed": len(done),
            **{p: sum(s["proof"] == p for s in done)
               for p in ("checked", "held", "unchecked", "accepted")},
        },
        "sprints": [_sprint(r, s) for s in r.sprints],
        "completed_in_order": [s["handle"] for s in r.done],
        "gates": list(_gates(r)),
        "merges": [{"record": seq} for seq, _, x in r.records if isinstance(x, h.UnitIntegrated)],
        "people": [{"record": seq} for seq in _people(r)],
        "pauses": [
            {"lasted_s": seconds(p["b"] - p["a"]), "stopped": p["stopped"], "records": p["records"]}
            for p in r.pauses
        ],
        "verification": _verification(r),
        "cadence": _cadence(r),
    }  # fmt: skip


def _sprint(r: Recount, s: dict[str, Any]) -> dict[str, Any]:
    waived = [
        {"record": seq} for seq, _, x in r.records
        if isinstance(x, h.FindingWaived) and (x.unit, x.sprint) == (s["unit"], s["id"])
    ]  # fmt: skip
    return {
        "handle": s["handle"],
        "generated": s["plan"].generated,
        "worked_s": seconds(s["worked"]),
        "waited_s": seconds(s["waited"]),
        "commits": s["commits"],
        "relative_cost": sum(WEIGHT[o["tier"]] for o in s["orders"]),
        "spent": r.usage(s["orders"]),
        "records": {
            "began": s["began"][0] or None,
            "completed": s["completed"] or None,
            "fatal": s["fatal"],
            "gate": s["gate"][0] if s["gate"] else None,
        },
        "criteria": [_criterion(r, s, c) for c in s["plan"].exit],
        "orders": [_order(r, o) for o in s["orders"]],
        "waived": waived,
    }


def _criterion(r: Recount, s: dict[str, Any], c: Any) -> dict[str, Any]:
    held = s["orders"][-1]["held"] if s["orders"] else ()
    look = r.last_look(s)
    ran = [x for x in look[2].evidence.results if x.command == c.command] if look else []
    made: dict[str, Any] = {"record": None, "held_before": False}
    if c.command is None:
        return {**made, "proven": "no machine can check it"}
    made["held_before"] = c.command in s["sprint"].passing_at_first
    if c.command in held:
        if not s["gate"]:
            return {**made, "proven": "held"}
        seq, closed = s["gate"]
        verdict = next(
            x.verdict for n, _, x in reversed(r.records)
            if isinstance(x, h.GateJudged) and x.gate_id == closed.gate_id and n < seq
        )  # fmt: skip
        by = "accepted with its gate" if closed.accepted else "not run"
        return {
            **made,
            "record": seq,
            "proven": "checked" if verdict in {"passed", "flaky"} else by,
        }
    if not ran:
        return {**made, "proven": "not run"}
    return {**made, "record": look[0], "proven": "checked" if ran[0].passed else "failed"}


def _order(r: Recount, o: dict[str, Any]) -> dict[str, Any]:
    return {
        "number": o["number"], "attempt": o["attempt"], "score": o["score"],
        "tier": o["tier"], "verdict": o["verdict"], "charged": o["charged"],
        "newly_met": o["met"], "worked_s": seconds(o["worked"]), "max_turns": o["max_turns"],
        "spent": r.usage([o]) if not o["out"] else None,
        "records": [x for x in (o["seq"], o["exit_seq"], o["judged_seq"]) if x],
    }  # fmt: skip


def _gates(r: Recount) -> Iterator[dict[str, Any]]:
    """Each from its opening to the next record that ends it; those dropped are left out."""
    for start, (seq, _, x) in enumerate(r.records):
        if not isinstance(x, h.GateOpened):
            continue
        runs, judged, closed, dropped = [], 0, None, False
        for later, _, y in r.records[start + 1 :]:
            if isinstance(y, h.PlanRevised) or getattr(y, "gate_id", None) == x.gate.id:
                if isinstance(y, h.GateRan):
                    runs.append(y.run)
                elif isinstance(y, h.GateJudged):
                    judged = later
                else:
                    dropped = not isinstance(y, h.GateClosed)
                    closed = None if dropped else (later, y)
                    break
        if not dropped:
            yield {
                "id": x.gate.id,
                "runs": len(runs),
                "built_s": Fraction(sum(z.duration_ms for run in runs for z in run.results), 1000),
                "passed": closed is not None and closed[1].passed,
                "records": [n for n in (seq, judged, closed[0] if closed else 0) if n],
            }


def _people(r: Recount) -> Iterator[int]:
    """Yield the commands of a person that were not refused at once; those of agents don't count."""
    ours = (h.BeginBackground, h.EndBackground)
    began = max((n for n, _, x in r.records if isinstance(x, h.MissionBegan)), default=0)
    for n, (seq, _, x) in enumerate(r.records):
        if isinstance(x, h.CommandGiven) and not isinstance(x.command, ours) and seq >= began - 1:
            after = r.records[n + 1][2] if n + 1 < len(r.records) else None
            if not isinstance(after, h.CommandRefused):
                yield seq


# --- verification --------------------------------------------------------------------------


def _has_git(r: Recount, s: dict[str, Any]) -> bool:
    look = r.last_look(s)
    return look is None or look[2].evidence.head is not None


def _is_verified(r: Recount, s: dict[str, Any]) -> bool:
    rows = [_criterion(r, s, c) for c in s["plan"].exit]
    commands = [c for c in s["plan"].exit if c.command]
    if s["plan"].type == "background" and not commands:
        return s["proof"] == "checked"
    proven = s["proof"] == "checked" and bool(rows)
    return proven and all(x["proven"] == "checked" for x in rows)


def _verification(r: Recount) -> dict[str, Any]:
    code = [s for s in r.sprints if s["done"] and s["code"] and _has_git(r, s)]
    verified = [s["handle"] for s in r.sprints if _is_verified(r, s)]
    return {
        "passed": _passes(r, code),
        "sprints": len(r.sprints),
        "verified": len(verified),
        "unverified": [s["handle"] for s in r.sprints if s["handle"] not in verified],
        "code_sprints": len(code),
        "committed": sum(bool(s["commits"]) for s in code),
        "issues": sorted(
            _issues(r, code), key=lambda i: "CRITICAL HIGH MEDIUM LOW".index(i["severity"])
        ),
    }


def _issue(severity: str, about: list[str], records: list[int]) -> dict[str, Any]:
    return {"severity": severity, "about": about, "records": [n for n in records if n]}


def _issues(r: Recount, code: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    left = [s for s in r.sprints if not s["done"]]
    for s in left:
        if s["sprint"].state == "FATAL":
            yield _issue("CRITICAL", [s["handle"]], s["fatal"][-1:])
    rest = [s["handle"] for s in left if s["sprint"].state != "FATAL"]
    if rest:
        yield _issue("CRITICAL", rest, [])
    for s in r.done:
        yield from _issues_of(r, s, lacks=s in code and not s["commits"])
    yield from _gate_issues(r)
    if any(not need.resolved for need in r.mission.cross_needs):
        yield _issue("MEDIUM", [], [])
    sure = [s for s in r.done if s["proof"] == "checked"]
    looks = {s["handle"]: r.last_look(s) for s in sure if s["code"]}
    seen = {k: x[2].evidence for k, x in looks.items() if x}
    in_place = [k for k, e in seen.items() if e.where == "place" and e.head is not None]
    if in_place:
        yield _issue("LOW", in_place, [])
    human = [s["handle"] for s in sure if any(c.command is None for c in s["plan"].exit)]
    if human:
        yield _issue("LOW", human, [])


def _issues_of(r: Recount, s: dict[str, Any], *, lacks: bool) -> Iterator[dict[str, Any]]:
    weight = {"unchecked": "HIGH", "held": "HIGH", "accepted": "MEDIUM"}
    if s["proof"] in weight:
        yield _issue(weight[s["proof"]], [s["handle"]], [s["completed"]])
    if s["proof"] in {"checked", "unchecked"}:
        for c in s["plan"].exit:
            row = _criterion(r, s, c)
            if c.command and row["proven"] != "checked":
                yield _issue("HIGH", [s["handle"]], [row["record"] or 0])
    if lacks:
        severity = "MEDIUM" if s["proof"] == "accepted" else "HIGH"
        yield _issue(severity, [s["handle"]], [s["completed"]])
    for seq, _, x in r.records:
        if isinstance(x, h.FindingWaived) and (x.unit, x.sprint) == (s["unit"], s["id"]):
            yield _issue("MEDIUM", [s["handle"]], [seq])


def _counts(gate: Gate) -> bool:
    return gate.kind in (GateKind.BUILD, GateKind.CHECKPOINT)


def _about(gate: Gate) -> tuple[str, str]:
    """Of builds after a phase, and of judgments at a checkpoint, the last is what holds."""
    return gate.phase, gate.checkpoint.id if gate.checkpoint is not None else ""


def _gate_issues(r: Recount) -> Iterator[dict[str, Any]]:
    opened = {x.gate.id: x.gate for _, _, x in r.records if isinstance(x, h.GateOpened)}
    last = {_about(opened[g["id"]]): g for g in _gates(r) if _counts(opened[g["id"]])}
    judged = {x.gate_id: x.verdict for _, _, x in r.records if isinstance(x, h.GateJudged)}
    accepted = {x.gate_id for _, _, x in r.records if isinstance(x, h.GateClosed) and x.accepted}
    mild = {"flaky": "LOW", "pre-existing": "HIGH", "not run": "HIGH", "cannot run": "HIGH"}
    builds = [g["id"] for g in _gates(r) if opened[g["id"]].kind == GateKind.BUILD]
    for gate in last.values():
        verdict = judged.get(gate["id"])
        severity = "HIGH" if verdict is None else mild.get(verdict.value, "CRITICAL")
        is_earlier = bool(builds) and gate["id"] != builds[-1]
        if is_earlier and verdict in {"pre-existing", "not run"}:
            severity = "MEDIUM"
        severity = "MEDIUM" if gate["id"] in accepted else severity
        if gate["id"] in accepted or verdict != "passed":
            yield _issue(severity, [gate["id"]], gate["records"][1:])
    on = r.mission.settings is not None and r.mission.settings.gate != "off"
    never = not any(g.kind == GateKind.BUILD for g in r.mission.past_gates)
    if r.is_completed() and on and never:
        yield _issue("MEDIUM", [], [])


def _passes(r: Recount, code: list[dict[str, Any]]) -> bool:
    """Said once more in other words than the list of issues."""
    if not r.is_completed() or any(s["proof"] not in {"checked", "accepted"} for s in r.sprints):
        return False
    for s in r.sprints:
        commands = [c for c in s["plan"].exit if c.command]
        unproven = [c for c in commands if _criterion(r, s, c)["proven"] != "checked"]
        lacks = s in code and not s["commits"]
        if s["proof"] == "checked" and (unproven or lacks):
            return False
    return not _gate_fails(r)


def _gate_fails(r: Recount) -> bool:
    last: dict[str, Any] = {}
    gates = {x.gate.id: x.gate for _, _, x in r.records if isinstance(x, h.GateOpened)}
    kept = {row["id"] for row in _gates(r)}
    for gate in gates.values():
        if gate.kind == GateKind.BUILD and gate.id in kept:
            last[gate.phase] = gate.id
    verdicts = {x.gate_id: x.verdict for _, _, x in r.records if isinstance(x, h.GateJudged)}
    accepted = {x.gate_id for _, _, x in r.records if isinstance(x, h.GateClosed) and x.accepted}
    builds = [row["id"] for row in _gates(r) if gates[row["id"]].kind == GateKind.BUILD]
    mild = {"passed", "flaky"}
    built_later = {i for i in last.values() if i != builds[-1]}
    passed = {i for i in built_later if verdicts.get(i) in {"pre-existing", "not run"}} | accepted
    return any(verdicts.get(i) not in mild for i in last.values() if i not in passed)


# --- cadence -------------------------------------------------------------------------------


def _cadence(r: Recount) -> dict[str, Any]:
    whole = _overall(r)
    lived = whole.pop("lived")
    return {
        "overall": whole,
        "by_unit": [_unit(r, u.name, lived) for u in r.mission.units.values()],
        "by_model": [_model(r, t) for t in RANK if any(o["tier"] == t for o in r.orders)],
        "velocity": _velocity(r),
        "efficiency": _efficiency(r),
        "bottleneck": _bottleneck(r),
        "estimation": _estimation(r),
        "time": _time(r),
        "savings": list(_savings(r)),
        "escalations": list(_escalations(r)),
    }


def _told(orders: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [o for o in orders if o["turns"] and not o["out"]]


def _overall(r: Recount) -> dict[str, Any]:
    begun = [s["began"][1] for s in r.sprints if s["began"][0]]
    moves = [at for _, at, x in r.records if isinstance(x, h.UnitMoved)]
    end = max(moves) if r.is_completed() else r.now
    begin = min(begun, default=0)
    elapsed = end - begin if begun else 0
    at_work = [o["span"] for o in r.orders]
    within = [(max(a, begin), min(b, end)) for a, b in r.holes if max(a, begin) < min(b, end)]
    idle = covered(within, at_work) if begun else 0
    active, lived = sum(s["worked"] for s in r.sprints), elapsed - idle
    told, done = _told(r.orders), [s for s in r.sprints if s["done"]]
    turns, most = sum(o["turns"] for o in told), sum(o["max_turns"] for o in told)
    return {
        "lived": lived,
        "elapsed_s": seconds(elapsed), "idle_s": seconds(idle), "active_s": seconds(active),
        "parallelism": div(active, lived), "saved_s": seconds(max(0, active - lived)),
        "sprints": len(done), "average_s": seconds(avg(s["worked"] for s in done)),
        "per_hour": div(len(done), seconds(lived) / 3600),
        "turns": turns, "turns_available": most, "utilization": div(turns, most),
        "relative_cost": sum(WEIGHT[o["tier"]] for o in r.orders), "spent": r.usage(r.orders),
    }  # fmt: skip


def _unit(r: Recount, name: str, lived: int) -> dict[str, Any]:
    mine = [s for s in r.sprints if s["unit"] == name]
    total = sum(s["worked"] for s in mine)
    return {
        "sprints": sum(s["done"] for s in mine),
        "total_s": seconds(total),
        "average_s": seconds(avg(s["worked"] for s in mine if s["done"])),
        "gain": div(total, lived),
    }


def _model(r: Recount, tier: str) -> dict[str, Any]:
    orders = [o for o in r.orders if o["tier"] == tier]
    began = [s for s in r.sprints if s["tries"] and s["orders"][0]["tier"] == tier]
    return {
        "tier": tier, "sprints": len(began), "orders": len(orders),
        "average_s": seconds(avg(o["worked"] for o in orders if not o["out"])),
        "average_turns": avg(o["turns"] for o in _told(orders)),
        "success_rate": div(sum(s["first_try"] for s in began), len(began)),
        "average_attempts": avg(s["tries"] for s in began),
        "relative_cost": WEIGHT[tier] * len(orders), "spent": r.usage(orders),
    }  # fmt: skip


def _velocity(r: Recount) -> dict[str, Any]:
    n = len(r.done)
    if n < 3:
        return {"phases": [], "change": None}
    thirds = [r.done[: n // 3], r.done[n // 3 : 2 * n // 3], r.done[2 * n // 3 :]]
    rows, first = [], 1
    for part in thirds:
        rows.append({
            "first": first, "last": first + len(part) - 1,
            "average_s": seconds(avg(s["worked"] for s in part)),
            "foundation": sum(s["foundation"] for s in part),
            "retried": sum(s["tries"] > 1 for s in part),
        })  # fmt: skip
        first += len(part)
    return {"phases": rows, "change": div(rows[2]["average_s"], rows[0]["average_s"])}


def _ups(s: dict[str, Any]) -> int:
    ranks = [RANK.index(o["tier"]) for o in s["orders"]]
    return sum(ranks[n] > ranks[n - 1] for n in range(1, len(ranks)))


def _efficiency(r: Recount) -> dict[str, Any]:
    judged = [s for s in r.sprints if s["tries"]]
    small = []
    for s in judged:
        all_told = s["done"] and len(_told(s["orders"])) == len(s["orders"])
        used = sum(o["turns"] for o in s["orders"])
        if all_told and Fraction(used) < Fraction(15, 100) * s["orders"][0]["max_turns"]:
            small.append(s["handle"])
    return {
        "judged": len(judged),
        "first_try": sum(s["first_try"] for s in judged),
        "retried": [
            {"handle": s["handle"], "orders": s["tries"]} for s in judged if s["tries"] > 1
        ],
        "fitting": sum(_ups(s) == 0 for s in judged),
        "upgrades": sum(_ups(s) for s in judged),
        "budget_used": avg(Fraction(o["turns"], o["max_turns"]) for o in _told(r.orders)),
        "oversized": [
            s["handle"] for s in judged
            if any(10 * o["turns"] > 8 * o["max_turns"] for o in _told(s["orders"]))
        ],
        "undersized": small,
    }  # fmt: skip


def _bottleneck(r: Recount) -> dict[str, Any]:
    """Return the time of the longest chain, by walking back from every sprint."""
    units = r.mission.units
    known: dict[tuple[str, str], int] = {}

    def longest(unit: str, n: int) -> int:
        sprint = units[unit].sprints[n]
        if (unit, sprint.id) in known:
            return known[unit, sprint.id]
        before = [longest(unit, n - 1)] if n else []
        for name in () if n else units[unit].plan.waits_for:
            before += [longest(name, len(units[name].sprints) - 1)] if units[name].sprints else []
        for ref in sprint.plan.waits_for:
            at = [k for k, s in enumerate(units[ref.unit].sprints) if s.id == ref.sprint]
            before += [longest(ref.unit, k) for k in at]
        mine: int = r.by_key[unit, sprint.id]["worked"]
        known[unit, sprint.id] = mine + max(before, default=0)
        return known[unit, sprint.id]

    ends = [longest(u.name, n) for u in units.values() for n in range(len(u.sprints))]
    return {"critical_path_s": seconds(max(ends, default=0))}


def _estimation(r: Recount) -> dict[str, Any]:
    rows = []
    for s in r.done:
        if s["orders"] and len(_told(s["orders"])) == len(s["orders"]) and not s["plan"].generated:
            used = sum(o["turns"] for o in s["orders"])
            off = Fraction(used - s["estimate"], s["estimate"])
            rows.append({"handle": s["handle"], "estimated": s["estimate"], "actual": used,
                         "variance": off, "good": abs(off) <= Fraction(1, 5)})  # fmt: skip
    middle = avg(x["estimated"] for x in rows) or 0
    large = avg(x["variance"] for x in rows if x["estimated"] > middle)
    small = avg(x["variance"] for x in rows if x["estimated"] <= middle)
    of_complex = abs(large or 0) > abs(small or 0)
    return {
        "rows": rows,
        "average_error": avg(abs(x["variance"]) for x in rows),
        "trend": large if of_complex else small,
        "of_complex": of_complex,
    }


def _time(r: Recount) -> list[dict[str, Any]]:
    kinds = dict.fromkeys(
        ("Foundation work", "Implementation", "Testing/Validation", "Retries/Fixes",
         "Other sprints", "Gates"), 0)  # fmt: skip
    for s in r.sprints:
        kind = "Implementation" if s["code"] else "Other sprints"
        kind = "Testing/Validation" if "test" in s["plan"].name.lower() else kind
        kind = "Foundation work" if s["foundation"] else kind
        kind = "Retries/Fixes" if s["plan"].generated else kind
        tried = False
        for o in s["orders"]:
            kinds["Retries/Fixes" if tried else kind] += o["worked"]
            tried = tried or o["verdict"] is not None
    for _, _, x in r.records:
        if isinstance(x, h.GateRan):
            kinds["Gates"] += 1000 * sum(y.duration_ms for y in x.run.results)
    total = sum(kinds.values())
    return [{"kind": k, "time_s": seconds(v), "part": div(v, total)} for k, v in kinds.items()]


def _savings(r: Recount) -> Iterator[dict[str, Any]]:
    for s in r.done:
        if not s["first_try"] or len(s["orders"]) != 1:
            continue
        o = s["orders"][0]
        used = RANK.index(o["tier"])
        fits = used
        if o["score"] is not None:
            fits = 2 if o["score"] >= 13 else 1 if o["score"] >= 6 else 0
        if _told([o]) and 100 * o["turns"] < 15 * o["max_turns"]:
            fits = min(fits, used - 1)
        if 0 <= fits < used:
            yield {"handle": s["handle"], "used": o["tier"], "instead": RANK[fits],
                   "relative_cost": WEIGHT[o["tier"]] - WEIGHT[RANK[fits]]}  # fmt: skip


def _escalations(r: Recount) -> Iterator[dict[str, Any]]:
    for s in r.sprints:
        for n in range(1, len(s["orders"])):
            a, b = s["orders"][n - 1], s["orders"][n]
            if RANK.index(b["tier"]) > RANK.index(a["tier"]) and not b["out"]:
                yield {
                    "handle": s["handle"], "order": n + 1, "from": a["tier"], "to": b["tier"],
                    "verdict": b["verdict"], "newly_met": b["met"],
                    "relative_cost": WEIGHT[b["tier"]],
                    "cost_each": div(WEIGHT[b["tier"]], len(b["met"])),
                    "spent": r.usage([b]), "records": [x for x in (b["seq"], b["judged_seq"]) if x],
                }  # fmt: skip


# --- comparing -----------------------------------------------------------------------------


def _has_numbers(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_numbers(v) for v in value.values())
    if isinstance(value, list):
        return any(_has_numbers(v) for v in value)
    return isinstance(value, bool | int | float)


def differences(said: Any, known: Any, path: str = "") -> Iterator[str]:
    """Every number and every yes or no that is said has to be known; a word, where it is."""
    if isinstance(said, dict):
        if not isinstance(known, dict):
            yield f"{path}: {said}, not {known}"
            return
        for key, value in said.items():
            if key in known:
                yield from differences(value, known[key], f"{path}.{key}")
            elif _has_numbers(value):
                yield f"{path}.{key}: nobody has counted this"
    elif isinstance(said, list):
        if len(said) != len(known):
            yield f"{path}: {len(said)} rows, not {len(known)}: {said} {known}"
            return
        for n, (a, b) in enumerate(zip(said, known, strict=True)):
            yield from differences(a, b, f"{path}[{n}]")
    elif isinstance(said, bool) or isinstance(known, bool) or said is None or known is None:
        if said is not known:
            yield f"{path}: {said}, not {known}"
    elif isinstance(said, int | float):
        if abs(Fraction(said) - Fraction(known)) > Fraction(6, 10_000):
            yield f"{path}: {said}, not {float(known)}"
    elif said != known:
        yield f"{path}: {said!r}, not {known!r}"
