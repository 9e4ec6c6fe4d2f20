"""The repairs of a journal that a user can request; none of them deletes anything."""

from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from topkick.app.assemble import render_board
from topkick.app.clock import now_us
from topkick.app.project import Project, stamp
from topkick.app.run_view import begin_anew, journal_check, read_anchor, texts_named
from topkick.app.state_dir.lock import ProjectLock
from topkick.engine.codec.chain import Head
from topkick.engine.errors import JournalDamaged, UsageError
from topkick.engine.io import crash_points
from topkick.engine.io.files import fsync_dir, read_plain, replace_atomically
from topkick.engine.journal import (
    SALVAGED,
    JournalReader,
    beside,
    is_cut_off,
    note_posted,
    require_plain,
)
from topkick.engine.journal.checkup import check
from topkick.engine.journal.salvage import Salvage, read_again, read_what_is_whole, write_anew
from topkick.engine.loop import replay
from topkick.runner.run_dir import describe

ALIVE = frozenset({"claimed", "running", "orphaned"})
LARGEST_COPY_BYTES = 4 << 30
DAMAGED = "damaged-"


@dataclass(frozen=True, slots=True)
class Repaired:
    """The result; `lost_records` is None if the number is unknown."""

    head: Head
    lost_records: int | None
    lost_letters: int
    lost_texts: int
    lost_commands: tuple[str, ...]
    kept_aside: Path | None


def accept_lost_tail(project: Project) -> Repaired:
    """Write the present head to the state file again; only for an intact journal."""
    with ProjectLock(project.state_dir).acquire(now_us()):
        problems = check(project.journal_path, None, count_letters=False)
        if problems:
            raise JournalDamaged(
                "The journal is damaged, not only shorter than it was. Nothing was changed:\n"
                + "\n".join(problems)
                + "\nRestore it from a backup, or keep the records before the damage: "
                "topkick journal repair --salvage"
            )
        _require_no_agent(project)
        with JournalReader(project.journal_path) as reader:
            lost_records = _lost_records(project, reader.head())
        head = _show_what_is_there(project)
        note_posted(project.journal_path, 0)  # last: until then, letters are missed
    return Repaired(head, lost_records, 0, 0, (), None)


def salvage(project: Project) -> Repaired:
    """Continue from the records before the damage; keep a copy of the damaged files."""
    with ProjectLock(project.state_dir).acquire(now_us()):
        if is_cut_off(project.journal_path):
            aside = _aside_of_before(project)
            _put_in_place(project, aside)
            saved = read_again(project.journal_path)
        else:
            aside, saved = _save(project)
            _put_in_place(project, aside)
        lost_records = _lost_records(project, saved.head)
        note_posted(project.journal_path, 0)
        head = _show_what_is_there(project)
    return Repaired(
        head=head,
        lost_records=lost_records,
        lost_letters=len(saved.lost_letters),
        lost_texts=len(_missing(saved)),
        lost_commands=_lost_commands(saved),
        kept_aside=aside,
    )


def _require_no_agent(project: Project) -> None:
    """Raise if an agent of the lost records is alive: a second one would work next to it."""
    try:
        runs = sorted(project.runs.iterdir())
    except OSError:
        return
    alive = [p.name for p in runs if p.is_dir() and describe(p).state in ALIVE]
    if alive:
        raise UsageError(
            f"Agents still work ({', '.join(alive)}), and the journal may have lost their "
            "records.\n"
            "Nothing was repaired. Wait until they end, or end them: topkick killall\n"
            "Then repair the journal again."
        )


def _lost_records(project: Project, head: Head) -> int | None:
    seen = read_anchor(project)
    return max(0, seen.seq - head.seq) if seen is not None else None


def _show_what_is_there(project: Project) -> Head:
    """Write the journal's head to the state file again."""
    with JournalReader(project.journal_path) as reader:
        mission = replay(reader.records())
        head = reader.head()
    text = render_board(project, mission, head).encode("utf-8", "replace")
    replace_atomically(project.board_path, text, mode=0o644)
    return head


