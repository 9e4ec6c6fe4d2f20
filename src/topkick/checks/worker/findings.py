"""Collect findings against work whose checks pass (VF-03): from git, test counts and tools."""

import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import pygit2

from topkick.checks.model import CheckResult, Finding, FindingKind
from topkick.checks.request import LookRequest
from topkick.checks.tool_marks import changed_tools
from topkick.checks.worker.plan_changes import same_plan
from topkick.git.read.changes import (
    changes_between,
    follows,
    merged_from,
    opened,
    ours_in,
    unchanged,
)
from topkick.git.read.repository import UNBORN, NotCounted, branch_of
from topkick.inspection.change import SYMLINK_MODE, AcceptedText, FileChange
from topkick.inspection.compare.comparison import Inspection, inspect
from topkick.inspection.compare.paths import named_paths
from topkick.inspection.compare.reader import words
from topkick.inspection.languages.common.testfiles import is_test_file

# --- files outside the repository --------------------------------------------------------------
# Find work that depends on them: it may pass here and nowhere else.

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


def leanings(changes: tuple[FileChange, ...], home: str, since_s: float) -> Iterator[Finding]:
    """Yield links that leave the repository, and files elsewhere that new lines name.

    A file in the home directory is reported only if it was written since the order.
    """
    found = (f for change in changes for f in _of_change(change, home, since_s))
    for number, finding in enumerate(found):
        if number < MOST_FINDINGS:
            yield finding


def _of_change(change: FileChange, home: str, since_s: float) -> Iterator[Finding]:
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


def _added(change: FileChange) -> Iterator[tuple[int, str]]:
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


INSPECTION_LIMIT_S = 60.0
LOST_TESTS = (FindingKind.TEST_REMOVED, FindingKind.TEST_SKIPPED)


@dataclass(frozen=True, slots=True)
class Inspected:
    """The findings; `suspicions` become findings unless the tests as they were (`earlier`) pass
    too.
    """

    findings: tuple[Finding, ...] = ()
    suspicions: tuple[Finding, ...] = ()
    earlier: tuple[tuple[str, bytes], ...] = ()
    unread: tuple[str, ...] = ()


def inspected(look: LookRequest, head: str, missions: Sequence[tuple[Path, str]]) -> Inspected:
    """Inspect all changes since the sprint was first dispatched.

    `missions` are the user's repositories, each with the commit at which topkick left the branch
    that units are merged into.
    """
    repo, base = opened(Path(look.directory)), look.compare.base
    if repo is None or base is None or head == UNBORN:
        return Inspected()
    here = tuple(_history(look, repo, base, head))
    if base != UNBORN and base not in repo:
        return Inspected(here)
    top = Path(repo.workdir).resolve()
    merged = (merged_from(repo, head, main, tip) for main, tip in missions)
    beside = tuple(commit for commit in merged if commit)
    not_ours = tuple(_inside(look, top, look.not_ours))
    is_ours = ours_in(top, Path(look.project))
    changed = changes_between(repo, base, head, beside=beside, not_in=not_ours)
    changes = tuple(c for c in changed if not _is_all(c, is_ours))
    plan = next(_inside(look, top, (look.plan_file,)), "")
    asked = AcceptedText((*look.checks, *look.always), look.asked, plan)
    found = _inspect((*changes, *unchanged(repo, head, changes)), asked, head)
    beside_it = tuple(_beside_the_point(look, top, changes))
    since_s = look.since_us / 1e6
    outside = tuple(leanings(changes, look.env.get("HOME", ""), since_s))
    return Inspected(
        (*here, *found.findings, *outside, *beside_it),
        found.suspicions,
        tuple(_as_they_were(changes, found)),
        found.unread,
    )


def _is_all(change: FileChange, is_ours: Callable[[str], bool]) -> bool:
    return all(is_ours(file.path) for file in (change.before, change.after) if file is not None)


def not_counted(look: LookRequest) -> NotCounted:
    """Return the changes in a commit that don't count as the agent's work in its own directory."""
    repo = opened(Path(look.directory))
    if repo is None or repo.is_bare:
        return NotCounted()
    top = Path(repo.workdir).resolve()
    others = tuple(_inside(look, top, look.not_ours))
    plan = next(_inside(look, top, look.own_files[:1]), "")
    return NotCounted(ours_in(top, Path(look.project)), others, plan, same_plan)


class _TooLong(Exception):
    """The change takes too long to read, perhaps on purpose."""


