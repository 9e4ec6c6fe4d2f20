"""The agent of the kanban stories: says what a file tells it for its role, and keeps the log.

A file `ROLE.N` in the scripts directory is what the Nth order of that role prints as it is;
otherwise the task is done and the Manager goes on to the next task of the board.
"""

import json
import os
import re
import sys
from pathlib import Path

INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)


def main() -> None:
    scripts = Path(sys.argv[1])
    prompt = sys.stdin.read()
    role = os.environ["TOPKICK_SPRINT"].partition(" ")[0]
    (scripts / f"prompt.{os.environ['TOPKICK_ORDER']}").write_text(prompt)
    with (scripts / "starts").open("a") as starts:
        starts.write(f"{os.environ['TOPKICK_ORDER']} {os.environ['TOPKICK_SPRINT']}\n")
    lines = (scripts / "starts").read_text().splitlines()
    number = sum(line.split()[1] == role for line in lines)
    told = scripts / f"{role}.{number}"
    if told.exists():
        sys.stdout.write(told.read_text())
        return
    found = INPUT.search(prompt)
    assert found is not None
    order = json.loads(found[1])
    print("Let me see.\n```json")
    print(json.dumps(managed(order) if role == "Manager" else worked(order)))
    print("```")


def worked(order: dict[str, str]) -> dict[str, object]:
    path = Path(order["task_file"])
    text = path.read_text()
    path.write_text(text + "\n### [now] Did it | ok\n**F:** done\n")
    return {"status": "ok", "message": f"did {path.name}"}


def managed(order: dict[str, str]) -> dict[str, object]:
    board = Path(order["kanban_file"])
    tasks = order["tasks"]
    at = tasks.index(order["done_task"]) + 1
    following = tasks[at] if at < len(tasks) else None
    text = re.sub(r"(?m)^current: .*$", f"current: {following or 'null'}", board.read_text())
    board.write_text(text)
    return {"status": "ok", "message": "noted", "next_task": following, "tasks": list(tasks)}


main()
