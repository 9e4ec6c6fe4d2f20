"""A flood through the whole program: an agent prints it, viewers watch, and memory is measured."""

import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from proof.output import writer
from proof.terminal import Terminal
from tests.stories.story_project import Project, plan, sprint, unit, wait_for
from topkick.runner import run_dir
from topkick.runner.keeper import output

MEMORY_LIMIT_MIB = 150.0
PATIENCE_S = 1800.0
MIB = 1 << 20
SAMPLE_S = 0.05


@dataclass(slots=True)
class Flood:
    """The result of one flood."""

    kind: str
    printed_bytes: int = 0
    on_disk_bytes: int = 0
    disk_limit_bytes: int = 0
    seconds: float = 0.0
    peaks_mib: dict[str, float] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)

    def judge(self) -> None:
        for who, mib in self.peaks_mib.items():
            if mib > MEMORY_LIMIT_MIB:
                self.troubles.append(f"{self.kind}: {who} took {mib:.0f} MiB")
        if self.on_disk_bytes > self.disk_limit_bytes:
            self.troubles.append(f"{self.kind}: {self.on_disk_bytes} bytes on disk")

    def line(self) -> str:
        peaks = ", ".join(f"{who} {mib:.0f}" for who, mib in self.peaks_mib.items())
        return (
            f"{self.kind}: {self.printed_bytes / MIB:.0f} MiB printed in {self.seconds:.0f} s, "
            f"{self.on_disk_bytes / MIB:.0f} MiB on disk (limit "
            f"{self.disk_limit_bytes / MIB:.0f}); peak MiB: {peaks}"
        )


def run_floods(place: Path, lines_bytes: int, line_bytes: int) -> list[Flood]:
    """Run two sprints of one project: many lines, then an endless line."""
    project = Project(place, portable=False)
    project.make(plan(unit("a", sprint(), sprint())), limits={"sprint_minutes": 120})
    project.script("a.1", _directions("lines", lines_bytes))
    project.script("a.2", _directions("line", line_bytes))
    scales = Scales(project)
    supervisor = project.begin("start", "--yes", "--foreground")
    try:
        found = [_watch(project, 1, "lines", lines_bytes), _watch(project, 2, "line", line_bytes)]
        said = supervisor.communicate(timeout=PATIENCE_S)[0]
        code = supervisor.returncode
        if code != 0:
            found[-1].troubles.append(f"the run ended with {code}: {said[-500:]}")
        wait_for(lambda: not project.processes(), 60)
    finally:
        supervisor.kill()
        left = project.close()
        scales.end()
    found[-1].peaks_mib[f"anyone to the end ({scales.who})"] = scales.peak_mib
    for flood in found:
        flood.judge()
    found[-1].troubles += [f"still alive: {text}" for text in left]
    return found


def _directions(kind: str, total_bytes: int) -> str:
    path = writer.__file__
    return (
        f"import runpy; note('floods'); sys.argv = ['writer', {kind!r}, '{total_bytes}']; "
        f"runpy.run_path({path!r}, run_name='__main__'); note('flooded'); "
        f"wait('gate-{kind}'); work()"
    )


def _watch(project: Project, number: int, kind: str, total_bytes: int) -> Flood:
    flood = Flood(kind)
    wait_for(lambda: f"a/{number} floods" in project.trail(), 60)
    begun_s = time.monotonic()
    path = project.place.runs / project.starts()[-1].run_id
    handle = f"U1/{number}"
    follower = _begin(project, "logs", handle, "-f")
    words = [sys.executable, "-m", "topkick", "watch"]
    viewer = Terminal(words, project.root, project.env)
    try:
        _while_it_floods(project, viewer, f"a/{number} flooded")
        flood.seconds = time.monotonic() - begun_s
        viewer.until(bool)  # before its exec, the child has the memory of this process
        wait_for(lambda: _size(path) == total_bytes, 120)
        flood.peaks_mib["keeper"] = _peak_mib(run_dir.describe(path).keeper_pid)
        flood.peaks_mib["supervisor"] = _peak_mib(project.supervisor())
        flood.peaks_mib["watch"] = _peak_mib(viewer.pid)
        flood.peaks_mib["status"] = _run_and_weigh(project, "status")
        flood.peaks_mib["logs"] = _run_and_weigh(project, "logs", handle)
        _look_at_what_was_kept(path, kind, total_bytes, flood)
    finally:
        viewer.press(b"d")
        viewer.end()
        viewer.close()
    project.let_go(f"gate-{kind}")
    flood.peaks_mib["logs -f"] = _weigh(follower)
    return flood


