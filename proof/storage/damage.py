"""Every way in which the bytes of a file can be wrong, as a numbered list of cases."""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from proof.storage.judge import JOURNAL
from proof.storage.stage import Image

PAGE = 4096
FRAME = PAGE + 24
LOG = f"{JOURNAL}-wal"
INDEX = f"{JOURNAL}-shm"
BOARD = "SUPERVISOR_STATE.md"
STATE = ".git/topkick/main/"
FILE_HEADER, LOG_HEADER, FRAME_HEADER = 100, 32, 24
PATTERNS = (0x01, 0xFF, 0x80, 0x20, 0x10, 0x04, 0x08, 0x40, 0x02)


@dataclass(frozen=True, slots=True)
class Case:
    """The files to write, by path; None removes the file."""

    image: str
    file: str
    what: str
    where: int
    more: int = 0


@dataclass(frozen=True, slots=True)
class Spare:
    """Material for cases besides the image itself: another journal, an older backup."""

    other: Mapping[str, bytes]
    older: Mapping[str, bytes]


def all_cases(images: Iterable[Image], stride: int = 1, seed: int = 1) -> Iterator[Case]:
    """Yield the cases in a fixed order; with a stride only every n-th of each kind."""
    for image in images:
        names = {name for name in image.files if _is_read_back(name)}
        if image.name == "killed":  # as half-way, without the queued command
            names = {LOG}
        for name in sorted(names):
            yield from _thin(_flips(image, name), stride, seed)
            yield from _thin(_cuts(image, name), stride, seed)
            yield from _thin(_tails(image, name), max(1, stride // 8), seed)
        yield from _pages(image, stride, seed)
        yield from _swapped_files(image)


def _is_read_back(name: str) -> bool:
    """Return whether the program reads the file; without HEAD there is no git, and agents' files
    and reports are never read.
    """
    return name != ".git/HEAD" and not name.startswith(("a/", "COMPLETE_"))


def is_header(case: Case) -> bool:
    """Return whether the flip is in what SQLite reads first; a log may contain the file's
    header.
    """
    if case.what != "flip" or case.image == "killed":
        return False
    if case.image == "finished":
        return case.file == JOURNAL and case.where < FILE_HEADER
    return case.file == LOG and case.where < LOG_HEADER + FRAME_HEADER


def _thin(cases: Iterable[Case], stride: int, seed: int) -> Iterator[Case]:
    """Choose cases at random over the file, the same for the same seed."""
    if stride == 1:
        yield from cases
        return
    chance = random.Random(seed)
    yield from (case for case in cases if chance.randrange(stride) == 0)


def _flips(image: Image, name: str) -> Iterator[Case]:
    """Yield one pattern per byte, varying; fewer where bytes hardly matter.

    A log covers its file, an index is rebuilt, and the killed project is the half-way one without
    its queued command.
    """
    covered = name == JOURNAL and bool(image.files.get(LOG))
    every = 16 if name == INDEX else 4 if covered or image.name == "killed" else 1
    for place in range(0, len(image.files[name]), every):
        pattern = PATTERNS[(place * 7 + place // PAGE) % len(PATTERNS)]
        yield Case(image.name, name, "flip", place, pattern)


def _cuts(image: Image, name: str) -> Iterator[Case]:
    size = len(image.files[name])
    coarse = name in (JOURNAL, LOG, INDEX)
    lengths = set(range(0, size, 16 if coarse else 1)) | set(range(0, size, PAGE))
    if name == LOG:
        lengths |= {32 + n for n in range(0, size - 32, FRAME)}
    for length in sorted(lengths):
        if length < size:
            yield Case(image.name, name, "cut", length)


def _tails(image: Image, name: str) -> Iterator[Case]:
    for length in (1, 7, 24, 100, 4096, 4120, 10_000):
        for seed in range(2):
            yield Case(image.name, name, "append", length, seed)
    yield Case(image.name, name, "remove", 0)
    yield Case(image.name, name, "zeros", 0)


def _pages(image: Image, stride: int, seed: int) -> Iterator[Case]:
    for name, size, first in ((JOURNAL, PAGE, 0), (LOG, FRAME, 32)):
        count = max(0, len(image.files.get(name, b"")) - first) // size
        for one in range(count):
            yield Case(image.name, name, "zero page", first + one * size, size)
            yield Case(image.name, name, "noise page", first + one * size, size)
        pairs = [(a, b) for a in range(count) for b in range(count) if a != b]
        for a, b in pairs:
            what = "swap pages" if a < b else "copy page"
            yield Case(image.name, name, what, first + a * size, first + b * size)


def _swapped_files(image: Image) -> Iterator[Case]:
    yield Case(image.name, LOG, "other log", 0)
    yield Case(image.name, JOURNAL, "other journal", 0)
    yield Case(image.name, JOURNAL, "older backup", 0)
    yield Case(image.name, JOURNAL, "older backup without its log", 0)
    yield Case(image.name, JOURNAL, "all gone", 0)
    for page in range(len(image.files[JOURNAL]) // PAGE):
        yield Case(image.name, JOURNAL, "older page", page * PAGE)


def damaged(case: Case, files: Mapping[str, bytes], spare: Spare) -> dict[str, bytes | None]:
    """Return the files that differ from the image."""
    data = files.get(case.file, b"")
    match case.what:
        case "flip":
            changed = bytearray(data)
            changed[case.where] ^= case.more
            return {case.file: bytes(changed)}
        case "cut":
            return {case.file: data[: case.where]}
        case "append":
            noise = random.Random(case.more).randbytes(case.where)
            return {case.file: data + (noise if case.more else bytes(case.where))}
        case "remove":
            return {case.file: None}
        case "zeros":
            return {case.file: bytes(len(data))}
        case "zero page" | "noise page":
            noise = bytes(case.more)
            if case.what == "noise page":
                noise = random.Random(case.where).randbytes(case.more)
            return {case.file: data[: case.where] + noise + data[case.where + case.more :]}
        case "swap pages" | "copy page":
            size = PAGE if case.file == JOURNAL else FRAME
            return {case.file: _moved(data, case.where, case.more, size, case.what)}
        case "other log":
            return {LOG: spare.other.get(LOG)}
        case "other journal":
            return {JOURNAL: spare.other[JOURNAL], LOG: spare.other.get(LOG)}
        case "older backup":
            return {JOURNAL: spare.older[JOURNAL], LOG: spare.older.get(LOG)}
        case "older backup without its log":
            return {JOURNAL: spare.older[JOURNAL], LOG: None}
        case "older page":
            return {JOURNAL: _with_page(data, spare.older[JOURNAL], case.where)}
        case "all gone":
            return {JOURNAL: None, LOG: None, INDEX: None}
    raise ValueError(case.what)


def _moved(data: bytes, a: int, b: int, size: int, what: str) -> bytes:
    changed = bytearray(data)
    if what == "swap pages":
        changed[a : a + size] = data[b : b + size]
    changed[b : b + size] = data[a : a + size]
    return bytes(changed)


def _with_page(data: bytes, older: bytes, where: int) -> bytes:
    page = older[where : where + PAGE] or data[where : where + PAGE]
    return data[:where] + page + data[where + PAGE :]
