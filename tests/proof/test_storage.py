"""A share of the storage suite: what is damaged is noticed, what fails is said, nothing is lost."""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from proof.bug_signs import bug_in
from proof.storage import corruption, faults, planted, replaced
from proof.storage.corruption import Material
from proof.storage.damage import Case, damaged
from proof.storage.faults import Fault
from proof.storage.judge import JOURNAL
from proof.storage.stage import (
    PATIENCE_S,
    Image,
    Scene,
    board_is_current,
    is_at_work,
    scratch,
    wait_for,
)
from topkick.app.project import require_local_disk
from topkick.app.run_view import read_anchor, take_a_look
from topkick.engine.codec.chain import Record
from topkick.engine.errors import UsageError
from topkick.engine.io import filesystems
from topkick.engine.io.crash_points import NAMES
from topkick.engine.journal import post
from topkick.engine.journal.salvage import read_what_is_whole, write_anew
from topkick.engine.loop import replay

LONG = os.environ.get("TOPKICK_LONG") == "1"
"""`make storage` asks for all that is listed here; otherwise it is a share of it."""
STRIDE = 29 if LONG else 293


@pytest.fixture(scope="module")
def material() -> Iterator[Material]:
    with scratch() as place:
        yield corruption.prepare(place, quick=not LONG)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project half-way, which is never touched: tests have copies of it."""
    place = tmp_path_factory.mktemp("half-way")
    faults.half_way(place).close()
    return place


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.close()


@pytest.fixture
def half_way(tmp_path: Path, template: Path) -> Iterator[Scene]:
    made = faults.moved(template, tmp_path / "copy")
    yield made
    made.close()


def said_up_to(process: subprocess.Popen[bytes], words: bytes) -> bytes:
    """All that it said until it said this, or was over."""
    assert process.stdout is not None
    ends_at_s, said = time.monotonic() + PATIENCE_S, b""
    while words not in said and process.poll() is None:
        ready, _, _ = select.select(
            [process.stdout], [], [], max(0.0, ends_at_s - time.monotonic())
        )
        assert ready, f"it never said {words!r}, but {said.decode()}"
        said += os.read(process.stdout.fileno(), 65536)
    return said


# --- damaged bytes -------------------------------------------------------------------------


@pytest.mark.spec("J1", "J2", "J3", "J8")
def test_no_damage_is_silent_and_the_campaign_would_notice(material: Material) -> None:
    """One test for all of it, because the material takes longer to make than the cases."""
    cases = [*_telling(material), *corruption.every_nth(material, STRIDE)]
    with scratch() as place:
        tally = corruption.work(material, cases, place)
    assert tally.bad() == 0, "\n".join(tally.stories)
    assert sum(tally.seen.values()) == len(cases) > 500
    assert tally.codes[5] > 100
    for name in planted.PLANTS:
        with scratch() as place, planted.planted(name):
            caught = corruption.work(material, cases, place, until_bad=True)
        assert caught.bad() > 0, f"planted and not noticed: {name}"
    _the_command_line_agrees(material)


def _the_command_line_agrees(material: Material) -> None:
    """Check that the judge in this process and the command line agree."""
    header = Case("finished", JOURNAL, "flip", 0, 0x01)
    tail = Case("half-way", JOURNAL, "older backup", 0)
    images = {image.name: image for image in material.images}
    for case in (header, tail, *islice(_telling(material), 2)):
        files = images[case.image].files
        changed = damaged(case, files, material.spare)
        with scratch() as place:
            scene = Scene(place)
            kept = {name: data for name, data in {**files, **changed}.items() if data is not None}
            Image(case.image, kept).write(scene.root)
            said = scene.run("status")
            assert said.code == 5, f"{case}: {said.text}"
            assert "topkick journal" in said.text
            assert list(faults.tracebacks(scene, said)) == []


def _telling(material: Material) -> Iterator[Case]:
    """Bytes that are sure to lie in something that counts, and steps that are sure to be lost."""
    finished, half, _ = material.images
    for text in (b'"run_id"', b"AgentExited", b"Do part 1.", b'a"]}'):
        place = finished.files[JOURNAL].rfind(text)
        assert place > 0, text
        yield Case("finished", JOURNAL, "flip", place, 0x01)
    log = half.files[f"{JOURNAL}-wal"]
    for text in (b'{"units":["a"]}', b"AgentActive", b"Do part 1."):
        place = log.rfind(text)
        if place >= 0:
            yield Case("half-way", f"{JOURNAL}-wal", "flip", place + 2, 0x01)
    yield Case("half-way", JOURNAL, "older backup", 0)
    yield from (Case("killed", f"{JOURNAL}-wal", "cut", n) for n in range(0, len(log), 4120))
    yield from (Case("finished", JOURNAL, "flip", n, 0x01) for n in range(8_000, 36_000, 290))
    yield from _sealed(half)


def _sealed(image: Image) -> Iterator[Case]:
    """Yield a flipped character in each small file with a checksum, which stays readable."""
    texts = {
        "claim": b'"started": ',
        "agent": b'"started": ',
        "order.json": b'"output_cap_bytes": ',
        "stop.json": b'"grace_s": 0.',
        "prompt": b"Do part ",
        "journal.db-posted": b'"posted": ',
    }
    for name, data in image.files.items():
        if (text := texts.get(Path(name).name)) is not None:
            yield Case(image.name, name, "flip", data.index(text) + len(text), 0x01)


# --- a disk that refuses -------------------------------------------------------------------


@pytest.mark.spec("J3")
@pytest.mark.parametrize("number", [1, 4] if LONG else [4])
def test_a_journal_that_the_disk_took_only_in_part_is_not_put_in_place(
    scene: Scene, need: Callable[[str], str], number: int
) -> None:
    """The log was written, the file was not, and the file was published without its log."""
    scene.make()
    draft = scene.root / f"{JOURNAL}.new"
    inject = f"inject=pwrite64:error=ENOSPC:when={number}+"
    wrap = (need("strace"), "-o", "/dev/null", "-P", str(draft), "-e", inject)
    said = scene.run("start", "--yes", "--foreground", wrap=wrap)
    assert said.code == 1, said.text
    assert "cannot be used now" in said.text
    assert list(faults.tracebacks(scene, said)) == []
    again = scene.run("start", "--yes", "--foreground")
    assert again.code == 0, again.text


FAULTS = [
    Fault("start", "fdatasync", "EIO", 14, onward=False),
    Fault("start", "pwrite64", "ENOSPC", 70, onward=True),
    Fault("resume", "rename", "EROFS", 3, onward=False),
    Fault("killall", "pwrite64", "ENOSPC", 1, onward=True),
    Fault("status", "pread64", "EIO", 4, onward=True),
]
MORE_FAULTS = [
    Fault("start", "fsync", "EIO", 6, onward=True),
    Fault("resume", "pwrite64", "EIO", 60, onward=True),
    Fault("killall", "fdatasync", "EIO", 1, onward=True),
]


@pytest.mark.spec("J1", "J3", "D3", "K6")
@pytest.mark.parametrize("fault", FAULTS + MORE_FAULTS * LONG, ids=str)
def test_an_error_of_the_system_is_said_and_nothing_is_lost(
    fault: Fault, tmp_path: Path, template: Path, need: Callable[[str], str]
) -> None:
    need("strace")
    verdict = faults.try_out(fault, tmp_path / "case", template)
    assert not verdict.problems, "\n".join([*verdict.problems, verdict.said])
    assert verdict.fired, f"there is no such call any more: {fault}"


# --- a small disk --------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(place: Path) -> Path:
    filler = place / "filler"
    with open(filler, "wb", buffering=0) as file:
        size = 1 << 16
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    return filler


@pytest.mark.spec("J3", "K6")
def test_a_disk_that_is_full_for_a_while_holds_a_run_up_and_no_more(small_disk: Path) -> None:
    scene = Scene(small_disk).make()
    scene.hold(1)
    try:
        supervisor = scene.begin("start", "--yes", "--foreground")
        wait_for(scene.starts)
        filler = fill(small_disk)
        assert scene.run("status").code in (0, 1)
        scene.let_go()
        said = said_up_to(supervisor, b"cannot be used now")
        assert supervisor.poll() is None, said.decode()
        filler.unlink()
        rest, _ = supervisor.communicate(timeout=120)
        assert not bug_in(said + rest)
        again = scene.run("resume", "--yes", "--foreground")
        assert "2 done (2 checked)" in scene.run("status").text, (said + rest).decode() + again.text
    finally:
        scene.close()


@pytest.mark.spec("K6", "D7")
def test_killall_on_a_full_disk_is_heard_by_the_supervisor_and_by_no_other_agent(
    small_disk: Path,
) -> None:
    """Once it went on as soon as there was room, and dispatched again."""
    scene = Scene(small_disk).make()
    scene.hold(1)
    try:
        supervisor = scene.begin("start", "--yes", "--foreground")
        wait_for(scene.starts)
        wait_for(lambda: is_at_work(scene) and board_is_current(scene))  # it writes nothing more
        filler = fill(small_disk)
        killed = scene.run("killall")
        assert killed.code == 1, killed.text
        assert not bug_in(killed.text)
        assert "Agents terminated: 1" in killed.text
        assert "topkick left a stop mark: no supervisor dispatches anything" in killed.text
        assert "Continue once there is room on the disk: topkick resume" in killed.text
        filler.unlink()
        scene.let_go()
        said, _ = supervisor.communicate(timeout=PATIENCE_S)
        assert not bug_in(said)
        assert len(scene.starts()) == 1, said.decode()
        done = scene.run("resume", "--yes", "--foreground")
        assert done.code == 0, done.text
    finally:
        scene.close()


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$PWD" && exec "$@"'


@pytest.mark.spec("K6")
def test_a_read_only_disk_can_be_looked_at_and_its_agents_can_be_killed(small_disk: Path) -> None:
    """Read-only for the commands alone: a disk with open files cannot be made so for all."""
    scene = Scene(small_disk).make()
    scene.hold(1)
    wrap = ("unshare", "-m", "sh", "-c", READ_ONLY, str(small_disk))
    try:
        supervisor = scene.begin("start", "--yes", "--foreground")
        wait_for(scene.starts)
        supervisor.send_signal(signal.SIGKILL)
        supervisor.communicate()
        looked = scene.run("status", wrap=wrap)
        assert looked.code == 0, looked.text
        resumed = scene.run("resume", "--yes", "--foreground", wrap=wrap)
        assert resumed.code == 1, resumed.text
        assert not bug_in(resumed.text)
        killed = scene.run("killall", wrap=wrap)
        assert killed.code == 1, killed.text
        assert not bug_in(killed.text)
        assert "could not be recorded" in killed.text
        wait_for(lambda: not scene.processes())
        scene.let_go()
        assert list(faults.goes_on(scene, killed)) == []
    finally:
        scene.close()


@pytest.mark.spec("K4", "K6")
def test_killall_that_cannot_look_says_that_agents_may_be_alive(half_way: Scene) -> None:
    """Earlier it only said to continue with `resume`, and did not mention the agents."""
    runs = half_way.project.runs
    runs.rename(runs.with_name("elsewhere"))
    runs.symlink_to(runs.name)
    said = half_way.run("killall")
    assert said.code == 1, said.text
    assert "agents may still be alive" in said.text
    assert "then: topkick killall" in said.text


@pytest.mark.spec("Y2", "D1")
def test_a_run_that_cannot_be_written_down_is_told_once_and_begins_when_it_can(
    scene: Scene, need: Callable[[str], str]
) -> None:
    """The supervisor tried for ever without a word. Root may write anywhere, unless it yields."""
    drop = (need("setpriv"), "--bounding-set", "-dac_override,-dac_read_search")
    scene.make()
    scene.hold(1)
    supervisor = scene.begin(
        "start", "--yes", "--foreground", wrap=drop if os.geteuid() == 0 else ()
    )
    wait_for(scene.starts)
    scene.project.runs.chmod(0o500)
    try:
        scene.let_go()
        said = said_up_to(supervisor, f"and that {scene.project.runs} can be written.".encode())
        assert supervisor.poll() is None, said.decode()
    finally:
        scene.project.runs.chmod(0o700)
    rest, _ = supervisor.communicate(timeout=PATIENCE_S)
    assert supervisor.returncode == 0, (said + rest).decode()
    assert (said + rest).count(b"cannot be written to disk: Permission denied") == 1
    assert len(scene.starts()) == 2


@pytest.mark.spec("J3")
def test_a_git_directory_that_is_a_mount_of_the_same_disk_keeps_no_board_away(
    scene: Scene, need: Callable[[str], str]
) -> None:
    """Nothing can be renamed from one mount to another, even where both are of one disk."""
    own = (need("unshare"), "-m")
    mounted = 'mount --bind .git .git && exec "$@"'
    scene.make()
    probe = [*own, "/bin/sh", "-c", mounted, "sh", "true"]
    if subprocess.run(probe, cwd=scene.root, capture_output=True, check=False).returncode != 0:
        pytest.skip("nothing can be mounted here")
    done = scene.run("start", "--yes", "--foreground", wrap=tuple(probe[:-1]))
    assert done.code == 0, done.text
    view = take_a_look(scene.project)
    assert view is not None
    assert read_anchor(scene.project) == view.head
    assert [p.name for p in scene.root.iterdir() if p.name.endswith(".tmp")] == []


@pytest.mark.spec("Y2")
def test_a_board_that_cannot_be_written_is_told_once_and_holds_nothing_up(scene: Scene) -> None:
    scene.make()
    scene.hold(1)
    supervisor = scene.begin("start", "--yes", "--foreground")
    wait_for(lambda: scene.starts() and board_is_current(scene))
    board = scene.project.board_path
    board.unlink()
    board.mkdir()
    scene.let_go()
    said, _ = supervisor.communicate(timeout=PATIENCE_S)
    assert supervisor.returncode == 0, said.decode()
    assert said.count(b"SUPERVISOR_STATE.md cannot be written: Is a directory") == 1, said.decode()


# --- words of a newer release --------------------------------------------------------------


@pytest.mark.spec("J3", "J7", "B4")
@pytest.mark.parametrize("kind", ["Teleport", "Stop/9"])
def test_a_letter_of_a_newer_release_is_refused_in_words_and_kept(
    half_way: Scene, kind: str
) -> None:
    """Earlier this was a traceback of the supervisor."""
    path = half_way.project.journal_path
    letter = post(path, "proof", kind, "{}", 1)
    said = half_way.run("resume", "--yes", "--foreground")
    assert said.code == 2, said.text
    assert f"Command {letter} of the queue was written by another version of topkick" in said.text
    assert "Upgrade topkick" in said.text
    assert list(faults.tracebacks(half_way, said)) == []
    waiting = [w.kind for w in read_what_is_whole(path).letters if w.answer is None]
    assert kind in waiting
    assert len(half_way.starts()) == 1


@pytest.mark.spec("J3", "J7")
@pytest.mark.parametrize("kind", ["Teleported", "MissionBegan/9"])
def test_a_record_of_a_newer_release_is_refused_in_words(kind: str) -> None:
    with pytest.raises(UsageError, match=r"Record 1 was written by another (?s:.*)Upgrade topkick"):
        replay([Record(1, 1, 1, 1, kind, "{}")])


# --- something else where a file should be -------------------------------------------------

SWAPS = [
    replaced.Swap("SUPERVISOR_STATE.md", "FIFO", ("status",)),
    replaced.Swap("SUPERVISOR_STATE.md", "link elsewhere", ("resume", "--yes", "--foreground")),
    replaced.Swap(f"{replaced.STATE}/supervisor.log", "FIFO", ("resume", "--yes", "--foreground")),
    replaced.Swap(f"{replaced.STATE}/current/journal.db-wal", "link elsewhere", ("status",)),
    replaced.Swap(f"{replaced.STATE}/current/journal.db", "device", ("killall",)),
    replaced.Swap("RUN/claim", "FIFO", ("status",)),
]
MORE_SWAPS = [
    replaced.Swap("topkick.toml", "FIFO", ("resume", "--yes", "--foreground")),
    replaced.Swap(f"{replaced.STATE}/holder.json", "FIFO", ("resume", "--yes", "--foreground")),
    replaced.Swap(f"{replaced.STATE}/supervisor.log", "dangling link", ("stop",)),
    replaced.Swap("RUN/order.json", "directory", ("resume", "--yes", "--foreground")),
    replaced.Swap("RUN/output", "FIFO", ("logs", "U1/1")),
]


@pytest.mark.spec("Y3", "K7")
@pytest.mark.parametrize("swap", SWAPS + MORE_SWAPS * LONG, ids=str)
def test_something_else_in_the_place_of_a_file_is_neither_waited_for_nor_followed(
    swap: replaced.Swap, tmp_path: Path, template: Path
) -> None:
    assert replaced.try_out(swap, tmp_path / "copy", template) == []


# --- repair --------------------------------------------------------------------------------


def damage_record(scene: Scene, seq: int) -> bytes:
    """A letter of this record's body is another one now."""
    path = scene.project.journal_path
    scene.run("journal", "check")
    subprocess.run(
        [
            *scene.words()[:1],
            "-c",
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
            "db.execute('UPDATE records SET body = body || ? WHERE seq = ?', (' ', sys.argv[2]));"
            "db.commit(); db.close()",
            path,
            str(seq),
        ],
        check=True,
    )
    return path.read_bytes()


