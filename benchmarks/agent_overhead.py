"""Measure the cost of topkick next to the agent programs that it runs, and their cost alone.

The same script of a scripted model (write a file, commit, a command of two seconds, a last word)
is followed by so many real programs at a time: bare, with the very command line that topkick
gives them, and under topkick, which is also run with one agent to tell what each more costs.
CPU is that of everything which ran, down to the last git; memory is the largest sum seen (PSS:
shared pages count once).

    python benchmarks/agent_overhead.py [--agents 4] [--programs claude,codex]
"""

import argparse
import contextlib
import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import psutil

from topkick.agents.registry import adapter_named
from topkick.agents.vocabulary import Assignment
from topkick.app.project import find_project
from topkick.cli.demo import cast as demo_cast
from topkick.cli.setup.known_agents import BY_NAME
from topkick.engine.agents.program import AgentProgram
from topkick.fake_model import MARK, ModelServer, Scenario
from topkick.runner.environment import allowed
from topkick.runner.run_dir import describe

INSTALL = Path(__file__).parent.parent / "tools" / "install_agents"
PR_SET_CHILD_SUBREAPER = 36
LOOK_EVERY_S = 0.2
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Cost:
    cpu_s: float
    peak_mib: float

    def of(self, count: int) -> "Cost":
        """Return one of `count` equal shares."""
        return Cost(self.cpu_s / count, self.peak_mib / count)

    def minus(self, other: "Cost") -> "Cost":
        return Cost(self.cpu_s - other.cpu_s, self.peak_mib - other.peak_mib)


@dataclass(frozen=True, slots=True)
class Shares:
    """The costs per agent; `keepers` is a part of `ours`, the cost of topkick."""

    program: Cost
    ours: Cost
    keepers: Cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--agents", type=int, default=4, help="at the same time, 2 or more")
    parser.add_argument("--programs", default="claude,codex")
    given, _ = parser.parse_known_args()
    adopt_orphans()
    print(f"{given.agents} agents at a time, {os.cpu_count()} cores; figures for one of them\n")
    print("| | CPU s | peak MiB |\n|---|---|---|")
    for name in given.programs.split(","):
        if program := installed(name):
            measure(name, program, given.agents)


def installed(name: str) -> str:
    if found := shutil.which(name):
        return found
    words = [sys.executable, str(INSTALL), "--check", "--only", name]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"| {name} | not installed: tools/install_agents --only {name} | |")
        return ""
    return done.stdout.strip().partition(" ")[2]


