"""Find work that depends on files outside the repository: it may pass here and nowhere else."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from topkick.core.evidence import Finding, FindingKind
from topkick.inspection.change import SYMLINK_MODE, Change
from topkick.inspection.comparing.reading import words

LITERAL = re.compile(r"""["'`]([^"'`\n]{1,300})["'`]""")
BARE = re.compile(r"""(?:^|[\s=(:,<>&|;])((?:/[\w.@+-]+){2,})""")
AT_HOME = re.compile(
    r"home\(\)|expanduser|HOME\b|homedir\(\)|UserHomeDir|home_dir\(\)|homeDirectory|~/"
)
SYSTEM = ("/bin/", "/dev/", "/etc/", "/lib", "/opt/", "/proc/", "/run/", "/sbin/", "/sys/", "/usr/")
ANYBODYS = ("/dev/shm/", "/var/folders/", "/var/tmp/")  # noqa: S108
RECORDS = words(
    """
    adoc css csv err gif ico jpeg jpg lock log markdown md mdx out pdf png po rst scss sum svg tap
    trace tsv txt webp
    """
)
"""Texts, tables, pictures and logs: no check executes them or reads settings from them."""
MOST_LINES = 20_000
MOST_FINDINGS = 10


def leanings(changes: tuple[Change, ...], home: str, since_s: float) -> Iterator[Finding]:
    """Yield links that leave the repository, and files elsewhere that new lines name.

    A file in the home directory is reported only if it was written since the order.
    """
    found = (f for change in changes for f in _of_change(change, home, since_s))
    for number, finding in enumerate(found):
        if number < MOST_FINDINGS:
            yield finding


def _of_change(change: Change, home: str, since_s: float) -> Iterator[Finding]:
    after = change.after
    if after is None or _is_record(after.path):
        return
    if after.mode == SYMLINK_MODE:
        target = os.fsdecode(after.data)
        was = change.before is not None and change.before.data == after.data
        if not was and _leaves(after.path, target):
            told = f"{after.path} is a link that leaves the repository: {target}"
            yield _finding(told, after.path, 1, target)
        return
    for line, text in _added(change):
        for path in _named(text, home):
            if _is_there(path, home, since_s):
                told = f"{after.path} uses a file that is not part of the repository: {path}"
                yield _finding(told, after.path, line, path)


def _is_record(path: str) -> bool:
    """Decide by the suffix, even before a number: `run.log`, `run.log.1`."""
    *_, last = ("", *(part for part in PurePosixPath(path).suffixes if not part[1:].isdigit()))
    return last[1:].lower() in RECORDS


def _finding(told: str, file: str, line: int, subject: str) -> Finding:
    return Finding(FindingKind.LEANS_OUTSIDE, told, file, line, subject, subject)


def _leaves(path: str, target: str) -> bool:
    if target.startswith("/"):
        return True
    depth = 0
    for part in (PurePosixPath(path).parent / target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def _added(change: Change) -> Iterator[tuple[int, str]]:
    assert change.after is not None
    before = Counter(change.before.text.split("\n") if change.before is not None else ())
    for number, line in enumerate(change.after.text.split("\n")[:MOST_LINES], start=1):
        if before[line]:
            before[line] -= 1
        elif "/" in line or AT_HOME.search(line):
            yield number, line


def _named(text: str, home: str) -> Iterator[str]:
    literals = LITERAL.findall(text)
    yield from (w for w in (*literals, *BARE.findall(text)) if w.startswith("/"))
    if home and AT_HOME.search(text):
        parts = [w.removeprefix("~/").strip("/") for w in literals]
        yield from (f"{home}/{part}" for part in parts if part)
        yield f"{home}/{'/'.join(parts)}"


def _is_there(path: str, home: str, since_s: float) -> bool:
    plain = os.path.normpath(path)
    if plain.startswith((*SYSTEM, "/var/")) and not plain.startswith(ANYBODYS):
        return False
    try:
        found = Path(plain).stat()
        is_directory = Path(plain).is_dir()
    except (OSError, ValueError):
        return False
    at_home = bool(home) and plain.startswith(f"{home}/")
    is_new = since_s > 0 and found.st_ctime >= since_s
    return not is_directory and (not at_home or is_new)