@pytest.mark.spec("J1", "J5", "J8")
def test_a_damaged_journal_is_salvaged_up_to_the_damage_and_the_run_goes_on(
    half_way: Scene,
) -> None:
    damaged = damage_record(half_way, 9)
    for words in (("status",), ("resume", "--yes", "--foreground"), ("journal", "check")):
        said = half_way.run(*words)
        assert (said.code, "record 9 " in said.text) == (5, True), said.text
    assert half_way.project.journal_path.read_bytes() == damaged
    advice = half_way.run("journal", "repair")
    assert advice.code == 5
    assert "--salvage" in advice.text
    refused = half_way.run("journal", "repair", "--accept-lost-tail")
    assert refused.code == 5
    said = half_way.run("journal", "repair", "--salvage", "--json")
    assert said.code == 0, said.text
    report = json.loads(said.text)
    assert report["head"]["seq"] < 9
    assert report["lost_records"] > 0
    assert (Path(report["kept_aside"]) / "journal.db").read_bytes() == damaged
    assert half_way.run("journal", "check").code == 0
    rests = half_way.run("resume", "--yes", "--foreground")
    assert rests.code == 3, rests.text  # the work was there before the order that is now on record
    assert "all criteria passed before the order and the agent changed nothing" in rests.text
    accepted = half_way.run("accept", "U1/1", "--why", "made by the order that was lost")
    assert accepted.code == 0, accepted.text
    done = half_way.run("resume", "--yes", "--foreground")
    assert done.code == 0, done.text
    starts = half_way.starts()
    assert len(starts) == len(set(starts))


