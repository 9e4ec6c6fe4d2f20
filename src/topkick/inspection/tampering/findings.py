"""What the criteria themselves run: scripts, targets, tools, the plan. None of it is the agent's
to change (VF-03); what a criterion asks for and was not there before is the work itself."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import MOST_BYTES, SYMLINK_MODE, AcceptedText, File, FileChange
from topkick.inspection.tampering.commands import SHELLS, ProgramCall, calls, joined
from topkick.inspection.tampering.pipelines import is_pipeline, softened
from topkick.inspection.tampering.recipes import is_hollow
from topkick.inspection.tampering.shadowed_files import shadowing
from topkick.inspection.tampering.targets import changed_targets, is_unseen, recipe_commands
from topkick.inspection.tampering.toolchains import tool_changes
from topkick.text.markdown import front_matter_end

# --- Which files of the tree a call runs as a check.

_INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|php|lua)[\d.]*|node|nodejs|bun|deno|tsx|ts-node|Rscript|pwsh|expect|awk"
)
_SHELL_FILE = re.compile(r".*\.(?:sh|bash|zsh|bats|ps1|expect|awk)")
_SHELL_TEST = re.compile(r"(?:.*/)?(?:test[_-][^/]*|[^/]*[._-]test)\.\w+|.*\.bats")
_TEST_FILE = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]*_test\.(?:py|go)|tests?\.py|[^/]*[.-](?:test|spec)\.[cm]?[jt]sx?"
    r"|[^/]*Tests?\.swift)"
)
_CHECKING = re.compile(
    r"(?:.*[/_.-])?(?:check\w*|verif\w*|tests?|lint\w*|validat\w*|ci|smoke\w*|e2e|gates?|audit|qa|spec"
    r"|cover\w*|assert\w*|selftest|run[_-]?tests?|harness|accept\w*|judge|grade\w*|eval\w*)"
    r"(?:[/_.-].*)?",
    re.IGNORECASE,
)
_WORKSHOP = ("scripts/", "script/", "tools/", "ci/", ".ci/", "hack/", ".github/", "dev/", "util/")
_ASKS_TO_TEST = frozenset({"test", "check", "lint", "verify", "validate"})


def script_paths(call: ProgramCall) -> tuple[str, ...]:
    """Paths from the top of the tree. Tests have inventories, and a program that the work is
    about may change: neither is among them."""
    return tuple(path for path in _candidates(call) if path and not path.startswith("/"))


def _candidates(call: ProgramCall) -> Iterator[str]:
    first = call.words[0]
    if call.program in SHELLS or first in (".", "source"):
        script = _first_plain(call.words[1:])
        yield joined(call.cwd, script) if script else ""
    elif _INTERPRETERS.fullmatch(call.program):
        yield from _interpreted(call)
    elif "/" in first:
        path = joined(call.cwd, first)
        if _is_check(path, call.words[1:]):
            yield path
    elif call.program == "go" and call.words[1:2] == ("run",) and len(call.words) > 2:
        yield joined(call.cwd, call.words[2])


def _interpreted(call: ProgramCall) -> Iterator[str]:
    rest = call.words[1:]
    for place, word in enumerate(rest):
        if word == "-m" and place + 1 < len(rest):
            module = rest[place + 1].replace(".", "/")
            if _is_check(module, rest[place + 2 :]):
                yield joined(call.cwd, f"{module}.py")
                yield joined(call.cwd, f"{module}/__main__.py")
            return
        if word in ("-c", "-e", "--eval", "-p", "--print"):
            return
        if not word.startswith("-") and word != "run":
            path = joined(call.cwd, word)
            if _is_check(path, rest[place + 1 :]):
                yield path
            return


def _is_check(path: str, words: tuple[str, ...]) -> bool:
    if _TEST_FILE.fullmatch(path[:400]):
        return False
    if _SHELL_FILE.fullmatch(path[:400]) or path.startswith(_WORKSHOP):
        return True
    asks = any(word in _ASKS_TO_TEST for word in words[:1])
    return asks or _CHECKING.fullmatch(path[:400]) is not None


def is_runner(path: str) -> bool:
    """By its name, a shell script that checks something, and not a test written in shell."""
    if not _SHELL_FILE.fullmatch(path[:400]) or _SHELL_TEST.fullmatch(path[:400]):
        return False
    return _CHECKING.fullmatch(path[:400]) is not None


def _first_plain(words: tuple[str, ...]) -> str:
    return next((word for word in words if not word.startswith(("-", "+"))), "")


_FEATURE_NAME = re.compile(r"feature_name\s*:")
_MOST_CALLS = 400
_DEEPEST = 4


def tampered(changes: Sequence[FileChange], asked: AcceptedText) -> tuple[Finding, ...]:
    """Everything that a criterion relies on and that the work changed.

    Files that did not change may be among the changes: through them, what `make test` calls is
    followed further.
    """
    everything = list(changes)
    used = _used(everything, asked)
    found = [*_plan(everything, asked), *_scripts(everything, used)]
    found += [_check(*told) for told in changed_targets(everything, used)]
    found += [_check(*told) for told in tool_changes(everything, used)]
    found += [
        _check(file, 1, subject, why, _digest(file))
        for file, subject, why in shadowing(everything, used)
    ]
    for change in everything:
        if any(f is not None and is_pipeline(f.path) for f in (change.before, change.after)):
            found += softened(change)
    return tuple(dict.fromkeys(found))


def _used(changes: list[FileChange], asked: AcceptedText) -> list[ProgramCall]:
    """The calls of the criteria, and those of the targets and scripts that these lead to."""
    found: list[ProgramCall] = []
    waiting = [(call, _DEEPEST) for criterion in asked.criteria for call in calls(criterion)]
    seen: set[ProgramCall] = set()
    while waiting and len(found) < _MOST_CALLS:
        call, depth = waiting.pop(0)
        if call in seen:
            continue
        seen.add(call)
        found.append(call)
        if depth:
            for command in recipe_commands(changes, call):
                inner = (ProgramCall(c.words, c.cwd or call.cwd) for c in calls(command))
                waiting += [(each, depth - 1) for each in inner]
    return found


def _plan(changes: list[FileChange], asked: AcceptedText) -> Iterator[Finding]:
    for change in changes:
        before, after = change.before, change.after
        if not asked.plan_file or before is None or before.path != asked.plan_file:
            continue
        if after is None or after.path != before.path or not after.is_plain:
            how = "deleted" if after is None else "moved or made a link"
            what = f"the plan {before.path} was {how}"
            seen = "nothing" if after is None else _digest(after)
        elif _essence(before) != _essence(after):
            what, seen = f"the plan {before.path} was changed", _digest(after)
        else:
            continue
        line = _first_difference(before, after)
        yield Finding(
            FindingKind.PLAN_CHANGED,
            what,
            file=before.path,
            line=line,
            subject=before.path,
            seen=seen,
        )


def _essence(plan: File) -> str:
    """The plan without the name that the naming ritual writes into its front matter."""
    lines = plan.text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    length = front_matter_end(lines)
    head = [line for line in lines[:length] if not _FEATURE_NAME.match(line)]
    return "\n".join([*(head if len(head) > 2 else ()), *lines[length:]]).lstrip("\n")


def _first_difference(before: File, after: File | None) -> int:
    if after is None:
        return 1
    pairs = zip(before.text.split("\n"), after.text.split("\n"), strict=False)
    number = 0
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            return number
    return number + 1


def _scripts(changes: list[FileChange], used: list[ProgramCall]) -> Iterator[Finding]:
    named = {path for call in used for path in script_paths(call)}
    unseen = [call for call in used if is_unseen(changes, call)]
    for change in changes:
        before, after = change.before, change.after
        if before is not None and before.path in named:
            yield from _of_script(before, after, "a criterion runs")
        elif before is not None and unseen and is_runner(before.path):
            yield from _of_script(before, after, f"`{' '.join(unseen[0].words)[:40]}` may run")
        elif after is not None and after.path in named and _is_outside(after):
            why = f"{after.path} is new, a criterion runs it, and it is a link to {after.text[:60]}"
            yield _check(after, 1, after.path, why, _digest(after))
        elif after is not None and after.path in named and _does_nothing(after):
            why = f"{after.path} is new, a criterion runs it, and it does nothing"
            yield _check(after, 1, after.path, why, _digest(after))


def _of_script(before: File, after: File | None, who: str) -> Iterator[Finding]:
    if after is None or after.path != before.path:
        why = f"{before.path}, which {who}, was {'deleted' if after is None else 'moved'}"
        yield _check(before, 1, before.path, why, "nothing")
    elif after.is_plain != before.is_plain:
        why = f"{before.path}, which {who}, is a link to {after.text[:60]} now"
        yield _check(after, 1, before.path, why, _digest(after))
    elif after.data != before.data:
        line = _first_difference(before, after)
        state = "does nothing now" if _does_nothing(after) else f"was changed at line {line}"
        why = f"{before.path}, which {who}, {state}"
        yield _check(after, line, before.path, why, _digest(after))


def _is_outside(file: File) -> bool:
    return file.mode == SYMLINK_MODE and file.data.startswith(b"/")


def _does_nothing(file: File) -> bool:
    if not file.is_plain or len(file.data) > MOST_BYTES or b"\0" in file.data:
        return False
    return is_hollow(file.text)


def _digest(file: File) -> str:
    return sha256(file.data).hexdigest()[:12]


def _check(file: File, line: int, subject: str, what: str, seen: str) -> Finding:
    kind = FindingKind.CHECK_CHANGED
    return Finding(kind, what, file=file.path, line=line, subject=subject, seen=seen)
