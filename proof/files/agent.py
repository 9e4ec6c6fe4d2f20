"""The agent of the boards: records its order, answers badly once, then does its task."""

import json
import os
import re
import sys
from pathlib import Path

INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)


def main() -> None:
    notes, prompt = Path(sys.argv[1]), sys.stdin.read()
    role = os.environ["TOPKICK_SPRINT"].partition(" ")[0]
    with (notes / "starts").open("a") as starts:
        starts.write(f"{os.environ['TOPKICK_ORDER']} {os.environ['TOPKICK_SPRINT']}\n")
    if role == "Implementor" and not (notes / "was-bad").exists():
        (notes / "was-bad").touch()
        print("I think that I am done.")
        return
    found = INPUT.search(prompt)
    assert found is not None
    order = json.loads(found[1])
    print(json.dumps(managed(order) if role == "Manager" else worked(order)))


def worked(order: dict[str, str]) -> dict[str, object]:
    path = Path(order["task_file"])
    path.write_text(path.read_text() + "\n### [now] Did it | ok\n**F:** done\n")
    return {"status": "ok", "message": f"did {path.name}"}


def managed(order: dict[str, str]) -> dict[str, object]:
    board, tasks = Path(order["kanban_file"]), list(order["tasks"])
    at = tasks.index(order["done_task"]) + 1
    following = tasks[at] if at < len(tasks) else None
    text = re.sub(r"(?m)^current: .*$", f"current: {following or 'null'}", board.read_text())
    board.write_text(text)
    return {"status": "ok", "message": "noted", "next_task": following, "tasks": tasks}


main()