@pytest.mark.spec("J3", "J5", "J8")
@pytest.mark.parametrize("point", sorted(n for n in NAMES if n.startswith("repair.")))
def test_a_salvage_killed_at_any_moment_is_done_again_and_loses_no_more(
    half_way: Scene, tmp_path: Path, point: str
) -> None:
    """All that was in the log was lost, killed between the old log's going and the new journal."""
    log = half_way.project.journal_path.with_name("journal.db-wal")
    data = bytearray(log.read_bytes())
    data[-3000] ^= 1
    log.write_bytes(data)
    assert half_way.run("journal", "check").code == 5
    twin = faults.moved(half_way.place, tmp_path / "twin")
    try:
        expected = json.loads(twin.run("journal", "repair", "--salvage", "--json").text)
    finally:
        twin.close()
    half_way.env["TOPKICK_CRASH_AT"] = point
    killed = half_way.run("journal", "repair", "--salvage")
    assert killed.code == -signal.SIGKILL, killed.text
    del half_way.env["TOPKICK_CRASH_AT"]
    for words in (("status",), ("resume", "--yes", "--foreground"), ("journal", "repair")):
        said = half_way.run(*words)
        assert said.code == 5, said.text
        assert "topkick journal repair" in said.text
    said = half_way.run("journal", "repair", "--salvage", "--json")
    assert said.code == 0, said.text
    report = json.loads(said.text)
    aside = Path(report["kept_aside"])
    assert {**report, "kept_aside": ""} == {**expected, "kept_aside": ""}
    assert (aside / "journal.db").exists()
    assert half_way.run("journal", "check").code == 0
    done = half_way.run("resume", "--yes", "--foreground")
    assert done.code == 0, done.text
    assert len(half_way.starts()) == len(set(half_way.starts()))


