"""The journal keeps what it acknowledged, all of a step or none of it, and notices any change."""

import os
import random
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.engine.codec.codec import Text
from topkick.engine.errors import AnotherSupervisor, JournalDamaged, TopkickError, UsageError
from topkick.engine.journal import (
    ACCEPTED,
    EMPTY,
    ChainEntry,
    CommandOutcome,
    Head,
    JournalReader,
    JournalTooNew,
    JournalTooOld,
    JournalUnavailable,
    NoJournal,
    QueueAnswer,
    answer_of,
    post,
)
from topkick.engine.journal.checkup import check
from topkick.engine.journal.salvage import read_again, read_what_is_whole, write_anew
from topkick.engine.journal.writer import Journal


def refused(why: str) -> QueueAnswer:
    return QueueAnswer(CommandOutcome.REFUSED, why)


REFUSED = refused('{"refusal":{"is":"NoRun"}}')


def entries(*bodies: str) -> list[ChainEntry]:
    return [ChainEntry("Noted", body) for body in bodies]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with Journal.create(path, now_us=1) as opened:
        opened.begin_epoch("test")
        yield opened


def contents(path: Path) -> list[tuple[int, int, int, int, str, str]]:
    with JournalReader(path) as reader:
        return [(r.seq, r.step, r.epoch, r.at_us, r.kind, r.body) for r in reader.records()]


@pytest.mark.spec("J1", "J3")
def test_a_step_is_there_after_reopening(path: Path, journal: Journal) -> None:
    assert journal.head == EMPTY
    journal.append(10, entries("a", "b"))
    head = journal.append(20, entries("ü"))
    journal.close()
    with Journal.open(path, anchor=head) as again:
        assert again.head == head
        assert [(r.seq, r.step, r.epoch, r.at_us) for r in again.records()] == [
            (1, 1, 1, 10),
            (2, 1, 1, 10),
            (3, 2, 1, 20),
        ]
        assert [r.body for r in again.records(after_seq=2)] == ["ü"]
        assert list(again.records(after_seq=99)) == []


@pytest.mark.spec("J6")
def test_the_same_steps_give_the_same_head(tmp_path: Path) -> None:
    heads: list[Head] = []
    for name in ("one.db", "two.db"):
        with Journal.create(tmp_path / name, now_us=len(heads)) as journal:
            journal.begin_epoch(name)
            journal.append(1, entries("a"))
            heads.append(journal.append(2, entries("b", "c")))
            assert list(journal.records()) == list(journal.records())
    assert heads[0] == heads[1]


def test_durable_settings_are_in_force(path: Path, journal: Journal) -> None:
    asked = {name: journal._db.execute(f"PRAGMA {name}").fetchone()[0] for name in SETTINGS}
    assert asked == SETTINGS
    assert path.stat().st_mode & 0o777 == 0o600


SETTINGS = {"journal_mode": "wal", "synchronous": 2, "fullfsync": 1, "checkpoint_fullfsync": 1}


def test_texts_are_kept_once_and_verified(journal: Journal, path: Path) -> None:
    text = Text.of("prompt \udce9")
    assert text.body
    journal.append(1, entries(text.sha256), {text.sha256: text.body})
    journal.append(2, entries(text.sha256), {text.sha256: text.body})
    assert journal.text(text.sha256) == text.body
    assert journal.text("0" * 64) is None
    with pytest.raises(ValueError, match="another hash"):
        journal.append(3, entries("x"), {"0" * 64: "no"})
    assert journal.head.seq == 2
    assert check(path, journal.head) == []


def test_nothing_to_write_is_no_step(journal: Journal) -> None:
    assert journal.append(1, []) == EMPTY


