"""CI files whose steps went away or no longer count."""

import re
from collections.abc import Iterator

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import File, FileChange
from topkick.inspection.settings.notations import MOST_BYTES, line_of
from topkick.inspection.settings.notations_yaml_js import read_yaml
from topkick.inspection.settings.weakenings import shown
from topkick.inspection.tampering.recipes import hides_failure

_FILES = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|(?:.*/)?Jenkinsfile|azure-pipelines\.ya?ml"
    r"|\.circleci/config\.ya?ml|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml"
    r"|\.buildkite/[^/]+\.ya?ml|\.woodpecker\.ya?ml|\.pre-commit-config\.ya?ml"
)
_COMMANDS = frozenset(
    {"run", "script", "before_script", "command", "commands", "bash", "pwsh", "powershell", "steps"}
    | {"sh"}
)
_SOFT = frozenset(
    {"continue-on-error", "allow_failure", "continueOnError", "soft_fail", "ignore_failure"}
)
_MOST = 100
_OFF = re.compile(r"(?:\$\{\{)?\s*(?:false|never\(\))\s*(?:\}\})?")
_JENKINS = re.compile(r"\b(?:sh|bat)\s*\(?\s*(?:'''|\"\"\"|'|\")([^'\"\n]{1,400})")


def is_pipeline(path: str) -> bool:
    return _FILES.fullmatch(path) is not None


def softened(change: FileChange) -> Iterator[Finding]:
    """What the pipeline no longer asks for."""
    before, after = change.before, change.after
    if before is None:
        return
    if after is None or not after.is_plain:
        what = f"the CI file {before.path} was {'deleted' if after is None else 'made a link'}"
        yield _finding(what, before, 1, before.path, "nothing")
        return
    if max(len(before.data), len(after.data)) > MOST_BYTES or before.data == after.data:
        return
    if before.name == "Jenkinsfile":
        old, new = _JENKINS.findall(before.text), _JENKINS.findall(after.text)
        yield from _lost_steps(before, after, old, new)
        return
    yield from _lost_steps(before, after, _steps(before), _steps(after))
    yield from _soft_marks(before, after)
    yield from _lost_triggers(before, after)


def _steps(file: File) -> list[str]:
    found: list[str] = []
    for setting in read_yaml(file.text):
        names = [part for part in setting.path if not part.startswith("#")]
        if not names:
            continue
        words = setting.value if isinstance(setting.value, tuple) else (setting.value,)
        if names[-1] == "uses":
            found += [f"uses {word.partition('@')[0]}" for word in words]
        elif names[-1] in _COMMANDS or (names[-1] == "id" and file.name.startswith(".pre-commit")):
            lines = (
                line.strip() for word in words for line in word.replace("\\\n", " ").split("\n")
            )
            found += [" ".join(line.split()) for line in lines if line and line[0] != "#"]
    return found


def _lost_steps(before: File, after: File, old: list[str], new: list[str]) -> Iterator[Finding]:
    known, kept = set(old), set(new)
    added = [line for line in dict.fromkeys(new) if line not in known][:_MOST]
    lost = [step for step in dict.fromkeys(old) if step not in kept][:_MOST]
    for step in lost:
        longer = next((line for line in added if _contains(line, step)), "")
        if not longer:
            what = f"the CI step `{shown(step)}` was removed from {after.path}"
            yield _finding(what, after, _line(before.text, step), step[:200], "nothing")
        elif hides_failure(longer):
            what = f"the CI step `{shown(step)}` is `{shown(longer)}` now"
            yield _finding(what, after, _line(after.text, longer), step[:200], longer[:200])
    for line in added:
        if hides_failure(line) and not any(_contains(line, step) for step in lost):
            what = f"the new CI step `{shown(line)}` hides whether it fails"
            yield _finding(what, after, _line(after.text, line), line[:200], line[:200])


def _contains(line: str, step: str) -> bool:
    return f" {step} " in f" {line} "


def _line(text: str, step: str) -> int:
    for number, line in enumerate(text.split("\n"), start=1):
        if step[:60] in " ".join(line.split()):
            return number
    return 1


def _soft_marks(before: File, after: File) -> Iterator[Finding]:
    old, new = _soft(before), _soft(after)
    for mark in dict.fromkeys(new):
        if new.count(mark) > old.count(mark):
            what = f"{after.path} now says `{mark}`, so that a failing step does not count"
            yield _finding(what, after, line_of(after.text, (mark.partition(":")[0],)), mark, mark)


def _soft(file: File) -> list[str]:
    found = []
    for setting in read_yaml(file.text):
        names = [part for part in setting.path if not part.startswith("#")]
        name, value = names[-1] if names else "", setting.value
        word = value.strip().lower() if isinstance(value, str) else ""
        off = name in ("if", "condition") and _OFF.fullmatch(word[:200])
        soft = name in _SOFT and word in ("true", "yes")
        if off or soft or (name == "when" and word in ("manual", "never")):
            found.append(f"{name}: {word}")
    return found


def _lost_triggers(before: File, after: File) -> Iterator[Finding]:
    old, new = _triggers(before), _triggers(after)
    for trigger in sorted(old - new):
        what = f"{after.path} is no longer run on {trigger}"
        yield _finding(what, after, line_of(after.text, ("on",)) or 1, f"on {trigger}", "nothing")


def _triggers(file: File) -> set[str]:
    """Also those that stand alone, as in `push:` with nothing behind it."""
    found: set[str] = set()
    for setting in read_yaml(re.sub(r"(?m)^( {1,8}[\w-]+):[ \t]*$", r"\1: ~", file.text)):
        if setting.path[:1] not in (("on",), ("true",)):
            continue
        if len(setting.path) > 1:
            found.add(setting.path[1])
        else:
            found |= set(setting.value if isinstance(setting.value, tuple) else (setting.value,))
    return found - {"~"}


def _finding(what: str, file: File, line: int, subject: str, seen: str) -> Finding:
    kind = FindingKind.SETTING_LOOSENED
    return Finding(kind, what, file=file.path, line=line, subject=subject, seen=seen)