@pytest.mark.spec("J8", "D6")
def test_no_repair_while_an_agent_works_that_the_journal_may_have_forgotten(scene: Scene) -> None:
    scene.make()
    scene.hold(1)
    supervisor = scene.begin("start", "--yes", "--foreground")
    wait_for(scene.starts)
    supervisor.kill()
    supervisor.communicate()
    damage_record(scene, 3)
    said = scene.run("journal", "repair", "--salvage")
    assert said.code == 2, said.text
    assert "topkick killall" in said.text
    killed = scene.run("killall")
    assert killed.code == 5, killed.text
    assert "Agents terminated: 1" in killed.text
    wait_for(lambda: not scene.processes())


@pytest.mark.spec("J8")
def test_a_restored_backup_is_noticed_and_accepted_on_request(half_way: Scene) -> None:
    path = half_way.project.journal_path
    saved = read_what_is_whole(path)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.unlink()
    write_anew(path, path.parent, saved.before_step(saved.step))
    assert half_way.run("status").code == 5
    assert half_way.run("resume", "--yes", "--foreground").code == 5
    said = half_way.run("journal", "repair", "--accept-lost-tail")
    assert said.code == 0, said.text
    done = half_way.run("resume", "--yes", "--foreground")
    assert done.code == 0, done.text


