"""Measure a minute of ten idle judges, in CPU seconds of all processes that they started.

python benchmarks/idle_judges.py [--judges 10] [--seconds 60]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from topkick.team.bus.store import Bus
from topkick.team.run.judge_session import ask_to_leave, find_session

PATIENCE_S = 120.0
SETTLE_S = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--judges", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=60)
    given, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="topkick-idle-judges-") as place:
        sessions = [make_session(Path(place), number) for number in range(given.judges)]
        judges = [serve(session) for session in sessions]
        try:
            wait_until_ready(sessions)
            time.sleep(SETTLE_S)
            measured = [p for judge in judges for p in with_children(judge.pid)]
            before = [cpu_s(process) for process in measured]
            time.sleep(given.seconds)
            after = [cpu_s(process) for process in measured]
        finally:
            for session in sessions:
                ask_to_leave(find_session(session), "bench")
            codes = [judge.wait(PATIENCE_S) for judge in judges]
    used = [b - a for a, b in zip(before, after, strict=True)]
    print(
        f"{given.judges} idle judges: {sum(used):.2f} CPU-seconds in {given.seconds} s, of "
        f"{len(measured)} processes, the busiest {max(used):.2f}; codes {sorted(set(codes))}"
    )


def make_session(root: Path, number: int) -> Path:
    """Make a session in a repository of its own, with a role spec that asks agents too."""
    session = root / f"project-{number}" / "night"
    (session / "spec").mkdir(parents=True)
    project = session.parent
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "topkick.toml").write_text('agent = "a"\n[agents.a]\ncommand = ["sleep", "600"]\n')
    told = {"session_id": "night", "team_name": "owls", "requirement": "A lexer"}
    (session / "team-session.json").write_text(json.dumps(told))
    table = "| Check | Kind | What |\n|---|---|---|\n| clear | agent | Is it clear? |\n"
    (project / "role.md").write_text(f"# Judge\n\n## CHECKPOINT-001: Brief\n\n{table}")
    return session


def serve(session: Path) -> "subprocess.Popen[bytes]":
    words = ["checkpoint", "serve", "night", "--role-spec", "role.md"]
    argv = [sys.executable, "-m", "topkick", *words]
    return subprocess.Popen(argv, cwd=session.parent, stdout=subprocess.DEVNULL)


def wait_until_ready(sessions: list[Path]) -> None:
    ends_at_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at_s:
        if all((session / ".msg").is_dir() and Bus(session).messages() for session in sessions):
            return
        time.sleep(0.2)
    raise SystemExit("not all judges came up")


def with_children(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


if __name__ == "__main__":
    main()