def _inspect(changes: tuple[FileChange, ...], asked: AcceptedText, head: str) -> Inspection:
    def give_up(_signal: int, _frame: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, INSPECTION_LIMIT_S)
    try:
        return inspect(changes, asked)
    except _TooLong:
        told = f"inspecting the change takes over {INSPECTION_LIMIT_S:.0f} s; look at it yourself"
        return Inspection((Finding(FindingKind.CHECK_CHANGED, told, seen=head),))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _history(look: LookRequest, repo: pygit2.Repository, base: str, head: str) -> Iterator[Finding]:
    if not follows(repo, head, base):
        yield Finding(
            FindingKind.HISTORY_REWRITTEN,
            f"the commit from which the order began ({base[:10]}) is no longer in the history",
            seen=head,
        )
    was, now = look.compare.branch, branch_of(repo)
    shared = look.ours is None or look.ours.isolation is None
    if shared and was and was != now and not look.commit:
        on = f"on {now}" if now else "on no branch"
        yield Finding(
            FindingKind.OTHER_BRANCH,
            f"the work is {on}; the order was given on {was}",
            subject=was,
            seen=now,
        )


def _inside(look: LookRequest, top: Path, paths: Iterable[str]) -> Iterator[str]:
    """Convert paths from the project's root to paths from the repository's top."""
    for path in paths:
        place = (Path(look.project) / path).resolve()
        if path and place.is_relative_to(top) and place != top:
            yield place.relative_to(top).as_posix()


def _beside_the_point(
    look: LookRequest, top: Path, changes: tuple[FileChange, ...]
) -> Iterator[Finding]:
    """Report a change that touches none of the files that the sprint names."""
    asked = look.asked
    for command in (*look.checks, *look.always):
        asked = asked.replace(command, "")  # a file in a check need not be part of the task
    named = [path for path in named_paths(asked) if path != look.plan_file]
    if not named or not changes:
        return
    touched = {path for c in changes for f in (c.before, c.after) if f for path in (f.path,)}
    inside = {*named, *_inside(look, top, named), *_inside(look, top, _below(look, named))}
    if any(_touches(path, touched) for path in inside):
        return
    shown = ", ".join(named[:3])
    yield Finding(
        FindingKind.BESIDE_THE_POINT,
        f"none of the files that the sprint names was touched ({shown})",
        seen=" ".join(sorted(touched)[:20]),
    )


def _below(look: LookRequest, named: Iterable[str]) -> Iterator[str]:
    return (f"{look.inside}/{path}" for path in named)


def _touches(path: str, touched: set[str]) -> bool:
    path = path.strip("/").removeprefix("./")
    return any(t == path or t.startswith(f"{path}/") or t.endswith(f"/{path}") for t in touched)


def _as_they_were(
    changes: tuple[FileChange, ...], found: Inspection
) -> Iterator[tuple[str, bytes]]:
    """Yield the old test files; none if tests and code share a file, which would restore old
    code.
    """
    wanted = set(found.replaced)
    if not all(is_test_file(path) for path in wanted):
        return
    for change in changes:
        if change.before is not None and change.before.path in wanted and change.before.is_plain:
            yield change.before.path, change.before.data


# --- counts and tools ----------------------------------------------------------------------


def fewer_tests(
    look: LookRequest, results: tuple[CheckResult, ...], findings: tuple[Finding, ...]
) -> Iterator[Finding]:
    """Report that fewer tests ran than before, unless the plan permits the loss."""
    before = {c.command: c.counts for c in look.compare.counts}
    permitted = next((f.permitted for f in findings if f.permitted and f.kind in LOST_TESTS), "")
    for result in results:
        was, now = before.get(result.command), result.counts
        if was is not None and now is not None and now.ran < was.ran:
            yield Finding(
                FindingKind.FEWER_TESTS,
                f"`{result.command}` ran {now.ran} of the {was.ran} tests that it ran before",
                subject=result.command,
                seen=f"{now.ran}",
                permitted=permitted,
            )


def other_tools(look: LookRequest, now: tuple[str, ...]) -> Iterator[Finding]:
    """Report tools that changed between order and check; a later check of a commit may have
    others.
    """
    if look.commit:
        return
    for name, place, mark in changed_tools(look.compare.tools, now):
        yield Finding(
            FindingKind.TOOL_CHANGED,
            f"{name} changed since the order began: {place}",
            file=place,
            subject=name,
            seen=mark,
        )


def confirmed(suspicions: tuple[Finding, ...], why: str) -> tuple[Finding, ...]:
    """Turn suspicions that were not dispelled into findings."""
    return tuple(f if f.permitted else replace(f, what=f"{f.what}; {why}") for f in suspicions)