def adopt_orphans() -> None:
    """Adopt processes that an agent program leaves behind, so that their time is counted too."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise SystemExit("This measures on Linux only.")


def measure(name: str, program: str, agents: int) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="topkick-bench-") as place,
        ModelServer({"bench": Scenario("bench")}) as server,
    ):

        def bench(what: str, count: int) -> Bench:
            return Bench(Path(place) / what, name, program, count, server)

        bench("warm", 1).bare()
        bare = bench("bare", agents).bare().of(agents)
        one = bench("one", 1).supervised().ours
        many = bench("many", agents).supervised()
    within, each = many.program.of(agents), many.ours.minus(one).of(agents - 1)
    print(row(f"{name}, bare", bare))
    print(row(f"{name}, under topkick", within))
    print(row("topkick for one agent", one))
    print(row("topkick for each agent more", each))
    print(row("of that its keeper", many.keepers.of(agents)))
    cpu, memory = each.cpu_s / bare.cpu_s, each.peak_mib / bare.peak_mib
    print(f"| each agent more / bare {name} | {cpu:.0%} | {memory:.0%} |", flush=True)


def row(words: str, cost: Cost) -> str:
    return f"| {words} | {cost.cpu_s:.2f} | {cost.peak_mib:.1f} |"


# --- one phase -----------------------------------------------------------------------------


class Bench:
    def __init__(
        self, place: Path, name: str, program: str, agents: int, server: ModelServer
    ) -> None:
        self._name, self._agents = name, agents
        self.root, self._home = place / "project", place / "home"
        self.root.mkdir(parents=True)
        (self._home / "tmp").mkdir(parents=True)
        url = server.base_url("bench", f"{name}-{uuid.uuid4().hex[:8]}")
        self._words, self._keys = demo_cast.to_model(name, program, url)
        self._env = {
            **{k: v for k, v in allowed(os.environ).items() if not k.startswith("XDG_")},
            **{"HOME": str(self._home), "TMPDIR": str(self._home / "tmp")},
        }
        self._make_project()

    def _make_project(self) -> None:
        settings = demo_cast.settings(BY_NAME[self._name], self._words, tuple(self._keys))
        limits = f"\n[limits]\nmax_agents = {self._agents}\n"
        (self.root / "topkick.toml").write_text(settings + limits)
        lines = ["# Bench", "", "## Work Units", "", "| Work Unit | Directory |", "|---|---|"]
        lines += [f"| u{n} | . |" for n in range(self._agents)]
        for n in range(self._agents):
            lines += ["", f"## u{n}", "", "### Sprint 1: a file", "", "**Tasks**:"]
            lines += [f"1. {script(n)}", "", "**Exit criteria**:", f"- [ ] `test -f u{n}.txt`"]
        (self.root / "EXECUTION_PLAN.md").write_text("\n".join(lines) + "\n")
        for words in (
            ("init", "-q"),
            ("config", "user.name", "bench"),
            ("config", "user.email", "bench@localhost"),
            ("add", "."),
            ("commit", "-qm", "bench"),
        ):
            subprocess.run(["git", *words], cwd=self.root, env=self._env, check=True)

    def bare(self) -> Cost:
        before, peak = children_cpu_s(), Peak(None)
        running = [self._start_bare(n) for n in range(self._agents)]
        codes = [process.wait() for process in running]
        assert not any(codes), f"{self._name} ended with {codes}; see {self.root}"
        reap_all()
        assert len(list(self.root.glob("u*.txt"))) == self._agents
        mib, _ = peak.stop()
        return Cost(children_cpu_s() - before, mib)

    def _start_bare(self, n: int) -> "subprocess.Popen[bytes]":
        program = AgentProgram(self._name, self._words, adapter=self._name)
        own = self._home / "own"
        own.mkdir(exist_ok=True)
        assignment = Assignment(
            run_id=f"bare-{n}",
            prompt=script(n),
            prompt_file="",
            model=BY_NAME[self._name].models[0],
            tier="haiku",
            unit=f"u{n}",
            sprint="1",
            root=str(self.root),
            max_turns=50,
            new_conversation=str(uuid.uuid4()),
            git_dirs=(str(self.root / ".git"),),
            own_config=str(own),
        )
        launch = adapter_named(self._name).launch(program, assignment)
        prompt, output = self._home / f"prompt-{n}", self._home / f"output-{n}"
        prompt.write_text(script(n))
        with prompt.open("rb") as stdin, output.open("wb") as out:
            return subprocess.Popen(
                launch.argv,
                cwd=self.root,
                env={**self._env, **launch.env, **self._keys},
                stdin=stdin,
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    def supervised(self) -> Shares:
        """An agent's keeper counts what its tree used. Ours is the supervisor with all that it
        waited for, and the keepers."""
        project = find_project(start=self.root)
        peak = Peak(project.runs)
        words = [sys.executable, "-m", "topkick", "start", "--yes", "--foreground"]
        with (self._home / "said").open("wb") as said:
            env = {**self._env, **self._keys}
            pid = subprocess.Popen(words, cwd=self.root, env=env, stdout=said, stderr=said).pid
            _, status, used = os.wait4(pid, 0)
        assert status == 0, (self._home / "said").read_text()
        reap_all()
        ours_mib, agents_mib = peak.stop()
        exits = [describe(path).exit for path in run_dirs(project.runs)]
        agents_s = sum(exit_.cpu_s for exit_ in exits if exit_ is not None)
        assert len(exits) == self._agents, f"{len(exits)} orders for {self._agents} sprints"
        keepers = peak.keepers()
        ours_s = used.ru_utime + used.ru_stime + keepers.cpu_s
        return Shares(Cost(agents_s, agents_mib), Cost(ours_s, ours_mib), keepers)


def script(n: int) -> str:
    """Agents share the tree, and git locks its index for a moment."""
    once = f"git add u{n}.txt && git commit -q -m u{n} -- u{n}.txt"
    steps = [
        {"write": [f"u{n}.txt", "done\n"]},
        {"sh": f"for try in $(seq 50); do {once} && break; done"},
        {"sh": "python3 -c 'import time; time.sleep(2)'"},
        {"text": "Written and committed."},
    ]
    return f"{MARK} {json.dumps(steps)}"


# --- measuring -----------------------------------------------------------------------------


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def reap_all() -> None:
    ends_at_s = time.monotonic() + 60
    while time.monotonic() < ends_at_s:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            time.sleep(0.05)
    raise SystemExit(f"Still alive: {psutil.Process().children(recursive=True)}")


def run_dirs(runs: Path) -> list[Path]:
    return [path for path in runs.glob("*-*") if path.is_dir()] if runs.exists() else []


class Peak:
    """The most memory of all below this process: of the agents' trees, and of the rest.

    No process waits for keepers, so their time is read while they live.
    """

    def __init__(self, runs: Path | None) -> None:
        self._runs = runs
        self._rest = self._agents = 0
        self._keepers: dict[int, Cost] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def _look_on(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            everyone = set(psutil.Process().children(recursive=True))
            agents = self._agent_trees() & everyone
            self._agents = max(self._agents, sum(map(pss, agents)))
            self._rest = max(self._rest, sum(map(pss, everyone - agents)))

    def _agent_trees(self) -> set[psutil.Process]:
        found: set[psutil.Process] = set()
        for path in run_dirs(self._runs) if self._runs is not None else ():
            seen = describe(path)
            if not seen.keeper_pid or seen.exit is not None:
                continue
            with contextlib.suppress(psutil.Error):
                keeper = psutil.Process(seen.keeper_pid)
                times = keeper.cpu_times()
                self._keepers[keeper.pid] = Cost(times.user + times.system, pss(keeper) / MIB)
                found |= set(keeper.children(recursive=True))
        return found

    def keepers(self) -> Cost:
        costs = self._keepers.values()
        return Cost(sum(c.cpu_s for c in costs), sum(c.peak_mib for c in costs))

    def stop(self) -> tuple[float, float]:
        """MiB of the rest and of the agents; all is rest where no runs were named."""
        self._over.set()
        self._thread.join()
        return self._rest / MIB, self._agents / MIB


def pss(process: psutil.Process) -> int:
    try:
        found = process.memory_full_info()
    except psutil.Error:
        return 0
    return int(getattr(found, "pss", found.uss))


if __name__ == "__main__":
    main()
