"""Control groups (v2): a boundary around one process tree that no fork escapes."""

# Keepers avoid pathlib, which would double what they import.
# ruff: noqa: PTH102, PTH106, PTH116, PTH118, PTH208

import os
import time

_bases: list[str | None] = []


def base() -> str | None:
    """Return the directory of this process's group, where leaves may be made; None without cgroup
    v2.
    """
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
    """Return the root and the mount point of every cgroup v2 mount."""
    found = []
    for line in _lines("/proc/self/mountinfo"):
        left, _, right = line.partition(" - ")
        if right.startswith("cgroup2 "):
            root, mount = left.split()[3:5]
            found.append((root, mount))
    return found


def named(prefix: str) -> list[str]:
    """Return every group of the host with this prefix, wherever its creator ran."""
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
    """Make a new leaf and return its path; None where that is not allowed."""
    parent = base()
    if parent is None:
        return None
    path = os.path.join(parent, name)
    try:
        os.mkdir(path)
    except FileExistsError:  # left by a killed process that had the same pid
        return None if populated(path) else path
    except OSError:
        return None
    return path


def tidy(prefix: str = "topkick-", older_than_s: float = 600.0) -> None:
    """Remove empty groups that killed keepers left behind long ago."""
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
    """Move a process (0: this one) into the group; its later children start there."""
    return _write(os.path.join(path, "cgroup.procs"), str(pid))


def pids(path: str) -> set[int]:
    """Return the pids in the group and the groups below it."""
    return {
        int(line)
        for directory, _, _ in os.walk(path)
        for line in _lines(os.path.join(directory, "cgroup.procs"))
    }


def populated(path: str) -> bool:
    """Return whether a process lives in the group or below."""
    return "populated 1" in _lines(os.path.join(path, "cgroup.events"))


def kill(path: str) -> bool:
    """Send SIGKILL to the whole group at once; return False where the kernel cannot (before
    5.14).
    """
    return _write(os.path.join(path, "cgroup.kill"), "1")


def remove(path: str) -> None:
    """Remove the empty group, the groups below it first."""
    for directory, _, _ in os.walk(path, topdown=False):
        try:
            os.rmdir(directory)
        except OSError:
            continue


def cpu_s(path: str) -> float | None:
    """Return the CPU time of all processes that ever ran in the group."""
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
