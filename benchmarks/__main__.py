"""`make bench`: every figure we print, from one command."""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent

NAMES = (
    "sprints",
    "idle",
    "journal",
    "replay",
    "plan",
    "refining",
    "agent_overhead",
    "isolation",
    "verify",
)
for name in NAMES:
    print(f"\n## {name}\n", flush=True)
    sys.argv = [name, *sys.argv[1:]]
    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
