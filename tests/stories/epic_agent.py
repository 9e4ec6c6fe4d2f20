"""The agent of the epic stories: plans, verifies and works as a file says, or as one would hope.

A file `ROLE.N` in the scripts directory is what the Nth order of that role prints as it is; a file
`hold` keeps workers at work for as long as it is there.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

INPUT = re.compile(r"INPUT\n\n```json\n(.*?)\n```", re.DOTALL)
QUEUED = re.compile(r"\| \d+ \| (\S+) \| [^|]*\| queued \|")


def main() -> None:
    scripts, prompt = Path(sys.argv[1]), sys.stdin.read()
    role = os.environ["TOPKICK_SPRINT"].partition(" ")[0]
    with (scripts / "starts").open("a") as starts:
        starts.write(f"{os.environ['TOPKICK_ORDER']} {os.environ['TOPKICK_SPRINT']}\n")
    lines = (scripts / "starts").read_text().splitlines()
    told = scripts / f"{role}.{sum(line.split()[1] == role for line in lines)}"
    if told.exists():
        sys.stdout.write(told.read_text())
        return
    found = INPUT.search(prompt)
    assert found is not None
    order = json.loads(found[1])
    answer = {"planner": planned, "verifier": verified, "worker": worked}[role](order, scripts)
    print(f"Let me see.\n```json\n{json.dumps(answer)}\n```")


def planned(order: dict[str, str], _scripts: Path) -> dict[str, object]:
    if order["role"] == "decompose":
        one = {"title": "One", "body": "Do one.", "criteria": ["it works"], "effort": "XS"}
        return {"action": "decompose", "subtasks": [one]}
    if order["role"] == "react":
        return {"action": "halt", "status": "blocked", "reason": "it cannot be done"}
    found = QUEUED.search(Path(order["epic_file"]).read_text())
    name = found[1] if found else "nobody"
    return {"action": "dispatch", "task_id": name, "worker": "scripted", "project": "",
            "command": "Do it."}  # fmt: skip


def verified(order: dict[str, str], _scripts: Path) -> dict[str, object]:
    return {"verdict": "PASS"} if order["deliverable"] != "none" else {"verdict": "?"}


def worked(order: dict[str, str], scripts: Path) -> dict[str, object]:
    """Commit on the worker's branch, without touching the checkout."""
    while (scripts / "hold").exists():
        time.sleep(0.02)
    tree = git("write-tree")
    commit = git("commit-tree", tree, "-p", "HEAD", "-m", order["task_file"])
    git("branch", "-f", order["branch"], commit)
    return {"deliverable": order["branch"], "summary": "Done.", "next": "nothing follows"}


def git(*words: str) -> str:
    me = ("-c", "user.name=Worker", "-c", "user.email=worker@localhost")
    done = subprocess.run(["git", *me, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
