"""The agent of the epic: plans one task, dispatches it, works on a branch, and verifies it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)
QUEUED = re.compile(r"\| \d+ \| (\S+) \| [^|]*\| queued \|")


def main() -> None:
    notes, prompt = Path(sys.argv[1]), sys.stdin.read()
    role = os.environ["TOPKICK_SPRINT"].partition(" ")[0]
    with (notes / "starts").open("a") as starts:
        starts.write(f"{os.environ['TOPKICK_ORDER']} {os.environ['TOPKICK_SPRINT']}\n")
    found = INPUT.search(prompt)
    assert found is not None
    order = json.loads(found[1])
    answers = {"planner": planned, "verifier": lambda _: {"verdict": "PASS"}, "worker": worked}
    print(json.dumps(answers[role](order)))


def planned(order: dict[str, str]) -> dict[str, object]:
    if order["role"] == "decompose":
        one = {"title": "Verify: one", "body": "Do it.", "criteria": ["it works"]}
        return {"action": "decompose", "subtasks": [one]}
    if order["role"] == "react":
        name = order["context"].split(" ")[0]
    else:
        queued = QUEUED.search(Path(order["epic_file"]).read_text())
        name = queued[1] if queued else "nobody"
    return {"action": "dispatch", "task_id": name, "worker": "scripted", "project": "",
            "command": "Do it."}  # fmt: skip


def worked(order: dict[str, str]) -> dict[str, object]:
    commit = git("commit-tree", git("write-tree"), "-p", "HEAD", "-m", order["task_file"])
    git("branch", "-f", order["branch"], commit)
    return {"deliverable": order["branch"], "summary": "Done.", "next": "nothing follows"}


def git(*words: str) -> str:
    me = ("-c", "user.name=Worker", "-c", "user.email=worker@localhost")
    done = subprocess.run(["git", *me, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
