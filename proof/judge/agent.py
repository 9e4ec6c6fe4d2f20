"""The agent for the judge's question: records its order and finds the brief a little vague."""

import json
import os
import sys
from pathlib import Path


def main() -> None:
    notes = Path(sys.argv[1])
    sys.stdin.read()
    with (notes / "starts").open("a") as starts:
        starts.write(f"{os.environ['TOPKICK_ORDER']}\n")
    evidence = ["spec/brief.md: one after the other"]
    print(json.dumps({"result": "warn", "details": "a little vague", "evidence": evidence}))


main()