# --- one transaction a step ---------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from topkick.engine.journal import ChainEntry
from topkick.engine.journal.writer import Journal
path = Path(sys.argv[1])
with Journal.open(path, anchor=None) as journal:
    assert sum(1 for _ in journal.records()) == journal.head.seq
    journal.begin_epoch("writer")
    while True:
        size = journal.head.seq % 4 + 1
        head = journal.append(0, [
            ChainEntry("Noted", f"{i}/{size}" + "x" * 900) for i in range(size)
        ])
        print(head.seq, head.chain_hex, flush=True)
"""


@pytest.mark.spec("J1", "J3", "J5")
def test_killed_at_any_moment_it_has_all_that_was_acknowledged(path: Path) -> None:
    Journal.create(path, now_us=0).close()
    chance = random.Random(4)
    last = EMPTY
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout
            for _ in range(chance.randrange(1, 40)):
                line = writer.stdout.readline()
            writer.kill()
            told = b"".join([line, *writer.stdout])
            for whole in told.split(b"\n")[:-1]:  # the last line may have been cut by the kill
                seq, chain = whole.split()
                last = Head(int(seq), chain.decode())
        assert check(path, anchor=last) == []
        assert_whole_steps(path)


def assert_whole_steps(path: Path) -> None:
    steps: dict[int, list[str]] = {}
    for _, step, _, _, _, body in contents(path):
        steps.setdefault(step, []).append(body.rstrip("x"))
    for parts in steps.values():
        assert parts == [f"{i}/{len(parts)}" for i in range(len(parts))]


@pytest.mark.spec("J3")
def test_a_full_disk_leaves_nothing_half_written(path: Path, journal: Journal) -> None:
    journal.append(1, entries("before"))
    letter = post(path, "me", "Stop", "{}", 1)
    (pages,) = journal._db.execute("PRAGMA page_count").fetchone()
    journal._db.execute(f"PRAGMA max_page_count={pages + 1}")
    big = Text.of("x" * 50_000)
    assert big.body
    with pytest.raises(JournalUnavailable, match="full"):
        journal.append(2, entries("a", "b"), {big.sha256: big.body}, {letter: "done"})
    assert [row[5] for row in contents(path)] == ["before"]
    assert answer_of(path, letter) is None
    assert journal.text(big.sha256) is None
    journal._db.execute("PRAGMA max_page_count=1000000")
    journal.append(3, entries("after"))
    assert [row[5] for row in contents(path)] == ["before", "after"]


LIMITED = """
import resource, sys
from pathlib import Path
from topkick.engine.journal import ChainEntry, JournalUnavailable
from topkick.engine.journal.writer import Journal
with Journal.open(Path(sys.argv[1]), anchor=None) as journal:
    journal.begin_epoch("limited")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    try:
        while True:
            head = journal.append(1, [ChainEntry("Noted", "x" * 5000)] * 3)
    except JournalUnavailable as error:
        assert journal.head == head
        print(head.seq, "Nothing was lost" in str(error))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    print(journal.append(2, [ChainEntry("Noted", "after")]).seq)