# --- salvage -------------------------------------------------------------------------------


def _save(project: Project) -> tuple[Path, Salvage]:
    """Write a journal of the intact records; return the directory with the damaged one."""
    if not journal_check(project):
        raise UsageError("The journal is whole, so there is nothing to repair.")
    require_plain(project.journal_path)
    _require_no_agent(project)
    aside = _copy_aside(project)
    saved = _with_prompts(project, read_what_is_whole(aside / project.journal_path.name))
    if replay(saved.records).plan is None:
        raise JournalDamaged(
            "No record of the journal can be saved: the first ones are damaged. No repair was "
            "made.\n"
            f"A copy of the damaged files: {aside}\n"
            "Restore the journal from a backup, then: topkick journal repair "
            f"--accept-lost-tail\nOr begin anew: {begin_anew(project)}"
        )
    draft = beside(project.journal_path, ".new")
    write_anew(draft, project.current, saved)
    crash_points.here("repair.before-ready")
    draft.rename(beside(project.journal_path, SALVAGED))
    fsync_dir(project.current)
    crash_points.here("repair.after-ready")
    return aside, saved


def _copy_aside(project: Project) -> Path:
    """Copy all files of the journal, synced, before any of them is changed."""
    project.archive.mkdir(mode=0o700, exist_ok=True)
    aside = project.archive / f"{DAMAGED}{stamp(now_us())}-{token_hex(2)}"
    aside.mkdir(mode=0o700)
    files = [beside(project.journal_path, suffix) for suffix in ("", "-wal")]
    for file in (*files, project.board_path):
        try:
            data = read_plain(file, LARGEST_COPY_BYTES)
        except OSError:
            continue
        replace_atomically(aside / file.name, data)
    fsync_dir(project.archive)
    return aside


def _aside_of_before(project: Project) -> Path:
    """Return where an interrupted salvage put its copies: their names sort by time."""
    return max(project.archive.glob(f"{DAMAGED}*"), default=None) or _copy_aside(project)


def _with_prompts(project: Project, saved: Salvage) -> Salvage:
    """Add prompts that the journal lost from the run directories.

    Without the prompt of an open order neither the order nor anything after it can be kept.
    """
    texts = dict(saved.texts)
    for run in replay(saved.records).runs.values():
        if run.dispatch is not None and run.dispatch.prompt.sha256 not in texts:
            with suppress(OSError):
                body = read_plain(project.runs / run.id / "prompt", LARGEST_COPY_BYTES)
                texts[sha256(body).hexdigest()] = body
    saved = replace(saved, texts=texts)
    open_runs = [run.dispatch for run in replay(saved.records).runs.values()]
    needed = {d.prompt.sha256 for d in open_runs if d is not None} - texts.keys()
    for record in saved.records:
        if needed & set(texts_named(record)):
            return saved.before_step(record.step)
    return saved


def _missing(saved: Salvage) -> set[str]:
    return {sha for record in saved.records for sha in texts_named(record)} - saved.texts.keys()


def _lost_commands(saved: Salvage) -> tuple[str, ...]:
    """Return commands that were carried out in a step that is lost."""
    lost = [x for x in saved.letters if x.step is not None and x.step > saved.step]
    return tuple(f"{letter.kind} ({letter.sender})" for letter in lost)


def _put_in_place(project: Project, aside: Path) -> None:
    """Replace the journal; the old log goes first, or SQLite would apply it to the new file.

    Copies of both are kept. No process opens the journal meanwhile, because a salvaged one is next
    to it.
    """
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            old = beside(project.journal_path, suffix)
            old.rename(aside / f"replaced-{old.name}")
    crash_points.here("repair.before-publish")
    beside(project.journal_path, SALVAGED).rename(project.journal_path)
    fsync_dir(project.current)
    crash_points.here("repair.after-publish")