def _while_it_floods(project: Project, viewer: Terminal, word: str) -> None:
    limit_at = time.monotonic() + PATIENCE_S
    while word not in project.trail():
        assert time.monotonic() < limit_at, "the flood never ended"
        viewer.pump(0.1)


def _size(path: Path) -> int:
    limits = run_dir.read_limits(path)
    assert limits is not None
    return output.size_bytes(path, limits.output_cap_bytes)


def _look_at_what_was_kept(path: Path, kind: str, total_bytes: int, flood: Flood) -> None:
    """Check that head and end are there, and every offset is the intended one."""
    limits = run_dir.read_limits(path)
    assert limits is not None
    cap_bytes = limits.output_cap_bytes
    kept = [p for p in path.iterdir() if p.name == "output" or p.name.startswith("output.")]
    flood.printed_bytes = _size(path)
    flood.on_disk_bytes = sum(p.stat().st_blocks * 512 for p in kept)
    flood.disk_limit_bytes = 3 * cap_bytes + MIB
    if flood.printed_bytes != total_bytes:
        flood.troubles.append(f"{kind}: {flood.printed_bytes} bytes counted of {total_bytes}")
    last = total_bytes - writer.BLOCK_BYTES
    for place in (0, cap_bytes // 2, cap_bytes, total_bytes // 2, last):
        asked = place - place % writer.BLOCK_BYTES
        chunk = output.read(path, cap_bytes, asked, writer.HEAD_BYTES)
        wanted = b"y" * writer.HEAD_BYTES if kind == "line" else writer.head(chunk.offset)
        if chunk.data != wanted:
            flood.troubles.append(f"{kind}: at {chunk.offset} stands {chunk.data!r}")
    if output.read(path, cap_bytes, 0, 1).offset != 0:
        flood.troubles.append(f"{kind}: the head is gone")
    if output.read(path, cap_bytes, total_bytes - 1, 9).next_offset != total_bytes:
        flood.troubles.append(f"{kind}: the end is gone")


# --- measurement ---------------------------------------------------------------------------


class Scales(threading.Thread):
    """Measures all processes of the project until the end: checkers start late."""

    def __init__(self, project: Project) -> None:
        super().__init__(daemon=True)
        self.peak_mib, self.who = 0.0, "nobody"
        self._project = project
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        while not self._over.wait(SAMPLE_S):
            for process in self._project.processes():
                with suppress(psutil.Error, OSError, ValueError):
                    mib = _peak_mib(process.pid)
                    if mib > self.peak_mib:
                        self.peak_mib, self.who = mib, _role(process.cmdline())

    def end(self) -> None:
        self._over.set()
        self.join()


def _role(words: list[str]) -> str:
    """Return the part of a command line that says what it does, on one line."""
    said = [word for word in words[1:] if not word.startswith("-")]
    return " ".join(" ".join(said).split())[:80]


# A child is charged with the memory of its parent, so a small process forks it and reports its
# peak.
_SCALES = """
import os, subprocess, sys
argv = [sys.executable, "-m", "topkick", *sys.argv[1:]]
child = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def _begin(project: Project, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _SCALES, *words],
        cwd=project.root,
        env=project.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )


def _run_and_weigh(project: Project, *words: str) -> float:
    return _weigh(_begin(project, *words))


def _weigh(process: subprocess.Popen[bytes]) -> float:
    """Return the peak memory of a command, once it has ended by itself."""
    said, _ = process.communicate()
    assert process.returncode == 0, f"{process.args!r} ended with {process.returncode}"
    return int(said) / 1024


def _peak_mib(pid: int | None) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    (line,) = [row for row in text.splitlines() if row.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024
