"""The roles of the team: each records its order, one answers badly once, all write their
artifacts.
"""

import json
import os
import re
import sys
from pathlib import Path

INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)
PLAN = {
    "complexity": "low",
    "recommended_execution": "agent",
    "modules": ["hello"],
    "tasks": [{"id": "TASK-001"}, {"id": "TASK-002", "depends_on": ["TASK-001"]}],
}


def main() -> None:
    notes, found = Path(sys.argv[1]), INPUT.search(sys.stdin.read())
    assert found is not None
    order = json.loads(found[1])
    with (notes / "starts").open("a") as starts:
        starts.write(f"{os.environ['TOPKICK_ORDER']} {os.environ['TOPKICK_SPRINT']}\n")
    if order["task_id"] == "IMPL-001" and not (notes / "was-bad").exists():
        (notes / "was-bad").touch()
        print("I think that I am done.")
        return
    path = Path(order["write"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(PLAN) if path.suffix == ".json" else "# Done\n\nIt says hello.\n")
    answer = {
        "status": "task_complete",
        "task_id": order["task_id"],
        "ref": str(path.relative_to(order["session"])),
        "key_findings": ["It says hello."],
        "verification": "self-validated",
    }
    print(json.dumps(answer))


main()
