"""The message bus on a disk: numbers, torn lines, the dead, and what agents put in its place."""

import fcntl
import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from topkick.engine.errors import BusUnavailable, UsageError
from topkick.engine.io import crash_points
from topkick.team.bus import files
from topkick.team.bus.files import BusReader
from topkick.team.bus.model import Message, data_of
from topkick.team.bus.store import Bus

POST = """
import sys
from pathlib import Path
from topkick.team.bus import files
from topkick.team.bus.model import Message
from topkick.team.bus.store import Bus
bus = Bus(Path(sys.argv[1]))
match sys.argv[2]:
    case "delete":
        bus.delete(sys.argv[3])
    case "clear":
        bus.clear()
    case "once":
        words = [Message("a", summary=f"{n}") for n in range(3)]
        bus.post_once([*words, Message("a", type="state_update", data='{"n": 7}')], after=1)
    case type:
        bus.post(Message("dead", type=type, summary="words", data='{"n": 7}'))
"""


def lines(session: Path) -> list[str]:
    return (session / ".msg" / "messages.jsonl").read_text().splitlines()


def ids(session: Path) -> list[str]:
    """Read the ids as a tool would that knows the format only."""
    return [json.loads(line)["id"] for line in lines(session)]


def killed_at(point: str, session: Path, *words: str) -> None:
    environment = {**os.environ, crash_points.AT: point}
    command = [sys.executable, "-c", POST, str(session), *words]
    assert subprocess.run(command, env=environment, check=False).returncode == -9, point


# --- numbers -------------------------------------------------------------------------------------