@pytest.mark.spec("J8")
def test_a_journal_that_is_gone_is_not_taken_for_a_fresh_project(half_way: Scene) -> None:
    path = half_way.project.journal_path
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    for words in (("status",), ("start", "--yes", "--foreground"), ("journal", "repair")):
        said = half_way.run(*words)
        assert said.code == 5, said.text
        assert "is gone" in said.text


WAY_OUT = "Or begin anew: "


def abandon_a_start(scene: Scene) -> None:
    """Kill the supervisor before it takes the start: journal and log exist, and no run."""
    scene.make().env["TOPKICK_CRASH_AT"] = "journal.after-epoch:1"
    assert scene.run("start", "--yes", "--foreground").code == -signal.SIGKILL
    del scene.env["TOPKICK_CRASH_AT"]


@pytest.mark.spec("J3", "ST-03")
@pytest.mark.parametrize("number", range(2, 6))
def test_a_start_killed_as_it_clears_an_abandoned_one_away_is_begun_again(
    scene: Scene, number: int, need: Callable[[str], str]
) -> None:
    """Earlier it could leave a log without its journal, from which no command recovered."""
    abandon_a_start(scene)
    kill = f"inject=unlinkat:signal=SIGKILL:when={number}"
    tracer = (need("strace"), "-f", "-o", "/dev/null", "-e", "trace=unlinkat", "-e", kill)
    killed = scene.run("start", "--yes", "--foreground", wrap=tracer)
    assert killed.code == -signal.SIGKILL, killed.text
    assert scene.starts() == []
    assert scene.run("status").code == 0
    done = scene.run("start", "--yes", "--foreground")
    assert done.code == 0, done.text
    assert list(scene.project.archive.glob("*/journal.db*")) == []


