"""From the words of a criterion to a command that the supervisor can run, where they name one.

Only what says plainly that a command is to pass becomes a command. Everything else stays a
checklist item: an unchecked line is better than a check that proves something else.
"""

import re
import shlex

from topkick.core.model import Criterion, CriterionKind
from topkick.plans.findings import Finding
from topkick.plans.structure import Fence, Item

SHELLS = frozenset({"", "sh", "bash", "shell", "zsh", "console", "shell-session"})
SESSIONS = frozenset({"console", "shell-session"})
_PROGRAMS = """
bash bazel black bun bundle cargo cat clang cmake cmp comm command composer ctest curl dart deno
diff docker dotnet echo env eslint false find flake8 flutter gcc git go gradle gradlew grep hatch
head helm java javac jest jq just kubectl ls lua make mix mvn mypy ninja node nox npm npx perl php
phpunit pip playwright pnpm poetry prettier printf protoc psql pylint pyright pytest python
python3 rake rg rspec ruby ruff rustc sbt sed sh shellcheck sort sqlite3 stat swift swiftformat
swiftlint tail task terraform test timeout tox true tsc uv vitest wc which xcodebuild xcrun yarn
zig [ !
"""
PROGRAMS = frozenset(_PROGRAMS.split())

_BOX = re.compile(r"^\[[ xX]\]\s+")
_EXITS = re.compile(r"^(?:exits|returns)(?: with)?(?: (?:exit )?(?:code|status))? (?:0|zero)$")
_PASSES = re.compile(
    r"^(?:passes|passed|succeeds|succeeded|is green|runs clean|is clean|exits cleanly)"
    r"(?: (?:cleanly|with (?:no|0|zero) (?:errors|failures|warnings)|without errors))?$"
    r"|^(?:[:—–-] )?(?:all )?tests pass$"
)
_TO_PASS = re.compile(
    r"\b(?:pass|passes|succeed|succeeds|exits 0|is green|are green|is clean)\s*[:—–(-]?\s*$"
)
_LEAD = re.compile(r"^(?:(?:verify|ensure|check|confirm)(?: that)?|running|command:?)?$")
_NOT = re.compile(r"\b(?:not|no|never|cannot|fail|fails)\b")
_EXISTS_BEFORE = re.compile(r"^(?:the )?(?:file|directory|folder|path) exists\s*[:—–-]?$")
_NAMED_BEFORE = re.compile(r"^(?:the )?(?:file|directory|folder)?$")
_PATH = re.compile(r"^[^\s*?<>()\[\]{}|;&$…]+$")
_FILE = re.compile(
    r"/|\.(?:cfg|conf|css|go|html|ini|java|js|json|jsx|kt|lock|md|py|rb|rs|sh|sql|swift|toml|ts"
    r"|tsx|txt|xml|ya?ml)$"
)
_PLACEHOLDER = re.compile(r"<[A-Za-z][\w -]{0,40}>|…|(?:^|\s)\.\.\.(?:\s|$)")
_WORD = re.compile(r"^[A-Za-z0-9_.+@/~-]+$|^[\[!]$")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
_DANGEROUS = re.compile(
    r"(?<![\w.-])(?:"
    r"(?:rm|rmdir|shred|mkfs[\w.]{0,10}|dd|shutdown|reboot|sudo|kill|pkill|killall|truncate)\s"
    r"|git\s+(?:-\S{1,40}\s+)?(?:push|clean|stash|rebase|restore)\b"
    r"|git\s+reset\s+--hard|git\s+branch\s+-D|git\s+checkout\s+(?:--|\.)"
    r"|(?:npm|pnpm|yarn|cargo|poetry|uv|hatch)\s+publish\b|twine\s+upload"
    r"|docker\s+(?:push|system\s+prune)|terraform\s+(?:apply|destroy)"
    r"|kubectl\s+(?:apply|delete|rollout|scale)|helm\s+(?:install|upgrade|uninstall)"
    r"|gh\s+(?:release|pr\s+merge|repo\s+delete)"
    r"|drop\s+(?:table|database|schema)\b)"
    r"|(?:^|[\s:]|\./)deploy(?=\s|$)|\bdeploy\.\w"
    r"|\s-delete\b|\|\s*(?:ba|z)?sh\b",
    re.IGNORECASE,
)
_LONGEST_REMARK = 80


def has_box(text: str) -> bool:
    return _BOX.match(text) is not None


def without_box(text: str) -> str:
    return _BOX.sub("", text.strip())