@pytest.mark.spec("CK-20")
def test_a_message_is_written_as_others_write_it(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    posted = bus.post(Message("planner", data=data_of({"z": 1, "ä": [None]})))
    (line,) = lines(tmp_path)
    said = json.loads(line)
    assert list(said) == ["id", "ts", "from", "to", "type", "summary", "data"]
    assert said["id"] == posted.id == "MSG-001"
    assert said["ts"].endswith("+00:00")
    assert (said["to"], said["type"]) == ("coordinator", "message")
    assert said["summary"] == "[planner] message -> coordinator"
    assert said["data"] == {"z": 1, "ä": [None]}
    assert bus.messages() == (posted,)
    assert bus.read("MSG-001") == posted


@pytest.mark.spec("CK-20")
def test_numbers_are_never_given_twice(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    for _ in range(3):
        bus.post(Message("a"))
    gone = Bus(tmp_path).delete("MSG-003")
    assert gone is not None
    assert gone.number == 3
    assert Bus(tmp_path).post(Message("a")).id == "MSG-004"
    assert ids(tmp_path) == ["MSG-001", "MSG-002", "MSG-004"]
    assert Bus(tmp_path).clear() == 3
    assert lines(tmp_path) == []
    assert Bus(tmp_path).post(Message("a")).id == "MSG-005"
    assert bus.post(Message("a")).id == "MSG-006"
    assert Bus(tmp_path).newest_number() == 6


@pytest.mark.spec("CK-20")
def test_a_lost_or_senseless_mark_is_made_up_for_by_the_file(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("a"))
    bus.post(Message("a"))
    bus.delete("MSG-002")
    mark = tmp_path / ".msg" / ".mark"
    assert mark.read_text() == "2\n"
    for nonsense in ("", "x", "9" * 40, "-3", "²"):
        mark.write_text(nonsense)
        assert Bus(tmp_path).newest_number() == 1
    mark.unlink()
    assert Bus(tmp_path).post(Message("a")).number == 2


@pytest.mark.spec("CK-20")
def test_what_a_tool_without_the_lock_appended_counts(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("a"))
    with (tmp_path / ".msg" / "messages.jsonl").open("a") as file:
        file.write('{"id": "MSG-009", "from": "other", "extra": true}\n')
    assert bus.post(Message("a")).number == 10
    (tmp_path / ".msg" / "messages.jsonl").write_text("")  # its own way to delete
    assert bus.post(Message("a")).number == 11


# --- torn and hostile lines ----------------------------------------------------------------------


@pytest.mark.spec("CK-20")
@pytest.mark.parametrize("torn", ['{"id": "MSG-002", "fr', "\0\0\0", "é"[:1] + "\udcff", '"'])
def test_a_torn_last_line_swallows_nothing(tmp_path: Path, torn: str) -> None:
    bus = Bus(tmp_path)
    first = bus.post(Message("a"))
    with (tmp_path / ".msg" / "messages.jsonl").open("ab") as file:
        file.write(torn.encode("utf-8", "surrogateescape"))
    assert Bus(tmp_path).messages() == (first,)
    second = Bus(tmp_path).post(Message("b"))
    third = bus.post(Message("c"))
    assert Bus(tmp_path).messages() == (first, second, third)
    taken = 1 if "MSG-002" in torn else 0  # the number of an unreadable line
    assert [second.number, third.number] == [2 + taken, 3 + taken]


@pytest.mark.spec("CK-20")
def test_a_whole_line_without_its_end_is_a_message(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    reader = bus.reader()
    (tmp_path / ".msg").mkdir()
    (tmp_path / ".msg" / "messages.jsonl").write_text('{"id": "MSG-004", "from": "x"}')
    assert [m.id for m in reader.read()] == ["MSG-004"]
    assert bus.post(Message("a")).id == "MSG-005"
    assert [m.id for m in reader.read()] == ["MSG-005"]
    assert ids(tmp_path) == ["MSG-004", "MSG-005"]


@pytest.mark.spec("CK-20")
def test_hostile_lines_cost_nobody_else(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    first = bus.post(Message("a"))
    hostile = [
        b"[" * 100_000,
        b'{"id":"MSG-002","from":"a","data":' + b"[" * 900 + b"1" + b"]" * 900 + b"}",
        b'{"id":"MSG-003","from":"a","summary":"' + b"x" * (2 << 20) + b'"}',
        b'{"id":"MSG-004","from":"a","data":NaN}',
        b'{"id":"MSG-' + b"9" * 5000 + b'","from":"a"}',
        b'{"id":"MSG-0","from":"a"}',
        b'{"id":5,"from":"a"}',
        b"null",
        b"5",
        b"\xff\xfe",
        b'{"id":"MSG-005","from":{}}',
        b'{"id":"MSG-006"}',
    ]
    with (tmp_path / ".msg" / "messages.jsonl").open("ab") as file:
        file.write(b"\n".join(hostile) + b"\n")
    last = Bus(tmp_path).post(Message("b"))
    numbers = [m.number for m in bus.messages()]
    assert numbers in ([1, 2, 7], [1, 7])  # how deep may be nested is Python's to say
    assert last.number == 7
    assert bus.messages()[0] == first
    assert bus.messages()[-1] == last
    assert bus.delete("MSG-001") == first
    assert (tmp_path / ".msg" / "messages.jsonl").read_bytes().startswith(hostile[0])


@pytest.mark.spec("CK-20")
@pytest.mark.parametrize("name", ["messages.jsonl", ".lock", ".mark"])
@pytest.mark.parametrize("what", ["link", "fifo", "directory"])
def test_what_is_no_plain_file_is_refused_and_not_waited_for(
    tmp_path: Path, name: str, what: str
) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("a"))
    bus.delete("MSG-001")
    path, other = tmp_path / ".msg" / name, tmp_path / "precious"
    other.write_text("mine")
    path.unlink()
    match what:
        case "link":
            path.symlink_to(other)
        case "fifo":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
    with pytest.raises(BusUnavailable, match=name):
        bus.post(Message("a"))
    assert other.read_text() == "mine"


@pytest.mark.spec("CK-20", "CK-21")
@pytest.mark.parametrize("what", ["directory", "fifo", "nonsense", "deep"])
def test_no_meta_file_costs_a_message(tmp_path: Path, what: str) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("a", type="state_update", data='{"n": 1}'))
    path = tmp_path / ".msg" / "meta.json"
    path.unlink()
    match what:
        case "directory":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "nonsense":
            path.write_bytes(b"\xff{")
        case "deep":
            path.write_text("[" * 100_000)
    deep = data_of({"deep": json.loads("[" * 98 + "]" * 98)})
    assert bus.post(Message("a", type="state_update", data=deep)).number == 2
    if what in ("directory", "fifo"):
        with pytest.raises(BusUnavailable, match=r"meta\.json"):
            bus.states()
        path.rmdir() if what == "directory" else path.unlink()
    state = Bus(tmp_path).state("a")
    assert state is not None
    assert set(state) == {"n", "deep", "_updated_at"}


@pytest.mark.spec("CK-20")
def test_a_private_bus_stays_private(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        bus = Bus(tmp_path)
        bus.post(Message("a", type="state_update", data='{"n": 1}'))
        bus.post(Message("a"))
        bus.delete("MSG-001")
    finally:
        os.umask(before)
    names = ("messages.jsonl", "meta.json", ".mark")
    assert {(tmp_path / ".msg" / name).stat().st_mode & 0o777 for name in names} == {0o600}


@pytest.mark.spec("CK-20")
def test_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / ".msg").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BusUnavailable, match="not a directory"):
        Bus(tmp_path / "s").post(Message("a"))
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.spec("CK-20")
def test_reading_makes_nothing_and_a_missing_session_is_said(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    assert bus.messages() == ()
    assert bus.status() == ()
    assert bus.clear() == 0
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="mkdir -p"):
        Bus(tmp_path / "none").messages()
    with pytest.raises(UsageError, match="mkdir -p"):
        Bus(tmp_path / "none").post(Message("a"))


@pytest.mark.spec("CK-20")
def test_whoever_holds_the_lock_for_ever_stops_nobody_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("a"))
    monkeypatch.setattr(files, "LOCK_LIMIT_S", 0.05)
    with (tmp_path / ".msg" / ".lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(BusUnavailable, match="has held the lock"):
            bus.post(Message("a"))
        assert len(bus.messages()) == 1
    assert bus.post(Message("a")).number == 2


@pytest.mark.spec("CK-20")
def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "is_network", lambda _: "nfs4")
    with pytest.raises(UsageError, match="nfs4"):
        Bus(tmp_path).post(Message("a"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("CK-20")
@pytest.mark.parametrize(
    "message",
    [
        Message(""),
        Message("a", to="x" * 201),
        Message("a\nb"),
        Message("a", type="\x1b[0m"),
        Message("a", data="{"),
        Message("a", data="[NaN]"),
        Message("a", data="[" * 101 + "]" * 101),
        Message("a", summary="x" * (1 << 20)),
    ],
)
def test_what_the_bus_does_not_take_leaves_no_trace(tmp_path: Path, message: Message) -> None:
    with pytest.raises(UsageError):
        Bus(tmp_path).post(message)
    assert list(tmp_path.iterdir()) == []


# --- the dead ------------------------------------------------------------------------------------


@pytest.mark.spec("CK-20", "CK-21")
@pytest.mark.parametrize(
    ("point", "stands"),
    [
        ("bus.locked", False),
        ("bus.before-append", False),
        ("bus.after-append", True),
        ("bus.before-meta", True),
        ("files.before-rename", True),
        ("bus.after-meta", True),
    ],
)
def test_a_poster_killed_at_any_point(tmp_path: Path, point: str, stands: bool) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("dead", type="state_update", data='{"old": 1, "n": 1}'))
    killed_at(point, tmp_path, "state_update")
    assert len(lines(tmp_path)) == 1 + stands
    state = {"old": 1, "n": 7 if stands else 1}
    found = Bus(tmp_path).state("dead")
    assert found is not None
    assert {key: found[key] for key in state} == state
    again = Message("dead", type="state_update", summary="words", data='{"n": 7}')
    (posted,) = bus.post_once([again], after=1)
    assert posted.number == 2
    assert len(lines(tmp_path)) == 2
    written = json.loads((tmp_path / ".msg" / "meta.json").read_text())
    assert written["role_state"] == bus.states()
    assert bus.states()["dead"]["n"] == 7
    assert list((tmp_path / ".msg").glob("*.tmp")) == []


FULL = """
import os, resource, sys
from pathlib import Path
from topkick.team.bus import files
from topkick.team.bus.model import Message
from topkick.engine.errors import BusUnavailable
from topkick.team.bus.store import Bus
size = os.stat(sys.argv[1] + "/.msg/messages.jsonl").st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, size + 50))
try:
    Bus(Path(sys.argv[1])).post(Message("full", summary="cut off"))
except BusUnavailable:
    sys.exit(7)
"""


@pytest.mark.spec("CK-20")
def test_a_full_disk_is_said_and_costs_nobody_else(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    first = bus.post(Message("a"))
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], check=False)
    assert done.returncode == 7
    assert not (tmp_path / ".msg" / "messages.jsonl").read_text().endswith("\n")
    assert bus.messages() == (first,)
    second = bus.post(Message("b"))
    assert bus.messages() == (first, second)


