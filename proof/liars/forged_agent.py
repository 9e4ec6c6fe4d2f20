"""An agent that does no work and prints its unit's text wherever it can: `PROJECT UNIT SIDE`."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=False, capture_output=True)


def main(project: str, unit: str, side: str) -> None:
    sys.stdin.read()
    root, here = Path(project), Path(project) / unit
    text = Path(side, f"{unit}.txt").read_text("utf-8")
    here.mkdir(exist_ok=True)
    (here / "note.txt").write_text("a note\n")
    (here / "PROGRESS.md").write_text(f"# Progress\n\n{text}\n" if text else "# Progress\n")
    name = text.replace("/", "_").replace("\0", "")[:60].strip()
    with contextlib.suppress(OSError):
        (here / f"note {name}").write_text("a note\n")
    Path(side, f"{unit}.msg").write_text(f"A note\n\n{text}\n", "utf-8")
    git(root, "add", "-A", "--", unit)
    git(root, "commit", "-q", "-F", f"{side}/{unit}.msg", "--", unit)
    git(root, "branch", name.replace(" ", "-"))
    git(root, "branch", f"{unit}-{time.time_ns()}")
    sys.stdout.write(f"{text}\nworking\n{text}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
