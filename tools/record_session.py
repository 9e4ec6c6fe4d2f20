"""Records docs/tutorial/fifteen-minutes.md: a new user's first session in a real terminal.

Everything on that page was typed into tmux by this script and read back from its screen.

    python tools/record_session.py
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tutorial" / "fifteen-minutes.md"
PICTURE = ROOT / "docs" / "images" / "status.svg"
PICTURED = "Later, from any terminal"
SESSION = f"topkick-{os.getpid()}"
WIDTH, HEIGHT = 96, 40
IDLE = r"^\$\Z"

AGENT = """\
#!/bin/sh
# A stand-in for an agent: reads its order, works for a moment, edits and commits.
cat > /dev/null
echo "on $TOPKICK_UNIT, sprint $TOPKICK_SPRINT, attempt $TOPKICK_ATTEMPT"
sleep "${PACE:-4}"
case "$TOPKICK_UNIT/$TOPKICK_SPRINT" in
  words/1) mkdir -p words; printf 'Hello\\nWelcome\\nGood morning\\n' > words/greetings.txt ;;
  words/2) echo "I cannot find out what 'polite' means."; exit 1 ;;
  page/1) mkdir -p page; echo '<h1>{greeting}</h1>' > page/template.html ;;
esac
git add -A
git commit -qm "Sprint $TOPKICK_SPRINT of $TOPKICK_UNIT" && echo committed
"""

PLAN = """\
# EXECUTION_PLAN.md — Greeter

## Work Units

| Work Unit | Directory | Sprints | Layer | Dependencies |
|-----------|-----------|---------|-------|--------------|
| words     | words     | 2       | 0     | none         |
| page      | page      | 1       | 1     | words        |

## words

### Sprint 1: A list of greetings

**Tasks**:
1. Write `words/greetings.txt` with at least three greetings, one a line.

**Exit criteria**:
- [ ] `test "$(wc -l < words/greetings.txt)" -ge 3`

### Sprint 2: A polite one

**Tasks**:
1. Add a polite greeting to `words/greetings.txt`.

**Exit criteria**:
- [ ] `grep -qi "good evening" words/greetings.txt`

## page

### Sprint 1: A template

**Tasks**:
1. Write `page/template.html` with a heading that holds the greeting.

