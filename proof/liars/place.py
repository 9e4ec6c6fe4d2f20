"""The place of a trial: directories, an environment, and the processes with its mark."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path


class Place:
    """Directories of one trial, and the processes with its HOME."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="topkick-liars-")).resolve()
        self.root, self.home = self.path / "project", self.path / "home"
        for path in (self.root, self.home, self.path / "side"):
            path.mkdir()
        git_config = "[user]\n\tname = Bench\n\temail = bench@example.invalid\n"
        (self.home / ".gitconfig").write_text(git_config)
        self.env = {
            "PATH": search_path(),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
        }

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=self.env, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def processes(self) -> list[int]:
        needle = f"HOME={self.home}\0".encode()
        pids = map(int, filter(str.isdigit, os.listdir("/proc")))
        return [pid for pid in pids if pid != os.getpid() and needle in _environ(pid)]

    def end_all(self) -> None:
        """Kill only processes with this trial's own mark."""
        for _ in range(200):
            left = self.processes()
            if not left:
                return
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)

    def clear(self) -> None:
        self.end_all()
        shutil.rmtree(self.path, ignore_errors=True)


def _environ(pid: int) -> bytes:
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
        return b"" if state in (b"Z", b"X") else Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


@cache
def search_path() -> str:
    """Return PATH: this interpreter's pytest first; the real cargo, as a wrapper would need its
    HOME.
    """
    dirs = [str(Path(sys.executable).parent)]
    if shutil.which("rustc"):
        words = ["rustc", "--print", "sysroot"]
        root = subprocess.run(words, capture_output=True, text=True, check=True)
        dirs.append(f"{root.stdout.strip()}/bin")
    dirs += [str(Path(found).parent) for tool in ("node", "npm") if (found := shutil.which(tool))]
    return os.pathsep.join(dict.fromkeys([*dirs, "/usr/local/bin", "/usr/bin", "/bin"]))
