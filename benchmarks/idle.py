"""Measure a minute with 100 sleeping agents, in CPU seconds of supervisor and keepers.

python benchmarks/idle.py [--agents 100] [--seconds 60]
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=60)
    given, _ = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="topkick-idle-") as place:
        root = Path(place)
        make_project(root, given.agents)
        words = [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"]
        supervisor = subprocess.Popen(words, cwd=root, stdout=subprocess.DEVNULL)
        try:
            keepers = wait_for_agents(root, given.agents)
            measured = [psutil.Process(pid) for pid in (supervisor.pid, *keepers)]
            measured += psutil.Process(supervisor.pid).children()
            time.sleep(3)
            before = [cpu_s(p) for p in measured]
            time.sleep(given.seconds)
            after = [cpu_s(p) for p in measured]
            memory = sum(pss_mb(p) for p in measured[1 : 1 + len(keepers)]) / len(keepers)
        finally:
            subprocess.run(
                [sys.executable, "-m", "topkick", "killall"],
                cwd=root,
                check=False,
                stdout=subprocess.DEVNULL,
            )
            supervisor.send_signal(signal.SIGTERM)
            supervisor.wait()
    used = sum(b - a for a, b in zip(before, after, strict=True)) * 60 / given.seconds
    print(
        f"{given.agents} sleeping agents: {used:.2f} CPU-seconds a minute "
        f"(supervisor {(after[0] - before[0]) * 60 / given.seconds:.2f}); "
        f"{memory:.1f} MB a keeper (PSS)"
    )


def cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def pss_mb(process: psutil.Process) -> float:
    full = process.memory_full_info()
    return getattr(full, "pss", full.uss) / 1e6


def make_project(root: Path, agents: int) -> None:
    lines = ["# Idle", "", "## Work Units", "", "| Work Unit |", "|---|"]
    lines += [f"| unit {n} |" for n in range(agents)]
    for n in range(agents):
        lines += [
            "",
            f"## unit {n}",
            "",
            "### Sprint 1: sleep",
            "",
            "**Exit criteria**:",
            "- [ ] `true`",
        ]
    (root / "EXECUTION_PLAN.md").write_text("\n".join(lines) + "\n")
    (root / "topkick.toml").write_text(
        f'isolation = "shared"\n[agents.sleep]\ncommand = ["sleep", "600"]\nprompt = "file"\n\n'
        f"[limits]\nmax_agents = {agents}\n"
    )
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "idle")):
        names = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        subprocess.run(["git", *names, *words], cwd=root, check=True)


def wait_for_agents(root: Path, agents: int) -> list[int]:
    """The pids of all keepers, once every agent runs."""
    from topkick.app.project import find_project
    from topkick.runner.run_dir import describe

    project = find_project(start=root)
    ends_at = time.monotonic() + 120
    while time.monotonic() < ends_at:
        runs = [p for p in project.runs.glob("*-*") if p.is_dir()] if project.runs.exists() else []
        found = [describe(path) for path in runs]
        keepers = [d.keeper_pid for d in found if d.state == "running" and d.keeper_pid]
        if len(keepers) == agents:
            return keepers
        time.sleep(0.2)
    raise SystemExit(f"only {len(keepers)} of {agents} agents came up")


if __name__ == "__main__":
    main()
