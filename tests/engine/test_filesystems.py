"""Network file systems are recognised by the mount that holds the path."""

from pathlib import Path, PurePosixPath

import pytest

from topkick.engine.io.filesystems import is_network, is_remote, mounts_of, type_at

MOUNTINFO = r"""
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 21 0:30 / /home rw,relatime shared:9 - nfs4 server:/home rw,vers=4.2
31 30 0:31 / /home/me/local rw,relatime - xfs /dev/vdb rw
32 21 0:32 / /mnt/my\040share rw,relatime - fuse.sshfs me@host:/ rw
33 21 0:33 / /data rw - ext4 /dev/vdc rw
34 33 0:34 / /data rw - cifs //server/data rw
broken line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/p/.git/topkick", "ext4"),
        ("/home/me/p", "nfs4"),
        ("/homestead", "ext4"),
        ("/home/me/local/p", "xfs"),
        ("/mnt/my share/p", "fuse.sshfs"),
        ("/data", "cifs"),
    ],
)
def test_the_deepest_and_latest_mount_counts(path: str, kind: str) -> None:
    assert type_at(mounts_of(MOUNTINFO), PurePosixPath(path)) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afpfs"])
def test_network(kind: str) -> None:
    assert is_remote(kind)


@pytest.mark.parametrize(
    "kind", ["ext4", "btrfs", "apfs", "tmpfs", "overlay", "fuse.ntfs-3g", "fuse"]
)
def test_own_disk(kind: str) -> None:
    assert not is_remote(kind)


def test_a_path_that_is_not_there_yet_is_judged_by_where_it_would_be(tmp_path: Path) -> None:
    assert is_network(tmp_path / "a" / "b") == is_network(tmp_path)


def test_the_portable_way_knows_the_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here = is_network(tmp_path)
    monkeypatch.setattr("topkick.engine.io.filesystems.MOUNTINFO", tmp_path / "none")
    assert is_network(tmp_path) == here