@pytest.mark.spec("CK-20")
def test_post_once_appends_only_what_is_not_there(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("a", summary="0"))  # the same words, but before
    killed_at("bus.before-meta", tmp_path, "once")
    assert ids(tmp_path) == [f"MSG-00{n}" for n in range(1, 6)]
    words = [Message("a", summary=f"{n}") for n in (0, 1, 1)]
    posted = bus.post_once(words, after=1)
    assert [m.number for m in posted] == [2, 3, 6]
    assert bus.post_once(words, after=1) == posted


@pytest.mark.spec("CK-20")
@pytest.mark.parametrize("how", [("delete", "MSG-002"), ("clear", "")])
@pytest.mark.parametrize(
    "point",
    [
        "bus.before-mark",
        "bus.after-mark",
        "bus.before-rewrite",
        "files.before-rename",
        "files.before-rename:2",
        "bus.after-rewrite",
    ],
)
def test_taking_away_killed_at_any_point(tmp_path: Path, point: str, how: tuple[str, str]) -> None:
    bus = Bus(tmp_path)
    bus.post(Message("a", type="state_update", data='{"n": 1}'))
    bus.post(Message("a"))
    killed_at(point, tmp_path, *how)
    left = ids(tmp_path)
    assert left == ["MSG-001", "MSG-002"] if point != "bus.after-rewrite" else len(left) < 2
    state = Bus(tmp_path).state("a")
    assert (state is None) == (how[0] == "clear" and point == "bus.after-rewrite")
    assert Bus(tmp_path).post(Message("b")).id == "MSG-003"


