"""An order that waits for its keeper: as it was given, whatever happened to its files meanwhile."""

import resource
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from runner_bench import ENV, Bench
from topkick.runner import run_dir
from topkick.runner.local_runner import Active, Placement

ORDER, PROMPT = "order.json", "prompt"


@pytest.fixture
def placement(tmp_path: Path) -> Placement:
    return Placement(("/bin/sh", "-c", "cat"), str(tmp_path), ENV, stdin_text="Do part 1.\n")


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x01
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/null")


@pytest.mark.spec("D1", "D12")
@pytest.mark.parametrize("damage", [flip, cut, empty, Path.unlink, link])
@pytest.mark.parametrize("name", [ORDER, PROMPT])
def test_a_damaged_order_that_nobody_claimed_is_written_again(
    name: str, damage: Callable[[Path], None], tmp_path: Path, placement: Placement
) -> None:
    """Earlier it was launched unchecked, and a flipped byte of a prompt reached the agent."""
    bench = Bench(tmp_path)
    path = bench.runs / "r1"
    run_dir.prepare(path, "r1", placement)
    damage(path / name)
    try:
        bench.runner.ensure("r1", placement)
        assert bench.end_of("r1").code == 0
        assert bench.output("r1") == b"Do part 1.\n"
    finally:
        bench.clean_up()


@pytest.mark.spec("D12")
def test_a_whole_order_is_left_as_it_is(tmp_path: Path, placement: Placement) -> None:
    path = tmp_path / "r1"
    run_dir.prepare(path, "r1", placement)
    before = {name: (path / name).stat().st_ino for name in (ORDER, PROMPT)}
    said = (path / ORDER).read_bytes()
    run_dir.prepare(path, "r1", placement)
    assert {name: (path / name).stat().st_ino for name in before} == before
    assert (path / ORDER).read_bytes() == said


@pytest.mark.spec("D3")
def test_what_somebody_claimed_is_not_written_again(tmp_path: Path, placement: Placement) -> None:
    path = tmp_path / "r1"
    run_dir.prepare(path, "r1", placement)
    assert run_dir.revoke(path, "r1", "stopped", "never started")
    cut(path / ORDER)
    cut(path / PROMPT)
    before = {name: (path / name).read_bytes() for name in (ORDER, PROMPT)}
    run_dir.prepare(path, "r1", placement)
    assert {name: (path / name).read_bytes() for name in before} == before


@pytest.mark.spec("Y2")
def test_a_run_that_cannot_be_written_down_says_so_and_begins_when_it_can(
    tmp_path: Path, placement: Placement
) -> None:
    """Earlier it was retried for ever without a message. A directory keeps out root as well."""
    bench = Bench(tmp_path)
    in_the_way = bench.runs / "r1" / ORDER
    in_the_way.mkdir(parents=True)
    try:
        bench.runner.ensure("r1", placement)
        said = bench.runner.trouble("r1")
        assert "r1 cannot be written to disk: Is a directory" in said
        assert bench.runner.wake_in_s() is not None
        in_the_way.rmdir()
        assert bench.end_of("r1").code == 0
        assert bench.runner.trouble("r1") == ""
    finally:
        bench.clean_up()


@pytest.mark.spec("D3")
def test_a_claim_that_cannot_be_opened_just_now_is_not_that_of_a_dead_keeper(
    tmp_path: Path, placement: Placement
) -> None:
    path = tmp_path / "r1"
    run_dir.prepare(path, "r1", placement)
    assert run_dir.revoke(path, "r1", "stopped", "never started")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            run_dir.keeper_lives(path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert not run_dir.keeper_lives(path)


@pytest.mark.spec("D1", "D2")
def test_a_run_whose_directory_is_gone_is_lost_and_never_begun_again(tmp_path: Path) -> None:
    """Without a claim it looked as if it had never begun, and a second agent was started."""
    bench = Bench(tmp_path)
    wait = "until [ -e go ]; do sleep 0.05; done"
    try:
        bench.start("r1", f"echo one >> starts; {wait}; rm -rf runs/r1")
        bench.until(lambda: Active("r1") in bench.notices)
        bench.runner.life(["r1"])
        (tmp_path / "go").touch()
        assert bench.end_of("r1").how == "lost"
        assert (tmp_path / "starts").read_text() == "one\n"
    finally:
        bench.clean_up()


DEEP = b"[" * 50_000 + b"]" * 50_000
WRONG = [
    b'{"pid": 1, "started": 2}',
    b'{"pid": 0, "started": -1, "how": "fine", "grace_s": -1, "keeper": {"x": 1}, "boot_id": 5}',
    b'{"pid": true, "started": 1e400, "how": 5, "grace_s": NaN, "keeper": 5, "boot_id": []}',
    b'{"pid": 1, "started": ' + b"9" * 4_000 + b"}",
    b'{"pid": 1, "started": ' + b"9" * 5_000 + b"}",
    b'{"pid": ' + DEEP + b"}",
    b'{"how": "exited", "survivors": 5}',
    b'{"boot_id": "x", "claimed_at": 1, "cgroup": "/sys/fs/cgroup/system.slice"}',
    b'{"boot_id": "x", "claimed_at": 1, "keeper": {"pid": 99999999999, "started": 1}}',
    b"\xff\xfe}",
    DEEP,
]


@pytest.mark.spec("K4", "D12")
@pytest.mark.parametrize("body", WRONG, ids=lambda body: body[:40].decode("latin-1"))
def test_a_wrong_field_with_a_right_checksum_is_damage(
    body: bytes, tmp_path: Path, placement: Placement
) -> None:
    path = tmp_path / "r1"
    for name in ("claim", "agent", "exit.json", "stop.json", "order.json"):
        run_dir.prepare(path, "r1", placement)
        (path / name).write_bytes(body[:-1] + b', "sum": %d}' % zlib.crc32(body))
        if name in run_dir.damaged(path):
            assert run_dir.describe(path).state in {"absent", "lost"}
            assert run_dir.read_exit(path) is None
            run_dir.read_limits(path)
        else:
            assert (name, body) == ("agent", WRONG[0])
        (path / name).unlink()