@pytest.mark.spec("J3", "J8")
def test_a_log_without_its_journal_has_a_way_out_that_all_commands_name(scene: Scene) -> None:
    """`start` sent to `journal repair`, and that back to `start`."""
    abandon_a_start(scene)
    scene.project.journal_path.unlink()
    for words in (
        ("start", "--yes", "--foreground"),
        ("resume", "--yes"),
        ("status",),
        ("journal", "check"),
        ("journal", "repair", "--salvage"),
        ("journal", "repair", "--accept-lost-tail"),
    ):
        said = scene.run(*words)
        assert said.code == 5, (words, said.text)
        assert WAY_OUT in said.text, (words, said.text)
    *moves, begin = said.text.split(WAY_OUT)[1].splitlines()[0].split(" && ")
    assert begin == "topkick start"
    subprocess.run(["sh", "-c", " && ".join(moves)], check=True)
    done = scene.run("start", "--yes", "--foreground")
    assert done.code == 0, done.text


def lose_a_letter(scene: Scene) -> None:
    """One is posted, and journal and log are what they were before."""
    path = scene.project.journal_path
    before = {s: path.with_name(path.name + s) for s in ("", "-wal")}
    kept = {s: p.read_bytes() for s, p in before.items() if p.exists()}
    post(path, "proof", "Stop", "{}", 1)
    for suffix, file in before.items():
        file.unlink(missing_ok=True)
        if suffix in kept:
            file.write_bytes(kept[suffix])