"""


@pytest.mark.spec("J1", "J3")
def test_a_write_that_the_system_refuses_is_undone_and_can_be_repeated(path: Path) -> None:
    if resource.getrlimit(resource.RLIMIT_FSIZE)[1] != resource.RLIM_INFINITY:
        pytest.skip("this session itself may not write large files")
    Journal.create(path, now_us=0).close()
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, path], capture_output=True, text=True, check=True
    )
    (seq, told), (after,) = (line.split() for line in ran.stdout.splitlines())
    assert told == "True"
    assert int(seq) % 3 == 0
    assert int(after) == int(seq) + 1
    assert len(contents(path)) == int(after)
    assert check(path, None) == []


class Unreliable:
    """A connection whose commits report failure, after or before they took place."""

    def __init__(self, db: sqlite3.Connection, *, commits: bool) -> None:
        self._db, self._commits = db, commits

    def execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        if statement != "COMMIT":
            return self._db.execute(statement, values)
        if self._commits:
            self._db.execute(statement)
        raise sqlite3.OperationalError("disk I/O error")

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)


@pytest.mark.spec("J1", "J3")
def test_a_commit_that_happened_but_reported_failure_counts(path: Path, journal: Journal) -> None:
    real = journal._db
    journal._db = Unreliable(real, commits=True)  # type: ignore[assignment]
    head = journal.append(1, entries("a", "b"))
    assert head.seq == 2
    journal._db = real
    journal.append(2, entries("c"))
    assert [row[5] for row in contents(path)] == ["a", "b", "c"]


@pytest.mark.spec("J1", "J3")
def test_a_commit_that_did_not_happen_can_be_repeated(path: Path, journal: Journal) -> None:
    real = journal._db
    journal._db = Unreliable(real, commits=False)  # type: ignore[assignment]
    with pytest.raises(TopkickError):
        journal.append(1, entries("a", "b"))
    assert journal.head == EMPTY
    journal._db = real
    journal.append(2, entries("c"))
    assert [row[5] for row in contents(path)] == ["c"]


class Blind(Unreliable):
    """A disk that fails a commit and then everything else, until it is well again."""

    def execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        if statement == "COMMIT":
            self._broken = True
            if self._commits:
                self._db.execute(statement)
        if getattr(self, "_broken", False) and statement != "ROLLBACK":
            raise sqlite3.OperationalError("disk I/O error")
        return self._db.execute(statement, values)


@pytest.mark.spec("J1", "J3")
@pytest.mark.parametrize("commits", [True, False])
def test_a_step_in_doubt_is_written_once_when_the_disk_is_well_again(
    path: Path, journal: Journal, commits: bool
) -> None:
    letter = post(path, "me", "Stop", "{}", 1)
    real = journal._db
    journal._db = Blind(real, commits=commits)  # type: ignore[assignment]
    for _ in range(2):
        with pytest.raises(JournalUnavailable, match="disk I/O"):
            journal.append(1, entries("a", "b"), answers={letter: ACCEPTED})
    journal._db = real
    assert journal.append(1, entries("a", "b"), answers={letter: ACCEPTED}).seq == 2
    journal.append(2, entries("c"))
    assert [row[5] for row in contents(path)] == ["a", "b", "c"]
    assert answer_of(path, letter) == ACCEPTED
    assert check(path, journal.head) == []


def test_another_step_does_not_follow_on_one_in_doubt(path: Path, journal: Journal) -> None:
    real = journal._db
    journal._db = Blind(real, commits=True)  # type: ignore[assignment]
    with pytest.raises(JournalUnavailable):
        journal.append(1, entries("a"))
    journal._db = real
    with pytest.raises(JournalUnavailable, match="did succeed"):
        journal.append(1, entries("b"))
    assert [row[5] for row in contents(path)] == ["a"]


# --- the chain ----------------------------------------------------------------------------


def change(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as db:
        assert db.execute(statement, values).rowcount == 1
    db.close()


CHANGES = [
    "UPDATE records SET body = 'B' WHERE seq = 2",
    "UPDATE records SET kind = 'noted' WHERE seq = 2",
    "UPDATE records SET step = 3 WHERE seq = 2",
    "UPDATE records SET epoch = 0 WHERE seq = 2",
    "UPDATE records SET at_us = at_us + 1 WHERE seq = 2",
    "UPDATE records SET at_us = CAST(at_us AS BLOB) WHERE seq = 2",
    "UPDATE records SET body = CAST(body AS BLOB) WHERE seq = 2",
    "UPDATE records SET body = CAST(x'ff' AS TEXT) WHERE seq = 2",
    "UPDATE records SET chain = zeroblob(32) WHERE seq = 2",
    "DELETE FROM records WHERE seq = 2",
    "UPDATE records SET seq = 9 WHERE seq = 2",
]


@pytest.mark.spec("J1")
@pytest.mark.parametrize("statement", CHANGES)
def test_a_changed_row_is_named(path: Path, journal: Journal, statement: str) -> None:
    journal.append(1, entries("a", "b", "c"))
    journal.close()
    change(path, statement)
    with (
        Journal.open(path, anchor=None) as again,
        pytest.raises(
            JournalDamaged, match=r"(?s)record 2 .*journal check.*journal repair"
        ) as caught,
    ):
        list(again.records())
    assert caught.value.exit_code == 5
    assert any("record 2 " in finding for finding in check(path, None))
    with JournalReader(path) as reader, pytest.raises(JournalDamaged):
        list(reader.records())


@pytest.mark.spec("J1")
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_flipped_bit_of_a_body_is_found(data: st.DataObject) -> None:
    bodies = data.draw(st.lists(st.text("ab{}:1", min_size=1), min_size=1, max_size=4))
    seq = data.draw(st.integers(1, len(bodies)))
    raw = bytearray(bodies[seq - 1].encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with TemporaryDirectory() as directory:
        path = Path(directory) / "journal.db"
        with Journal.create(path, now_us=0) as journal:
            journal.begin_epoch("test")
            journal.append(0, entries(*bodies))
        change(path, "UPDATE records SET body = CAST(? AS TEXT) WHERE seq = ?", bytes(raw), seq)
        with JournalReader(path) as reader, pytest.raises(JournalDamaged, match=f"record {seq} "):
            list(reader.records())


@pytest.mark.spec("J1", "J8")
@pytest.mark.parametrize("victim", ["closed", "open", "log"])
def test_a_flipped_bit_of_a_file_never_changes_what_is_read(
    path: Path, journal: Journal, victim: str
) -> None:
    """A sample over the file at rest, and over file and write-ahead log of a killed writer."""
    text = Text.of("p" * 300)
    assert text.body
    journal.append(1, entries("a" * 50, "b" * 50), {text.sha256: text.body})
    anchor = journal.append(2, entries("c" * 50))
    images = {"open": path.read_bytes(), "log": path.with_name("journal.db-wal").read_bytes()}
    journal.close()
    images["closed"] = path.read_bytes()
    chance = random.Random(1)
    seen = {"damaged": 0, "whole": 0}
    for number in range(100):
        broken = bytearray(images[victim])
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        copy = path.with_name(f"{number}.db")
        if victim == "log":
            copy.write_bytes(images["open"])
            copy.with_name(f"{number}.db-wal").write_bytes(broken)
        elif victim == "open":
            copy.write_bytes(broken)
            copy.with_name(f"{number}.db-wal").write_bytes(images["log"])
        else:
            copy.write_bytes(broken)
        seen[outcome(copy, anchor, text)] += 1
    assert seen["whole"] or victim == "log", "free space may be flipped without harm"
    assert seen["damaged"] or victim == "open", "the log's pages cover those of the file"


def outcome(path: Path, anchor: Head, text: Text) -> str:
    try:
        with Journal.open(path, anchor=anchor) as journal:
            bodies = [record.body for record in journal.records()]
            body = journal.text(text.sha256)
    except TopkickError:
        return "damaged"
    assert bodies == ["a" * 50, "b" * 50, "c" * 50]
    assert body in (text.body, None)
    return "whole"


LETTER_CHANGES = [
    'UPDATE inbox SET body = \'{"units":["b"]}\' WHERE id = 2',
    "UPDATE inbox SET sender = 'you' WHERE id = 2",
    "UPDATE inbox SET kind = 'KillAll' WHERE id = 2",
    "UPDATE inbox SET at_us = 9 WHERE id = 2",
    "UPDATE inbox SET step = 0 WHERE id = 2",
    "UPDATE inbox SET outcome = 'accepted', refusal = '' WHERE id = 2",
    "UPDATE inbox SET outcome = NULL, refusal = NULL, step = NULL WHERE id = 1",
    "UPDATE inbox SET outcome = 'refused' WHERE id = 1",
    "DELETE FROM inbox WHERE id = 2",
    "DELETE FROM inbox WHERE id = 1",
    "UPDATE meta SET value = '1' WHERE key = 'posted'",
    "UPDATE meta SET value = '0' WHERE key = 'answered'",
]


@pytest.mark.spec("J3")
@pytest.mark.parametrize("statement", LETTER_CHANGES)
def test_a_changed_letter_is_damage_and_never_another_command(
    path: Path, journal: Journal, statement: str
) -> None:
    first = post(path, "me", "Stop", "{}", 1)
    post(path, "me", "Stop", '{"units":["a"]}', 2)
    journal.append(1, entries("stopping"), answers={first: ACCEPTED})
    journal.close()
    assert check(path, None) == []
    change(path, statement)
    assert check(path, None) != []
    with pytest.raises(JournalDamaged, match="journal repair"):
        Journal.open(path, anchor=None)
    with JournalReader(path) as reader, pytest.raises(JournalDamaged):
        reader.require(None)


@pytest.mark.spec("J1")
def test_a_text_that_a_record_names_and_that_is_not_there_is_found(
    path: Path, journal: Journal
) -> None:
    text = Text.of("prompt")
    journal.append(1, entries("a"), {text.sha256: "prompt"})
    assert check(path, None, lambda _record: [text.sha256]) == []
    change(path, "DELETE FROM texts")
    findings = check(path, None, lambda _record: [text.sha256])
    assert findings == [f"record 1 names text {text.sha256}, which is missing"]


def test_a_file_cut_to_nothing_does_not_cost_its_log(path: Path, journal: Journal) -> None:
    """SQLite takes an empty file for a new one and deletes the log next to it."""
    journal.append(1, entries("a"))
    copy, log = path.with_name("copy.db"), path.with_name("copy.db-wal")
    copy.touch()
    log.write_bytes(path.with_name("journal.db-wal").read_bytes())
    with pytest.raises(JournalDamaged, match="empty"):
        JournalReader(copy)
    assert log.read_bytes() == path.with_name("journal.db-wal").read_bytes()


@pytest.mark.spec("J1")
def test_a_damaged_journal_keeps_its_log_when_it_is_closed(path: Path, journal: Journal) -> None:
    """The last writer to close a file folds the log into it, whatever the log is worth."""
    journal.append(1, entries("a", "b"))
    anchor = journal.append(2, entries("c"))
    copy, log = path.with_name("copy.db"), path.with_name("copy.db-wal")
    copy.write_bytes(path.read_bytes())
    log.write_bytes(path.with_name("journal.db-wal").read_bytes()[:-100])
    before = copy.read_bytes(), log.read_bytes()
    with pytest.raises(JournalDamaged):
        Journal.open(copy, anchor=anchor)
    with Journal.open(copy, anchor=None) as opened:
        assert len(list(opened.records())) == 2
    assert (copy.read_bytes(), log.read_bytes()) == before


@pytest.mark.spec("J8")
def test_a_lost_tail_is_seen_by_the_anchor(path: Path, journal: Journal) -> None:
    early = journal.append(1, entries("a"))
    late = journal.append(2, entries("b"))
    journal.close()
    Journal.open(path, anchor=early).close()
    change(path, "DELETE FROM records WHERE seq = 2")
    assert check(path, early) == []
    assert "lost tail" in check(path, late)[0]
    with pytest.raises(JournalDamaged, match=r"(?s)lost tail.*repair --accept-lost-tail"):
        Journal.open(path, anchor=late)
    with Journal.open(path, anchor=early) as again:
        again.begin_epoch("test")
        again.append(3, entries("other"))
    with pytest.raises(JournalDamaged, match="lost tail"):
        Journal.open(path, anchor=late)


@pytest.mark.spec("J8")
def test_a_write_ahead_log_cut_short_is_a_lost_tail(path: Path, journal: Journal) -> None:
    journal.append(1, entries("a"))
    anchor = journal.append(2, entries("b" * 9000))
    copy = path.with_name("copy.db")
    copy.write_bytes(path.read_bytes())
    log = path.with_name("journal.db-wal").read_bytes()
    copy.with_name("copy.db-wal").write_bytes(log[:-100])
    with pytest.raises(JournalDamaged, match="lost tail"):
        Journal.open(copy, anchor=anchor)
    with Journal.open(copy, anchor=None) as shorter:
        assert [record.body for record in shorter.records()] == ["a"]


@pytest.mark.spec("J1")
def test_a_changed_text_is_damage(path: Path, journal: Journal) -> None:
    text = Text.of("prompt")
    journal.append(1, entries("a"), {text.sha256: "prompt"})
    change(path, "UPDATE texts SET body = 'promp1'")
    with pytest.raises(JournalDamaged, match=text.sha256):
        journal.text(text.sha256)
    assert check(path, None) == [f"text {text.sha256} is not what was written"]


@pytest.mark.spec("J4")
def test_check_finds_epochs_that_fall(path: Path, journal: Journal) -> None:
    journal.append(1, entries("a"))
    journal.begin_epoch("test")
    journal.append(1, entries("b"))
    change(path, "UPDATE meta SET value = '1' WHERE key = 'epoch'")
    assert check(path, None) == ["the journal's epoch is 1, but its last record is of epoch 2"]
    journal._epoch = 1  # a writer without the fence
    journal.append(1, entries("c"))
    assert check(path, None) == ["record 3 is of epoch 1, after one of epoch 2"]


@pytest.mark.spec("J4")
def test_an_epoch_set_back_by_damage_is_not_given_out_twice(path: Path, journal: Journal) -> None:
    journal.begin_epoch("test")
    journal.append(1, entries("a"))
    change(path, "UPDATE meta SET value = '0' WHERE key = 'epoch'")
    assert journal.begin_epoch("test") == 3


# --- epochs -------------------------------------------------------------------------------


@pytest.mark.spec("J4")
def test_a_stale_holder_is_refused(path: Path, journal: Journal) -> None:
    journal.append(1, entries("a"))
    with Journal.open(path, anchor=journal.head) as other:
        assert other.begin_epoch("host:77") == 2
        with pytest.raises(AnotherSupervisor, match="host:77") as caught:
            journal.append(2, entries("stale"))
        assert caught.value.exit_code == 4
        other.append(3, entries("b"))
        with pytest.raises(AnotherSupervisor):
            journal.append(4, entries("stale"))
        with pytest.raises(AnotherSupervisor, match="while this one was starting"):
            journal.begin_epoch("again")
    assert [(row[2], row[5]) for row in contents(path)] == [(1, "a"), (2, "b")]


@pytest.mark.spec("J4")
def test_epochs_only_rise(path: Path, journal: Journal) -> None:
    seen = []
    for number in range(3):
        with Journal.open(path, anchor=None) as other:
            seen.append(other.begin_epoch(str(number)))
    assert seen == [2, 3, 4]


def test_without_an_epoch_nothing_is_written(path: Path, journal: Journal) -> None:
    with Journal.open(path, anchor=None) as other, pytest.raises(ValueError, match="begin_epoch"):
        other.append(1, entries("a"))


@pytest.mark.spec("J4")
def test_a_journal_replaced_under_its_holder_is_left_alone(path: Path, journal: Journal) -> None:
    path.rename(path.with_name("aside.db"))
    with pytest.raises(JournalUnavailable, match="moved, removed or replaced"):
        journal.append(1, entries("a"))


# --- files that are not what they should be -----------------------------------------------


def as_directory(path: Path) -> None:
    path.mkdir()


def as_fifo(path: Path) -> None:
    os.mkfifo(path)


def as_link(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


def as_empty(path: Path) -> None:
    path.touch()


def as_garbage(path: Path) -> None:
    path.write_bytes(random.Random(3).randbytes(20_000))


def as_other_database(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE other(a)")
    db.close()


def cut(share: float) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with Journal.create(path, now_us=0) as journal:
            journal.begin_epoch("test")
            journal.append(0, entries(*["x" * 3000] * 20))
        os.truncate(path, int(path.stat().st_size * share))

    return make


@pytest.mark.spec("J1", "J8")
@pytest.mark.parametrize(
    "make",
    [
        as_directory,
        as_fifo,
        as_link,
        as_empty,
        as_garbage,
        as_other_database,
        *(pytest.param(cut(share), id=f"cut at {share}") for share in (0.01, 0.1, 0.5, 0.9)),
    ],
)
def test_what_is_no_journal_is_damage_and_no_traceback(
    path: Path, make: Callable[[Path], None]
) -> None:
    make(path)
    with pytest.raises(JournalDamaged, match="journal check"), Journal.open(path, anchor=None) as j:
        list(j.records())
    with pytest.raises(JournalDamaged), JournalReader(path) as reader:
        list(reader.records())
    assert check(path, None)


def test_where_nothing_was_started_nothing_is_made(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    for ask in (JournalReader, lambda p: answer_of(p, 1), lambda p: post(p, "me", "Stop", "{}", 1)):
        with pytest.raises(NoJournal, match="topkick start"):
            ask(path)
    with pytest.raises(NoJournal):
        Journal.open(path, anchor=None)
    assert list(tmp_path.iterdir()) == []


def test_a_newer_version_is_refused_with_advice(path: Path, journal: Journal) -> None:
    journal.close()
    change(path, "UPDATE meta SET value = '4' WHERE key = 'schema'")
    for ask in (JournalReader, lambda p: Journal.open(p, anchor=None), lambda p: answer_of(p, 1)):
        with pytest.raises(
            JournalTooNew, match=r"(?s)version 4; this topkick knows up to 3.*Upgrade"
        ):
            ask(path)


@pytest.mark.spec("J3")
def test_a_command_lost_to_damage_is_answered_as_lost(path: Path, journal: Journal) -> None:
    first, second = (post(path, "me", "Stop", "{}", n) for n in (1, 2))
    journal.append(1, entries("stopping"), answers={second: REFUSED})
    journal.close()
    change(path, "UPDATE inbox SET kind = 'KillAll' WHERE id = 1")
    saved = read_what_is_whole(path)
    assert saved.lost_letters == (first,)
    draft = path.with_name("draft.db")
    write_anew(draft, path.parent, saved)
    assert answer_of(draft, first) == QueueAnswer(CommandOutcome.LOST)
    assert answer_of(draft, second) == REFUSED
    assert read_again(draft) == saved, "a second repair finds the same"
    assert check(draft, None) == []


@pytest.mark.spec("J2")
def test_a_journal_from_before_the_first_release_is_refused_with_advice(
    path: Path, journal: Journal
) -> None:
    journal.close()
    change(path, "UPDATE meta SET value = '2' WHERE key = 'schema'")
    for ask in (JournalReader, lambda p: Journal.open(p, anchor=None), lambda p: answer_of(p, 1)):
        with pytest.raises(JournalTooOld, match=r"(?s)version 2.*that began it"):
            ask(path)


def test_a_new_journal_never_takes_the_place_of_another(path: Path, journal: Journal) -> None:
    with pytest.raises(UsageError, match="topkick resume"):
        Journal.create(path, now_us=2)
    path.unlink()
    with pytest.raises(JournalDamaged, match="write-ahead log"):
        Journal.create(path, now_us=2)


def test_leftovers_of_a_creation_that_died_do_no_harm(path: Path) -> None:
    path.with_name("journal.db.new").write_bytes(b"half")
    path.with_name("journal.db.new-wal").write_bytes(b"half")
    with Journal.create(path, now_us=2) as journal:
        journal.begin_epoch("test")
        journal.append(1, entries("a"))
    assert {file.name for file in path.parent.iterdir()} == {"journal.db"}


# --- readers and letters ------------------------------------------------------------------


def test_a_reader_follows_while_the_writer_writes(path: Path, journal: Journal) -> None:
    with JournalReader(path) as reader:
        assert reader.head() == EMPTY
        seen: list[str] = []
        for number in range(5):
            head = journal.append(number, entries(str(number), "x"))
            seen += [record.body for record in reader.records(after_seq=len(seen))]
            assert reader.head() == head
            assert len(seen) == head.seq
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader._db.execute("DELETE FROM records")


def test_a_reader_needs_no_writer(path: Path, journal: Journal) -> None:
    head = journal.append(1, entries("a"))
    journal.close()
    with JournalReader(path) as reader:
        assert reader.head() == head
        assert [record.body for record in reader.records()] == ["a"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_disk_can_be_read_and_says_why_it_cannot_be_written(
    path: Path, journal: Journal
) -> None:
    head = journal.append(1, entries("a"))
    journal.close()
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with JournalReader(path) as reader:
            assert [record.body for record in reader.records()] == ["a"]
        assert check(path, head) == []
        with pytest.raises(JournalUnavailable, match="can be written"):
            post(path, "me", "Stop", "{}", 1)
    finally:
        path.parent.chmod(0o700)


def test_a_letter_is_answered_in_the_step_it_caused(path: Path, journal: Journal) -> None:
    first = post(path, "terminal", "Stop", '{"unit":"U1"}', 5)
    second = post(path, "terminal", "Stop", "{}", 6)
    letters = journal.unanswered()
    assert [(one.id, one.at_us, one.body) for one in letters] == [
        (first, 5, '{"unit":"U1"}'),
        (second, 6, "{}"),
    ]
    journal.append(7, entries("stopping"), answers={first: REFUSED})
    assert answer_of(path, first) == REFUSED
    assert answer_of(path, second) is None
    assert answer_of(path, 99) is None
    with JournalReader(path) as reader:
        assert [one.id for one in reader.unanswered()] == [second]
    with pytest.raises(ValueError, match="does not wait"):
        journal.append(8, entries("twice"), answers={first: ACCEPTED})
    assert journal.head.seq == 1
    with pytest.raises(ValueError, match="at least one record"):
        journal.append(9, [], answers={second: ACCEPTED})
    journal.append(9, entries("nothing to stop"), answers={second: ACCEPTED})
    assert journal.unanswered() == []


POSTER = """
import sys
from pathlib import Path
from topkick.engine.journal import post
for number in range(15):
    print(post(Path(sys.argv[1]), sys.argv[2], "Stop", f"{sys.argv[2]}-{number}", number))
"""


@pytest.mark.spec("J3")
def test_no_letter_of_eight_processes_is_lost_while_the_writer_writes(
    path: Path, journal: Journal
) -> None:
    posters = [
        subprocess.Popen([sys.executable, "-c", POSTER, path, str(n)], stdout=subprocess.PIPE)
        for n in range(8)
    ]
    answered: list[str] = []
    while any(poster.poll() is None for poster in posters) or journal.unanswered():
        letters = journal.unanswered()
        answers = {letter.id: refused(letter.body) for letter in letters}
        journal.append(1, entries(*(letter.body for letter in letters)), answers=answers)
        answered += [letter.body for letter in letters]
    numbers = []
    for poster in posters:
        numbers += [int(line) for line in poster.communicate()[0].split()]
        assert poster.returncode == 0
    assert sorted(answered) == sorted(f"{n}-{k}" for n in range(8) for k in range(15))
    assert len(set(numbers)) == 120
    assert {answer_of(path, n) for n in numbers} == {refused(body) for body in answered}
    assert [row[5] for row in contents(path)] == answered
