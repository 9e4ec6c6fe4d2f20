"""Every number of a report once more, from the raw records, in other code.

Nothing of the report's own modules is used. What is folded comes from the kernel's fold; orders
are found by searching the records for each of them, time is measured segment by segment, numbers
are fractions until the end, paths are tried one by one.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from topkick.engine import messages as h
from topkick.engine.fold import apply
from topkick.plan_format.model import SprintRef
from topkick.sprint.dispatch.traits import dependents_of, traits_of
from topkick.sprint.model import Mission
from topkick.sprint.status import overall

Records = list[tuple[int, int, h.Happening]]
WEIGHT = {"haiku": 1, "sonnet": 10, "opus": 30}
RANK = ["haiku", "sonnet", "opus"]
NOISE = {"AgentSpent", "AgentActive", "AgentQuiet", "ConditionPolled"}


def div(a: Any, b: Any) -> Fraction | None:
    return Fraction(a) / Fraction(b) if b else None


def avg(numbers: Iterable[Any]) -> Fraction | None:
    found = list(numbers)
    return div(sum(Fraction(n) for n in found), len(found))


def seconds(us: Any) -> Fraction | None:
    return None if us is None else Fraction(us) / 1_000_000


def covered(spans: list[tuple[int, int]], holes: list[tuple[int, int]]) -> int:
    """Return the time that is in a span and in no hole, by testing each stretch between bounds."""
    bounds = sorted({x for pair in (*spans, *holes) for x in pair})
    total = 0
    for a, b in pairwise(bounds):
        inside = any(s <= a and b <= e for s, e in spans)
        if inside and not any(s <= a and b <= e for s, e in holes):
            total += b - a
    return total


class Recount:
    def __init__(self, records: Records) -> None:
        self.records = records
        self.mission = Mission()
        self.pauses: list[dict[str, Any]] = []
        self.before_each: list[Mission] = []
        for seq, at, x in records:
            self._gap(seq, at, x)
            self.before_each.append(self.mission)
            self.mission = apply(self.mission, x, at)
        quiet = [r for r in records if type(r[2]).__name__ not in NOISE]
        self.mark, self.now = quiet[-1][0], quiet[-1][1]
        self.holes = [(p["a"], p["b"]) for p in self.pauses]
        self.orders = [
            self._order(seq, at, x) for seq, at, x in records if isinstance(x, h.RunDispatched)
        ]
        self._number()
        self.sprints = [
            self._sprint(u, n) for u in self.mission.units.values() for n in range(len(u.sprints))
        ]
        self.by_key = {(s["unit"], s["id"]): s for s in self.sprints}
        keys = [
            (x.unit, x.sprint)
            for _, _, x in records
            if isinstance(x, h.SprintMoved) and x.now == "COMPLETED"
        ]
        self.done = [self.by_key[k] for k in keys if k in self.by_key]

    # --- time ---

    def _gap(self, seq: int, at: int, x: h.Happening) -> None:
        m = self.mission
        if m.plan is None or at <= m.at_us:
            return
        stopped = m.stance != "working" and not m.runs
        if not (stopped or isinstance(x, h.SupervisorWoke) or not m.driven):
            return
        last = self.pauses[-1] if self.pauses else None
        if last and last["b"] == m.at_us and last["stopped"] == stopped:
            last["b"], last["records"][1] = at, seq
        else:
            gap = {"a": m.at_us, "b": at, "stopped": stopped, "records": [seq - 1, seq]}
            self.pauses.append(gap)

    # --- orders ---

    def _order(self, seq: int, at: int, x: h.RunDispatched) -> dict[str, Any]:
        run, d = x.run_id, x.dispatch
        opened = self._one(h.RunOpened, lambda y: y.run_id == run)[2]
        later = [r for r in self.records if r[0] > seq]
        same = [
            r for r in later
            if isinstance(r[2], h.RunOpened) and r[2].unit == opened.unit
            and r[2].sprint == opened.sprint
        ]  # fmt: skip
        dispatched = {r[2].run_id for r in later if isinstance(r[2], h.RunDispatched)}
        ids = [run]
        for r in same:
            if r[2].run_id in dispatched:
                break
            ids += [r[2].run_id] if r[2].stage == "checking" else []
        made: dict[str, Any] = {
            "seq": seq, "at": at, "run": run, "ids": ids, "unit": opened.unit,
            "sprint": opened.sprint, "tier": d.tier.value, "score": d.score, "attempt": d.attempt,
            "passing": d.passing, "held": d.held, "model": d.model,
            "max_turns": self.before_each[seq - 1].settings.max_turns,
        }  # fmt: skip
        self._exit(made)
        self._usage(made, later)
        self._verdict(made, later)
        self._time(made)
        return made

    def _one(self, kind: type, wanted: Callable[[Any], bool]) -> Any:
        return next((r for r in self.records if isinstance(r[2], kind) and wanted(r[2])), None)

    def _exit(self, o: dict[str, Any]) -> None:
        found = self._one(h.AgentExited, lambda y: y.run_id == o["run"])
        o["exit_seq"], o["exit_at"] = (found[0], found[1]) if found else (0, 0)
        o["out"] = found is None
        o["busy"] = 0
        if found:
            how = found[2].exit
            o["busy"] = found[1] - o["at"] if how.how != "lost" else 0
            o["busy"] = how.busy_ms * 1000 if how.busy_ms is not None else o["busy"]

    def _usage(self, o: dict[str, Any], later: Records) -> None:
        """A run tells all it has used again and again: the most of each kind counts."""
        told = []
        for _, _, y in later:
            if isinstance(y, h.AgentSpent) and y.run_id in o["ids"]:
                told.append(y.usage)
            if isinstance(y, h.WorkChecked) and y.run_id in o["ids"] and y.evidence.report:
                told.append(y.evidence.report.usage)
        costs = [u.cost_microusd for u in told if u.cost_microusd is not None]
        o["turns"] = max((u.turns for u in told), default=0)
        o["tokens"] = max((u.input_tokens for u in told), default=0)
        o["tokens"] += max((u.output_tokens for u in told), default=0)
        o["cost"] = max(costs) if costs else None

    def _verdict(self, o: dict[str, Any], later: Records) -> None:
        judged = [
            r for r in later if isinstance(r[2], h.SprintJudged) and r[2].outcome.run_id in o["ids"]
        ]
        o["verdict"] = judged[0][2].outcome.verdict.value if judged else None
        o["charged"] = bool(judged) and judged[0][2].charged
        o["judged_seq"] = judged[0][0] if judged else 0
        looks = [r for r in later if isinstance(r[2], h.WorkChecked) and r[2].run_id in o["ids"]]
        o["met"], o["commits"] = [], []
        for r in looks:
            o["commits"] += [c for c in r[2].evidence.commits if c not in o["commits"]]
        if looks:
            passed = [y.command for y in looks[-1][2].evidence.results if y.outcome == "passed"]
            o["met"] = [c for c in dict.fromkeys(passed) if c not in o["passing"]]

    def _time(self, o: dict[str, Any]) -> None:
        closed = {r[2].run_id: r[1] for r in self.records if isinstance(r[2], h.RunClosed)}
        spans = []
        for run in o["ids"]:
            begin = o["exit_at"]
            if run != o["run"]:
                begin = self._one(h.RunOpened, lambda y, run=run: y.run_id == run)[1]
            if begin:
                spans.append((begin, closed.get(run, self.now)))
        o["worked"] = o["busy"] + covered(spans, self.holes)
        if o["out"]:
            o["worked"] = max(0, self.now - o["at"])
        end = max(self.now, o["at"]) if o["out"] else min(o["exit_at"], o["at"] + o["busy"])
        o["span"] = (o["at"], end)

    def _number(self) -> None:
        for n, o in enumerate(self.orders):
            mine = [
                p for p in self.orders[:n] if (p["unit"], p["sprint"]) == (o["unit"], o["sprint"])
            ]
            o["number"] = 1 + len(mine)

    # --- sprints ---

    def _sprint(self, unit: Any, n: int) -> dict[str, Any]:
        sprint = unit.sprints[n]
        mine = [o for o in self.orders if (o["unit"], o["sprint"]) == (unit.name, sprint.id)]
        moved = [
            r for r in self.records
            if isinstance(r[2], h.SprintMoved)
            and (r[2].unit, r[2].sprint) == (unit.name, sprint.id)
        ]  # fmt: skip
        waits = [
            r for r in self.records
            if isinstance(r[2], h.RunOpened) and r[2].stage == "waiting"
            and (r[2].unit, r[2].sprint) == (unit.name, sprint.id)
        ]  # fmt: skip
        closed = {r[2].run_id: r[1] for r in self.records if isinstance(r[2], h.RunClosed)}
        began = min([(o["seq"], o["at"]) for o in mine] + [r[:2] for r in waits], default=(0, 0))
        done = [r[0] for r in moved if r[2].now == "COMPLETED"]
        judged = [o for o in mine if o["verdict"]]
        waiting = [(r[1], closed.get(r[2].run_id, self.now)) for r in waits]
        made = {
            "handle": f"{unit.handle}/{sprint.id}", "unit": unit.name, "id": sprint.id, "n": n,
            "plan": sprint.plan, "sprint": sprint, "orders": mine, "judged": judged,
            "done": sprint.state == "COMPLETED", "began": began,
            "completed": done[-1] if done else 0,
            "fatal": [r[0] for r in moved if r[2].now == "FATAL"],
            "worked": sum(o["worked"] for o in mine),
            "waited": covered(waiting, self.holes),
            "code": sprint.plan.effective_type == "code",
            "tries": len(judged),
        }  # fmt: skip
        made["first_try"] = made["done"] and [o["verdict"] for o in judged] == ["SUCCESS"]
        made["commits"] = list(dict.fromkeys(c for o in mine for c in o["commits"]))
        made["proof"] = sprint.proof.value if made["done"] and sprint.proof else None
        made["gate"] = self._settled(made)
        plan = self.mission.plan
        ref = SprintRef(unit.name, sprint.id)
        traits = traits_of(plan, sprint.plan, dependents_of(plan).get(ref, 0))
        made["foundation"], made["estimate"] = traits.foundation, traits.turns
        return made

    def _settled(self, s: dict[str, Any]) -> Any:
        """Return the first build gate that passed after the sprint completed with held criteria."""
        if not s["completed"] or not s["orders"] or not s["orders"][-1]["held"]:
            return None
        opened = {}
        for seq, _, x in self.records:
            if isinstance(x, h.GateOpened):
                opened[x.gate.id] = x.gate
            if isinstance(x, h.GateClosed) and x.passed and seq > s["completed"]:
                gate = opened[x.gate_id]
                hit = [c for c in gate.covers if c.unit == s["unit"] and c.sprints > s["n"]]
                if hit and gate.kind == "build":
                    return (seq, x)
        return None

    def last_look(self, s: dict[str, Any]) -> Any:
        ids = {i for o in s["orders"] for i in o["ids"]}
        ids |= {
            r[2].run_id for r in self.records
            if isinstance(r[2], h.RunOpened) and r[2].stage == "waiting"
            and (r[2].unit, r[2].sprint) == (s["unit"], s["id"])
        }  # fmt: skip
        kinds = (h.WorkChecked, h.ConditionPolled)
        looks = [r for r in self.records if isinstance(r[2], kinds) and r[2].run_id in ids]
        return looks[-1] if looks else None

    # --- the whole ---

    def usage(self, orders: list[dict[str, Any]]) -> dict[str, Any]:
        ended = [o for o in orders if not o["out"]]
        costs = [o["cost"] for o in ended if o["cost"] is not None]
        return {
            "turns": sum(o["turns"] for o in ended),
            "tokens": sum(o["tokens"] for o in ended),
            "cost_usd": Fraction(sum(costs), 1_000_000) if costs else None,
        }

    def is_completed(self) -> bool:
        return overall(self.mission).value == "completed"
