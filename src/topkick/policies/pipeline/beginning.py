"""The file of a new session: the tasks of its pipeline, and the team's requirement."""

import json

from topkick.policies.pipeline.ledger import ACTIVE, PENDING, Ledger, Line, write
from topkick.policies.pipeline.pipelines import Step, steps
from topkick.text.format import stamp


def new_session(
    name: str, mode: str, requirement: str, at_us: int, *, supervision: bool, role_spec: str
) -> str:
    begun = {
        "session_id": name,
        "team_name": name,
        "requirement": requirement,
        "pipeline": {"mode": mode},
        "supervision": supervision,
        "role_spec": role_spec,
        "created_at": stamp(at_us),
        "completion_action": "auto_keep",
    }
    lines = tuple(_line(step) for step in steps(mode, supervision=supervision))
    ledger = Ledger(json.dumps(begun), lines, mode=mode, supervision=supervision, status=ACTIVE)
    return write(ledger, stamp(at_us))


def _line(step: Step) -> Line:
    return Line(step.id, step.role, PENDING, step.needs, step.artifact, step.scope)
