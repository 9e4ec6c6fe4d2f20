"""Fingerprint the programs that checks run, to notice that one was replaced.

Agents may write wherever their user may. A program on PATH that is replaced between order and
check, or a line that every Python executes at its start, could decide the check.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from topkick.engine.io.files import read_plain

WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
MOST_BYTES = 1 << 22
SHEBANG_BYTES = 256
ON_START = ("sitecustomize.py", "usercustomize.py")
INSTALLERS = ("__editable__", "_virtualenv", "distutils-precedence", "easy-install")


def tools_of(commands: Iterable[str], path: str, home: str) -> tuple[str, ...]:
    """Return a fingerprint of each program that the commands may name, and of each Python behind
    them.
    """
    words = {word for command in commands for word in WORD.findall(command)}
    found = {name: shutil.which(name, path=path) for name in sorted(words)}
    programs = {name: Path(place) for name, place in found.items() if place is not None}
    sites = dict.fromkeys(site for place in programs.values() for site in _sites(place))
    of_user = Path(home, ".local", "lib").glob("python3*/site-packages") if home else ()
    starts = [(site, _on_start(site)) for site in (*sites, *sorted(of_user))]
    return (
        *(f"{name}\t{place}\t{_digest(place)}" for name, place in programs.items()),
        *(f"what Python runs at its start\t{site}\t{what}" for site, what in starts if what),
    )


def changed_tools(before: tuple[str, ...], now: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield name, path and fingerprint of each program that changed; one not known before is
    skipped.
    """
    known = {tuple(mark.split("\t")[:2]): mark for mark in before}
    names = {mark.partition("\t")[0] for mark in before}
    for mark in now:
        name, place = mark.split("\t")[:2]
        same = known.get((name, place)) == mark
        if before and not same and (name in names or " " in name):
            yield name, place, mark


def _digest(place: Path) -> str:
    try:
        size = place.stat().st_size
        if size > MOST_BYTES:
            return f"{size}-{place.stat().st_mtime_ns}"
        return sha256(read_plain(place, MOST_BYTES, follow_links=True)).hexdigest()[:16]
    except OSError:
        return "unreadable"


def _sites(program: Path) -> Iterator[Path]:
    """Yield the site-packages of the Python that the program is, or is run by."""
    interpreter = program if program.name.startswith("python") else _interpreter(program)
    if interpreter is None:
        return
    for prefix in dict.fromkeys((interpreter.parent.parent, interpreter.resolve().parent.parent)):
        yield from sorted(prefix.glob("lib/python3*/site-packages"))


def _interpreter(program: Path) -> Path | None:
    try:
        first = read_plain(program, SHEBANG_BYTES, follow_links=True).split(b"\n", 1)[0]
    except OSError:
        return None
    words = first.removeprefix(b"#!").split() if first.startswith(b"#!") else []
    if not words or b"python" not in words[-1]:
        return None
    found = shutil.which(os.fsdecode(words[-1]))
    return Path(found) if found is not None else None


def _on_start(site: Path) -> str:
    """Return a hash over the files that Python executes at its start; `.pth` lines that only add
    paths don't count.
    """
    links = [f for f in sorted(site.glob("*.pth")) if not f.name.startswith(INSTALLERS)]
    run = [f for f in links if b"import" in _bytes(f)]
    run += [site / name for name in ON_START if (site / name).exists()]
    parts = b"\0".join(f.name.encode() + b"\0" + _bytes(f) for f in run)
    return sha256(parts).hexdigest()[:16] if run else ""


def _bytes(file: Path) -> bytes:
    try:
        return read_plain(file, MOST_BYTES, follow_links=True)
    except OSError:
        return b""


def editable_paths(path: str) -> tuple[str, ...]:
    """Return directories that Pythons on PATH import from because of an editable installation."""
    pythons = [shutil.which(name, path=path) for name in ("python3", "python", "pytest")]
    sites = dict.fromkeys(s for p in pythons if p is not None for s in _sites(Path(p)))
    lines = [
        os.fsdecode(line.strip())
        for site in sites
        for file in sorted(site.glob("*.pth"))
        for line in _bytes(file).splitlines()
    ]
    return tuple(dict.fromkeys(line for line in lines if line.startswith("/")))
