"""Control groups (v2): a fence around one process tree that no fork escapes."""

# Keepers do without pathlib, which would double what they import.
# ruff: noqa: PTH102, PTH106, PTH116, PTH118, PTH208

import os
import time

_bases: list[str | None] = []


def base() -> str | None:
    """The directory of our own group, where leaves may be made; None without cgroup v2."""
    if not _bases:
        _bases.append(_find_base())
    return _bases[0]


def _find_base() -> str | None:
    if os.environ.get("TOPKICK_CGROUP") == "0":
        return None
    own = next((line[3:] for line in _lines("/proc/self/cgroup") if line.startswith("0::")), None)
    if own is None:
        return None
    for root, mount in _mounts():
        inside = own if root == "/" else own.removeprefix(root)
        return os.path.join(mount, inside.lstrip("/"))
    return None


def _mounts() -> list[tuple[str, str]]:
    """The root and the place of every cgroup v2 mount."""
    found = []
    for line in _lines("/proc/self/mountinfo"):
        left, _, right = line.partition(" - ")
        if right.startswith("cgroup2 "):
            root, mount = left.split()[3:5]
            found.append((root, mount))
    return found


def named(prefix: str) -> list[str]:
    """Every group of the host whose name begins like this, wherever its maker lived."""
    if os.environ.get("TOPKICK_CGROUP") == "0":
        return []
    return [
        os.path.join(directory, name)
        for _, mount in _mounts()[:1]
        for directory, names, _ in os.walk(mount)
        for name in names
        if name.startswith(prefix)
    ]


def make(name: str) -> str | None:
    """A new leaf; None where we may not make one."""
    parent = base()
    if parent is None:
        return None
    path = os.path.join(parent, name)
    try:
        os.mkdir(path)
    except FileExistsError:  # left by a process that was killed and whose pid we have now
        return None if populated(path) else path
    except OSError:
        return None
    return path


def tidy(prefix: str = "topkick-", older_than_s: float = 600.0) -> None:
    """Take away empty groups that killed processes of ours left long ago."""
    parent = base()
    if parent is None:
        return
    try:
        names = [name for name in os.listdir(parent) if name.startswith(prefix)]
    except OSError:
        return
    for name in names:
        path = os.path.join(parent, name)
        try:
            if time.time() - os.stat(path).st_mtime > older_than_s:
                os.rmdir(path)  # refused while anything lives there
        except OSError:
            continue


def add(path: str, pid: int) -> bool:
    """Move a process (0: ourselves) into the group; its later children are born there."""
    return _write(os.path.join(path, "cgroup.procs"), str(pid))


def pids(path: str) -> set[int]:
    """Everyone in the group and the groups below it."""
    return {
        int(line)
        for directory, _, _ in os.walk(path)
        for line in _lines(os.path.join(directory, "cgroup.procs"))
    }


def populated(path: str) -> bool:
    """Whether anything lives in the group or below."""
    return "populated 1" in _lines(os.path.join(path, "cgroup.events"))


def kill(path: str) -> bool:
    """SIGKILL to all of them at once; False where the kernel cannot (before 5.14)."""
    return _write(os.path.join(path, "cgroup.kill"), "1")


def remove(path: str) -> None:
    """Take the empty group away, those below it first."""
    for directory, _, _ in os.walk(path, topdown=False):
        try:
            os.rmdir(directory)
        except OSError:
            continue


def cpu_s(path: str) -> float | None:
    """CPU time of all that ever ran in the group."""
    for line in _lines(os.path.join(path, "cpu.stat")):
        if line.startswith("usage_usec "):
            return int(line.split()[1]) / 1e6
    return None


def _lines(path: str) -> list[str]:
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return []
    try:
        chunks = []
        while chunk := os.read(fd, 1 << 16):
            chunks.append(chunk)
    except OSError:
        return []
    finally:
        os.close(fd)
    return b"".join(chunks).decode("utf-8", "replace").splitlines()


def _write(path: str, text: str) -> bool:
    try:
        fd = os.open(path, os.O_WRONLY)
    except OSError:
        return False
    try:
        os.write(fd, text.encode())
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
