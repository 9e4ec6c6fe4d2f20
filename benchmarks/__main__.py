"""`make bench`: every figure we print, from one command."""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent

NAMES = (
    "sprints",
    "sprints --scale 20x50 100x10 1000x2",
    "idle",
    "journal",
    "replay",
    "plan",
    "refining",
    "agent_overhead",
    "isolation",
    "verify",
)
given = sys.argv[1:]
for line in NAMES:
    print(f"\n## {line}\n", flush=True)
    name, *words = line.split()
    sys.argv = [name, *words, *given]
    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