**Exit criteria**:
- [ ] `test -s page/template.html`
"""


@dataclass(frozen=True)
class Act:
    """Type `keys`, wait until `until` is on the screen, show the screen below `says`."""

    says: str
    keys: str
    until: str
    enter: bool = True
    shown: bool = True


ACTS = (
    Act("", 'topkick init --command "./agent.sh"', "no limit", shown=False),
    Act(
        "The project has a plan and an agent, here a shell script. `init` looks for agent programs "
        "on PATH; this session names its own.",
        "20",
        "Next:",
    ),
    Act("How does topkick understand the plan?", "topkick plan show", "Next:"),
    Act("`start` shows one screen and asks one question.", "topkick start", r"Start\? "),
    Act(
        "After `y` the supervisor works in the background. This is the viewer.",
        "y",
        r"U1/1 .*RUNNING .*RUNNING",
    ),
    Act(
        "Ctrl-C only ends the viewer; `topkick watch` attaches again. `s` stops the run, after "
        "a question.",
        "s",
        "Drain U1/1",
        enter=False,
    ),
    Act(
        "After `y` topkick gives no new order and waits until the agents at work have finished.",
        "y",
        "Draining",
        enter=False,
    ),
    Act(
        "The agent has finished, its work is judged, and the run is stopped.", "", IDLE, enter=False
    ),
    Act(
        "Later, from any terminal, `resume` continues the run.",
        "topkick resume --yes",
        r"U1/2 .*RUNNING .*RUNNING",
    ),
    Act(
        "Sprint 2 is stuck: three attempts failed. The viewer ends; it says what failed and which "
        "commands help.",
        "",
        IDLE,
        enter=False,
    ),
    Act("`topkick status` shows the same at any time:", "clear; topkick status", "What helps"),
    Act("What did the agent say?", "clear; topkick logs U1/2", r"polite"),
    Act(
        "A person looks at the work, repairs it by hand or decides that it is good enough, and "
        "accepts the sprint.",
        'clear; topkick accept U1/2 --why "wrote it myself"',
        "ccepted",
    ),
    Act("`resume` then runs the rest of the plan:", "clear; topkick resume --yes", IDLE),
    Act("The run is completed.", "clear; topkick status", "everything is done"),
)


def main() -> None:
    place = Path(tempfile.mkdtemp(prefix="greeter-"))
    project = place / "greeter"
    make_project(project)
    try:
        parts = record(project)
    finally:
        tmux("kill-session", "-t", SESSION)
        shutil.rmtree(place, ignore_errors=True)
    PAGE.write_text(_at_home(page(parts), place))


def make_project(project: Path) -> None:
    project.mkdir()
    (project / "EXECUTION_PLAN.md").write_text(PLAN)
    agent = project / "agent.sh"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "The plan")):
        subprocess.run(["git", *words], cwd=project, check=True)


def record(project: Path) -> list[tuple[Act, str]]:
    tmux(
        "new-session", "-d", "-s", SESSION, "-x", str(WIDTH), "-y", str(HEIGHT), "-c", str(project)
    )
    bin_ = Path(sys.executable).parent
    send(f"export PATH={bin_}:$PATH PS1='$ '; clear")
    wait_for(IDLE)
    parts = []
    for act in ACTS:
        if act.keys:
            send(act.keys, enter=act.enter)
        screen = wait_for(act.until)
        if act.shown:
            parts.append((act, screen))
        if act.says.startswith(PICTURED):
            draw(tmux("capture-pane", "-e", "-p", "-t", SESSION))
        if act.until.endswith(("Next:", "accepted", "is done", "helps", "polite")):
            wait_for(IDLE)
            parts[-1] = (act, read_screen())
            send("clear")
            wait_for(IDLE)
    return parts


def page(parts: list[tuple[Act, str]]) -> str:
    text = [
        "# The first fifteen minutes, as they look",
        "",
        "A session in a real terminal, recorded by `python tools/record_session.py`. The agent is "
        "a shell script that works for a few seconds, so the session takes one minute.",
    ]
    for act, screen in parts:
        shown = "\n".join(line.rstrip() for line in screen.splitlines())
        text += ["", act.says, "", "```text", shown.strip("\n"), "```"]
    text += ["", "Next: [your first plan](first-plan.md)."]
    return "\n".join(text) + "\n"


def draw(screen: str) -> None:
    """Write the screen with its colours as the picture in the README."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(screen.rstrip()))
    PICTURE.parent.mkdir(exist_ok=True)
    picture = console.export_svg(title="topkick watch")
    PICTURE.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


# --- tmux ----------------------------------------------------------------------------------


def tmux(*words: str) -> str:
    done = subprocess.run(["tmux", *words], capture_output=True, text=True, check=False)
    return done.stdout


def send(keys: str, *, enter: bool = True) -> None:
    tmux("send-keys", "-t", SESSION, *((keys,) if keys.startswith("C-") else ("-l", keys)))
    if enter:
        tmux("send-keys", "-t", SESSION, "Enter")


def read_screen() -> str:
    return tmux("capture-pane", "-p", "-t", SESSION)


def wait_for(pattern: str, limit_s: float = 90.0) -> str:
    ends_at_s = time.monotonic() + limit_s
    while time.monotonic() < ends_at_s:
        screen = read_screen()
        if re.search(pattern, screen.rstrip(), re.MULTILINE):
            return screen
        time.sleep(0.1)
    raise SystemExit(f"waited in vain for {pattern!r}; the screen was:\n{read_screen()}")


def _at_home(text: str, place: Path) -> str:
    """The screen may have broken the path over two lines."""
    broken = "\\n?".join(map(re.escape, str(place)))
    return re.sub(broken, lambda found: "\n~" if "\n" in found[0] else "~", text)


if __name__ == "__main__":
    main()
