"""The agent of a judge's questions: notes its order, tries what it is told to, and answers."""

import json
import os
import sys
from pathlib import Path


def main() -> None:
    notes, prompt = Path(sys.argv[1]), sys.stdin.read()
    order = os.environ["TOPKICK_ORDER"]
    (notes / f"prompt.{order}").write_text(prompt)
    with (notes / "starts").open("a") as starts:
        starts.write(f"{order} {os.environ['TOPKICK_SPRINT']}\n")
    if (notes / "wait").exists():
        (notes / "wait").open().close()  # a FIFO: blocks until the test opens it
    evidence = ["spec/brief.md: # Brief"]
    print(json.dumps({"result": "pass", "details": "it is clear", "evidence": evidence}))


main()