def item_criteria(item: Item) -> tuple[list[Criterion], list[Finding]]:
    """The criterion of a list item, and one more for each shell fence inside it."""
    criterion, findings = text_criterion(item.text, item.line)
    scripts: list[Criterion] = []
    for fence in item.fences:
        script, found = fence_criterion(fence)
        findings += found
        if script is not None:
            scripts.append(script)
    if scripts and criterion.command is None:
        first = Criterion(criterion.text, scripts[0].kind, scripts[0].command, item.line)
        return [first, *scripts[1:]], findings
    return [criterion, *scripts], findings


def text_criterion(raw: str, line: int) -> tuple[Criterion, list[Finding]]:
    text = without_box(raw)
    command = _command_in(text)
    if command is None:
        return Criterion(text, line=line), []
    if reason := not_to_be_run(command):
        return Criterion(text, line=line), [Finding(line, f"Not run as a check: {reason}.")]
    return Criterion(text, CriterionKind.COMMAND, command, line), []


def fence_criterion(fence: Fence) -> tuple[Criterion | None, list[Finding]]:
    """One criterion a fence: its lines are one script that stops at the first failure."""
    if fence.language not in SHELLS:
        return None, []
    lines = _script_lines(fence)
    code = [line for line in lines if not line.lstrip().startswith("#")]
    if not code:
        return None, []
    if not fence.language and not _reads_as_command(code[0].strip()):
        return None, [Finding(fence.line, "A fence without a language is not read as commands.")]
    script = "\n".join(lines)
    if reason := not_to_be_run(script):
        finding = Finding(fence.line, f"Not run as a check: {reason}.")
        return Criterion(script, line=fence.line), [finding]
    command = code[0].strip() if len(lines) == 1 else f"set -e\n{script}"
    return Criterion(script, CriterionKind.COMMAND, command, fence.line), []


def not_to_be_run(command: str) -> str:
    """Why this can be no check, or nothing."""
    if found := _DANGEROUS.search(command):
        return f"`{' '.join(found[0].split())}` would change more than it checks"
    if found := _PLACEHOLDER.search(command):
        return f"`{found[0].strip()}` is a placeholder"
    return ""


def _script_lines(fence: Fence) -> list[str]:
    lines = [line.rstrip() for line in fence.content.split("\n") if line.strip()]
    prompted = [line.lstrip() for line in lines if line.lstrip().startswith("$ ")]
    if prompted or fence.language in SESSIONS:
        return [line[2:] for line in prompted]
    return lines


def _command_in(text: str) -> str | None:
    """The command that the text says is to pass; None where it says anything more or else."""
    start = text.find("`")
    if start < 0:
        return None
    before = text[:start].strip()
    span, after = _span(text[start:])
    after = after.strip().rstrip(".").strip()
    if not span or "`" in after or max(len(before), len(after)) > _LONGEST_REMARK:
        return None
    before, after = before.lower().replace("*", "").strip(), after.lower()
    if path := _existing_path(before, span, after):
        return path
    if _LEAD.match(before):
        return _command_before(span, after)
    closed = after in ("", ")") and _TO_PASS.search(before) and not _NOT.search(before)
    return span if closed and _reads_as_command(span) else None


def _command_before(span: str, after: str) -> str | None:
    known = _reads_as_command(span)
    if _EXITS.match(after) and (known or _WORD.match(span.split(" ", 1)[0])):
        return span
    return span if known and (not after or _PASSES.match(after)) else None


def _existing_path(before: str, span: str, after: str) -> str | None:
    if _NAMED_BEFORE.match(before) and after == "exists":
        stated = bool(before) or _FILE.search(span) is not None
    else:
        stated = _EXISTS_BEFORE.match(before) is not None and not after
    if not stated or not _PATH.match(span):
        return None
    return f"test -e {shlex.quote(span)}"


def _span(text: str) -> tuple[str, str]:
    """The code span at the start of the text, and what follows it."""
    fence = len(text) - len(text.lstrip("`"))
    end = text.find("`" * fence, fence)
    if end < 0:
        return "", ""
    return text[fence:end].strip(), text[end + fence :]


def _reads_as_command(span: str) -> bool:
    words = span.split()
    at = next((n for n, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    if at == len(words) or not _WORD.match(words[at]):
        return False
    program = words[at].rsplit("/", 1)[-1]
    if program in PROGRAMS or program.endswith(".sh"):
        return True
    return words[at].startswith("./") or ("/" in words[at] and at + 1 < len(words))
