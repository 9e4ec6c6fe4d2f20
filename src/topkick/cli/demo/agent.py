"""The demo's scripted agent: takes an order on stdin, edits, commits, and lies once.

Run as a program of its own, with nothing but the standard library, like any other agent.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

PACE_S = float(os.environ.get("TOPKICK_DEMO_PACE", "1.0"))

WORK = {
    ("words", "1"): ("words/greetings.txt", "Hello\nGood morning\nWelcome\n"),
    ("words", "2"): (
        "words/pick.py",
        "from pathlib import Path\n\n"
        'GREETINGS = (Path(__file__).parent / "greetings.txt").read_text().splitlines()\n\n\n'
        "def pick(hour: int) -> str:\n"
        "    return GREETINGS[1] if hour < 10 else GREETINGS[0]\n",
    ),
    ("page", "1"): ("page/template.html", "<!doctype html>\n<h1>{greeting}</h1>\n"),
    ("site", "1"): (
        "site/build.py",
        "import sys\nfrom pathlib import Path\n\n"
        "ROOT = Path(__file__).parent.parent\n"
        "sys.path.insert(0, str(ROOT))\n"
        "from words.pick import pick\n\n"
        'page = (ROOT / "page" / "template.html").read_text().format(greeting=pick(12))\n'
        "print(page)\n",
    ),
}


def main() -> None:
    unit, sprint = os.environ["TOPKICK_UNIT"], os.environ["TOPKICK_SPRINT"]
    attempt, model = os.environ["TOPKICK_ATTEMPT"], os.environ["TOPKICK_MODEL"]
    order = sys.stdin.read()
    by = f"[{model}] " if model else ""
    say(f"{by}my order has {len(order.splitlines())} lines; I am on {unit}, sprint {sprint}")
    time.sleep(PACE_S)
    if (unit, sprint, attempt) == ("words", "2", "1"):
        say("I do not understand where the greetings come from. Giving up.")
        sys.exit(1)
    if (unit, sprint, attempt) == ("page", "1", "1"):
        say("All checks pass, everything is committed, the sprint is complete.")
        say(json.dumps({"status": "done", "summary": "Template written and committed."}))
        return
    path, text = WORK[unit, sprint]
    write(path, text)
    time.sleep(PACE_S)
    commit(path, f"Sprint {sprint} of {unit}")
    say(json.dumps({"status": "done", "summary": f"{path} written and committed."}))


def write(path: str, text: str) -> None:
    target = root() / path
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
    say(f"wrote {path}")


def commit(path: str, message: str) -> None:
    """Two agents share this tree, and git locks its index for a moment."""
    for _ in range(50):
        added = git("add", "--", path)
        if added and git("commit", "-q", "-m", message, "--", path):
            say(f"committed {path}")
            return
        time.sleep(0.1)
    sys.exit("could not commit")


def git(*words: str) -> bool:
    return subprocess.run(["git", *words], cwd=root(), check=False).returncode == 0


def root() -> Path:
    place = Path.cwd()
    while not (place / ".git").exists():
        place = place.parent
    return place


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 its output is its voice


if __name__ == "__main__":
    main()
