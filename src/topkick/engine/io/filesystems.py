"""Detect network file systems, on which a write-ahead log must not be placed."""

import re
from pathlib import Path, PurePosixPath

MOUNTINFO = Path("/proc/self/mountinfo")

# Besides network servers: folders that a virtual machine shares with its host.
NETWORK = frozenset(
    {"afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "glusterfs", "gpfs", "lustre"}
    | {"ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs", "webdav"}
    | {"9p", "drvfs", "prl_fs", "vboxsf", "vmhgfs"}
)
NETWORK_FUSE = frozenset(
    {"ceph", "curlftpfs", "davfs", "gcsfuse", "glusterfs", "gvfsd-fuse", "juicefs", "rclone"}
    | {"s3fs", "smbnetfs", "sshfs", "vmhgfs-fuse"}
)


def is_network(path: Path) -> str | None:
    """Return the type of the network file system that holds `path`; None for a local disk."""
    resolved = PurePosixPath(path.resolve())
    try:
        mounts = mounts_of(MOUNTINFO.read_text(errors="surrogateescape"))
    except OSError:
        mounts = _mounts_elsewhere()
    kind = type_at(mounts, resolved)
    return kind if kind is not None and is_remote(kind) else None


def is_remote(kind: str) -> bool:
    family, _, name = kind.lower().partition(".")
    return name in NETWORK_FUSE if family == "fuse" else kind.lower() in NETWORK


def mounts_of(mountinfo: str) -> list[tuple[PurePosixPath, str]]:
    """Return mount points and their types, in the order of mounting."""
    mounts = []
    for line in mountinfo.split("\n"):
        before, dash, after = line.partition(" - ")
        if dash:
            mounts.append((PurePosixPath(_unescaped(before.split(" ")[4])), after.split(" ")[0]))
    return mounts


def type_at(mounts: list[tuple[PurePosixPath, str]], path: PurePosixPath) -> str | None:
    """Return the type of the deepest mount that holds the path; of two at one point, the later
    one.
    """
    found, depth = None, -1
    for point, kind in mounts:
        if path.is_relative_to(point) and len(point.parts) >= depth:
            found, depth = kind, len(point.parts)
    return found


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)


def _mounts_elsewhere() -> list[tuple[PurePosixPath, str]]:
    import psutil

    parts = psutil.disk_partitions(all=True)
    return [(PurePosixPath(part.mountpoint), part.fstype) for part in parts]