@pytest.mark.spec("J3")
def test_a_letter_that_was_posted_and_is_gone_is_damage(half_way: Scene) -> None:
    lose_a_letter(half_way)
    said = half_way.run("status")
    assert said.code == 5, said.text
    assert "letters" in said.text
    repaired = half_way.run("journal", "repair", "--accept-lost-tail")
    assert repaired.code == 0, repaired.text
    assert half_way.run("status").code == 0


@pytest.mark.spec("J3", "J8")
def test_a_repair_that_is_refused_forgets_no_letter(scene: Scene) -> None:
    """Earlier, when an agent was alive, the repair was refused and the queued command lost."""
    scene.make()
    scene.hold(1)
    supervisor = scene.begin("start", "--yes", "--foreground")
    wait_for(scene.starts)
    supervisor.kill()
    supervisor.communicate()
    lose_a_letter(scene)
    refused = scene.run("journal", "repair", "--accept-lost-tail")
    assert refused.code == 2, refused.text
    assert "topkick killall" in refused.text
    said = scene.run("journal", "check")
    assert (said.code, "letters" in said.text) == (5, True), said.text
    scene.kill_all()
    assert scene.run("journal", "repair", "--accept-lost-tail").code == 0
    assert scene.run("journal", "check").code == 0


# --- clocks and disks ----------------------------------------------------------------------

YEAR_US = 365 * 24 * 3600 * 1_000_000


@pytest.mark.spec("J1", "Y2")
@pytest.mark.parametrize("years", [30, -40])
def test_a_clock_that_jumps_by_decades_holds_nothing_up(half_way: Scene, years: int) -> None:
    """The journal's last record lies in the future, or far in the past."""
    path = half_way.project.journal_path
    saved = read_what_is_whole(path)
    moved = tuple(replace(r, at_us=r.at_us + years * YEAR_US) for r in saved.records)
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    write_anew(path, path.parent, replace(saved, records=moved))
    half_way.project.board_path.unlink()
    os.utime(half_way.root / "EXECUTION_PLAN.md", (-1_000_000_000, -1_000_000_000))
    os.utime(half_way.root / "topkick.toml", (2**33, 2**33))
    os.utime(path, (2**33, 2**33))
    assert half_way.run("status").code == 0
    done = half_way.run("resume", "--yes", "--foreground")
    assert done.code == 0, done.text
    times = [record.at_us for record in read_what_is_whole(path).records]
    assert times == sorted(times)


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_network_file_system_is_refused_with_a_way_out(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    scene.make(with_git=False)
    (scene.root / ".git").mkdir()
    (scene.root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    mounts = scene.place / "mountinfo"
    mounts.write_text(
        "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        f"22 21 0:99 / {scene.root} rw - {kind} host:/share rw\n"
    )
    monkeypatch.setattr(filesystems, "MOUNTINFO", mounts)
    with pytest.raises(UsageError, match=rf"network file system \({kind}\)(?s:.*)local disk"):
        require_local_disk(scene.project)
