"""The corruption campaign: every case on a copy in memory, judged, and counted by file."""

import multiprocessing
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from proof.storage import stage
from proof.storage.damage import (
    BOARD,
    INDEX,
    JOURNAL,
    LOG,
    STATE,
    Case,
    Spare,
    all_cases,
    damaged,
    is_header,
)
from proof.storage.judge import BAD, Judge, Outcome, Tally
from proof.storage.stage import Image
from topkick.engine.journal import JournalReader

STORIES_KEPT = 5
CHECK_EVERY = 7


@dataclass(frozen=True, slots=True)
class Material:
    """Two real states of a project, and the pieces that they may be mixed with."""

    images: tuple[Image, ...]
    spare: Spare


def prepare(place: Path, *, quick: bool = False) -> Material:
    """Prepare the material; with `quick` the finished run is the other journal too."""
    finished = stage.finished(place / "one")
    killed, half_way = stage.half_way(place / "two")
    other = finished if quick else stage.half_way(place / "other")[1]
    return Material((finished, half_way, killed), Spare(other.files, _older(place, half_way)))


def _older(place: Path, image: Image) -> dict[str, bytes]:
    """Return the journal some steps earlier, as a backup taken then would be."""
    root = place / "older"
    image.write(root)
    with JournalReader(root / JOURNAL) as reader:  # leaves the log as it is
        assert reader.head().seq > 4
    log = image.files[LOG]
    frames = (len(log) - 32) // 4120
    return {JOURNAL: image.files[JOURNAL], LOG: log[: 32 + 4120 * (frames // 2)]}


def kind_of(name: str) -> str:
    """Return the file's name in the figures: run directories have names of their own."""
    if name == INDEX:
        return "journal.db-shm"
    if name.startswith(STATE):
        return Path(name).name
    return name


class Bench:
    """One project in memory on which one case after the other is tried."""

    def __init__(self, root: Path, image: Image, spare: Spare) -> None:
        self._root = root
        self._image = image
        self._spare = spare
        self._tried = 0
        image.write(root)
        self._judge = Judge(root)
        self._restore(image.files)

    def try_out(self, case: Case) -> Outcome:
        self._tried += 1
        changed = damaged(case, self._image.files, self._spare)
        for name, data in changed.items():
            if data is None:
                (self._root / name).unlink(missing_ok=True)
            else:
                (self._root / name).write_bytes(data)
        if case.file != INDEX:
            (self._root / INDEX).unlink(missing_ok=True)
        outcome = self._ask(case)
        self._restore(changed)
        return outcome

    def _ask(self, case: Case) -> Outcome:
        if case.file in (JOURNAL, LOG, INDEX, BOARD):
            return self._judge.journal(with_check=self._tried % CHECK_EVERY == 0)
        if "/runs/" in case.file:
            return self._judge.run_file(removed=case.what == "remove")
        return self._judge.small_file()

    def _restore(self, names: Iterable[str]) -> None:
        for name in (*names, JOURNAL, LOG, INDEX):
            path = self._root / name
            if name in self._image.files and name != INDEX:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self._image.files[name])
            else:
                path.unlink(missing_ok=True)


def work(
    material: Material, cases: Iterable[Case], place: Path, *, until_bad: bool = False
) -> Tally:
    tally = Tally()
    benches: dict[str, Bench] = {}
    for image in material.images:
        benches[image.name] = Bench(place / image.name, image, material.spare)
    for case in cases:
        outcome = benches[case.image].try_out(case)
        tally.seen[kind_of(case.file), outcome.name] += 1
        if outcome.code:
            tally.codes[outcome.code] += 1
        if outcome.name in BAD and len(tally.stories) < STORIES_KEPT:
            tally.stories.append(f"{outcome.name}: {case}\n{outcome.story}")
        if until_bad and outcome.name in BAD:
            break
    return tally


def _work_apart(given: tuple[Material, Sequence[Case]]) -> Tally:
    with stage.scratch() as place:
        return work(*given, place)


def _leave_it_to_us() -> None:
    """Ignore Ctrl-C, which reaches every process of the terminal; one of them ends the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def chosen(material: Material, stride: int, seed: int, limit: int | None) -> list[Case]:
    cases = list(all_cases(material.images, stride, seed))
    if limit is not None and len(cases) > limit:
        cases = random.Random(seed).sample(cases, limit)
    return cases


def every_nth(material: Material, stride: int) -> list[Case]:
    """Return the same places every time, and every byte of the headers that SQLite reads.

    The stride should be a prime: then it hits pages, frames and records at different places.
    """
    cases = list(all_cases(material.images))
    return [c for n, c in enumerate(cases) if n % stride == 0 or is_header(c)]


def run(jobs: int, stride: int, seed: int, limit: int | None) -> Tally:
    with stage.scratch() as place:
        material = prepare(place)
        cases = chosen(material, stride, seed, limit)
        size = max(1, min(500, len(cases) // (4 * jobs) + 1))
        rest = iter(cases)
        batches = [(material, batch) for batch in iter(lambda: list(islice(rest, size)), [])]
        tally, done = Tally(), 0
        with multiprocessing.get_context("fork").Pool(jobs, _leave_it_to_us) as pool:
            for part, (_, batch) in zip(pool.imap(_work_apart, batches), batches, strict=True):
                tally.add(part)
                done += len(batch)
                for story in part.stories:
                    print(story, flush=True)
                sys.stderr.write(f"\r{done}/{len(cases)} cases, {tally.bad()} bad ")
                sys.stderr.flush()
        sys.stderr.write("\n")
    return tally


def report(tally: Tally) -> None:
    outcomes = sorted({outcome for _, outcome in tally.seen})
    print(f"{'file':<22}{'cases':>8}" + "".join(f"{o:>16}" for o in outcomes))
    totals: Counter[str] = Counter()
    for name in sorted({name for name, _ in tally.seen}):
        row = [tally.seen[name, outcome] for outcome in outcomes]
        totals.update(dict(zip(outcomes, row, strict=True)))
        print(f"{name:<22}{sum(row):>8}" + "".join(f"{n:>16}" for n in row))
    codes = ", ".join(f"{code}: {n}" for code, n in sorted(tally.codes.items()))
    bad = ", ".join(f"{totals[name]} {name.lower()}" for name in BAD)
    print(f"corruption: {sum(totals.values())} cases, exit codes of refusals {codes}; {bad}")