# --- reading on ----------------------------------------------------------------------------------


@pytest.mark.spec("CK-20")
def test_a_reader_gives_each_message_once_also_when_others_rewrite(tmp_path: Path) -> None:
    bus, reader = Bus(tmp_path), BusReader(tmp_path, after=1)
    assert reader.read() == ()
    bus.post(Message("a"))
    assert reader.read() == ()  # not after 1
    second = bus.post(Message("b"))
    assert reader.read() == (second,)
    assert reader.read() == ()
    bus.delete("MSG-001")
    third = bus.post(Message("c"))
    assert reader.read() == (third,)
    file = tmp_path / ".msg" / "messages.jsonl"
    padded = file.read_text().replace('"c"', '"long name"') + " " * 500
    file.write_text(padded)  # in place, and longer than what was read
    fourth = bus.post(Message("d"))
    assert reader.read() == (fourth,)
    long = json.dumps({"id": "MSG-007", "from": "x" * 100, "summary": "y" * len(file.read_text())})
    file.write_text(f"{long}\n")  # where it had read to is the middle of this line now
    assert [m.number for m in reader.read()] == [7]
    bus.clear()
    fifth = bus.post(Message("e"))
    assert reader.read() == (fifth,)


@pytest.mark.spec("CK-20")
def test_a_watcher_wakes_for_messages_and_sleeps_otherwise(tmp_path: Path) -> None:
    bus = Bus(tmp_path)
    with bus.changes() as changes:
        number = changes.fileno()
        assert number is not None
        assert changes.wake_in_s() is None

        def wakes(limit_s: float) -> bool:
            return bool(select.select([number], [], [], limit_s)[0])

        assert not wakes(0)
        bus.post(Message("a"))
        assert wakes(5)
        changes.drain()
        assert not wakes(0)
        bus.delete("MSG-001")
        assert wakes(5)
        subprocess.run(["rm", "-r", str(tmp_path / ".msg")], check=True)  # another tool's clear
        assert wakes(5)
        changes.drain()
        (tmp_path / ".msg").mkdir()
        assert wakes(5)
        changes.drain()
        bus.post(Message("a"))
        assert wakes(5)


@pytest.mark.spec("CK-20")
def test_the_portable_way_has_a_time_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPKICK_PORTABLE", "1")
    with Bus(tmp_path).changes() as changes:
        assert changes.fileno() is None
        wait_s = changes.wake_in_s()
        assert wait_s is not None
        assert 0 < wait_s <= 2
        changes.drain()
