"""Commands that a plan gives for building and testing: how they are named, which can run."""

import re
from collections.abc import Iterator, Sequence

from topkick.plan_format.criteria.commands import (
    PhraseText,
    is_dangerous,
    not_to_be_run,
    reads_as_command,
    spans_in,
    words_of,
)
from topkick.plan_format.criteria.criteria import SHELLS, script_lines
from topkick.plan_format.structure import Fence

LONGEST_SCRIPT = 4_000
_SETS_UP = re.compile(
    r"^(?:cd|export|source|\.|set|echo|printf|mkdir|pushd|popd)\s|^[A-Za-z_]\w*=\S*$"
    r"|^(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|bundle|composer|cargo|go|mix|swift package)\s+"
    r"(?:ci|i|install|sync|fetch|resolve|mod|deps\.get|pip install)\b"
)
_INSPECTS = frozenset(
    """
    [ awk cat command comm cp curl cut diff du echo env false file find for gh git grep head if jq
    ls lsof open printf ps rg sed sort ssh stat tail tee test time timeout tree true uniq wc wget
    which xargs
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
_BUILDS = re.compile(
    r"(?<![\w-])(?:all|analy[sz]e|bazel|build\w*|check\w*|ci|clippy|cmake|compile\w*|ctest|eslint"
    r"|gradlew?|jest|lint|make|mocha|mvnw?|mypy|ninja|nox|phpunit|playwright|pyright|py\.test"
    r"|pytest|rake|rspec|ruff|sbt|test\w*|tox|tsc|typecheck|type-check|unittest|verify|vet|vitest"
    r"|xcodebuild)(?![\w-])",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'[^']{0,2000}'|\"[^\"]{0,2000}\"")
_SPLIT = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNED = re.compile(r"^(?:\w+=\S*\s+)+")
_VARIABLE = re.compile(r"\$\{?([A-Z][A-Z0-9_]+)")
_ENDLESS = re.compile(r"--watch(?:All)?\b(?!=false)|[\s:](?:watch|serve|dev|start)(?=\s|$)")
_KNOWN = frozenset({"PROJECT_ROOT", "HOME", "PWD", "PATH", "USER", "TMPDIR", "CI"})
_ROOT = re.compile(r"\$\{PROJECT_ROOT\}|\$PROJECT_ROOT(?!\w)")
_CD = re.compile(r"(?<![\w-])(?:cd|pushd)\s")
# a pipe into these would hide a failure of the command
_SHORTENED = re.compile(
    r"(?<![ \t])[ \t]*(?:2>&1[ \t]*)?\|[ \t]*"
    r"(?:(?:tail|head)(?:[ \t]+-\w{1,8}(?:[ \t]+\d{1,6})?){0,4}"
    r"|(?:xcpretty|xcbeautify)(?:[ \t]+-[\w-]{1,20}){0,4}|tee[ \t]+[\w./-]{1,100})[ \t]*$",
    re.MULTILINE,
)
_UNFINISHED = re.compile(r"(?:\\|&&|\|\||\||[({])$|^(?:if|for|while|case|function|do|then)\b|<<")
_STANDS = re.compile(
    r"^(?:(?:after|at|before|between) (?:each|every|the|all)\b[\w ]{0,60}?,? )?"
    r"(?:(?:please )?(?:run|running|with|via|using|execute)(?: both| all)? )?§0§"
    r"(?P<more>(?:(?:,? and(?: then)? |,? then |, | && | \+ |; | → )§\d+§)*)"
    r"(?: (?:both |all )?(?:must |should |has to |have to |needs to )?"
    r"(?:pass(?:es)?|succeeds?|exits? 0|exits? with 0|(?:is|are|be) (?:green|clean))"
    r"(?: (?:with|and) (?:zero|no) (?:errors|failures|warnings))?"
    r"| (?:(?:→|->|=>) )?(?:all |must be )*(?:green|clean|pass(?:es|ing)?))?"
    r"(?:,? (?:after|at|before|between|from|in) (?:each|every|the|all)\b[\w ,]{0,60})?$"
)
_LANGUAGE = re.compile(
    r"^#\s*(?:swift|xcode|swift/xcode|node|node\.js|typescript|rust|python|go|golang|java|kotlin|ruby"
    r"|php|elixir|c\+\+|\.net|c#):?$",
    re.IGNORECASE,
)
_EITHER = re.compile(r"§\d+§,? or §\d+§")
_AGAINST = re.compile(r"\b(?:not|never|no|fails?|except|manual\w*|skip|optional|if)\b")


def builds(command: str) -> bool:
    """Return whether the command builds or tests something; looking at files is neither."""
    parts = (part.strip() for part in _SPLIT.split(_QUOTED.sub("''", command)))
    return any(_builds(_ASSIGNED.sub("", part)) for part in parts if part)


def _builds(part: str) -> bool:
    program = part.split(maxsplit=1)[0].rpartition("/")[2]
    return program not in _INSPECTS and not _SETS_UP.match(part) and bool(_BUILDS.search(part))


def refusal(command: str, root: str) -> str:
    """Return why the supervisor cannot run the command, or an empty text."""
    if reason := not_to_be_run(command, root):
        return reason
    if found := _ENDLESS.search(command):
        return f"`{found[0].strip(' :')}` does not end by itself"
    for found in _VARIABLE.finditer(command):
        if found[1] not in _KNOWN and f"{found[1]}=" not in command:
            return f"`${found[1]}` is not set anywhere"
    return ""


def prepared(command: str) -> str:
    """Return the command as it is run: from the project's root, with its own exit code."""
    return _from_root(_SHORTENED.sub("", command))


def _from_root(command: str) -> str:
    """Replace $PROJECT_ROOT, the directory of checks; after a `cd` its value is needed."""
    places = [found.start() for found in _ROOT.finditer(command)]
    if not places:
        return command
    before = command[: places[-1]].rstrip("\"'")
    if _CD.search(_CD.sub("", before) if len(places) == 1 and _ends_in_cd(before) else before):
        return f'PROJECT_ROOT="$PWD"\n{command}'
    return _ROOT.sub(".", command)


def _ends_in_cd(text: str) -> bool:
    return text.endswith(("cd ", "pushd ")) and len(_CD.findall(text)) == 1


def in_words(text: str) -> tuple[tuple[str, ...], str]:
    """Return the commands of a sentence that says nothing else, or why they are not used."""
    if "`" not in text:
        return (), ""
    words = words_of(text)
    if not words.commands:
        hostile = next((span for span in words.spans if is_dangerous(span, prose=True)), "")
        return (), not_to_be_run(hostile)
    if _EITHER.search(words.prose):
        return (), "it names several commands to choose from"
    if not _only_commands(words):
        return (), "the text around the command says more than that it must pass"
    return tuple(words.spans[n] for n in spans_in(words.prose)), ""


def _only_commands(words: PhraseText) -> bool:
    return (
        _STANDS.match(words.prose) is not None
        and all(reads_as_command(words.spans[n]) for n in spans_in(words.prose))
        and not _AGAINST.search(words.remark)
    )


def in_fence(fence: Fence) -> tuple[str, ...]:
    """Return the commands of a fence, or one script that stops at the first failure."""
    if fence.language not in SHELLS or len(fence.content) > LONGEST_SCRIPT:
        return ()
    lines = script_lines(fence)
    code = [line.strip() for line in lines if not line.lstrip().startswith("#")]
    if not code or (not fence.language and not reads_as_command(code[0])):
        return ()
    if all(_stands_alone(line) for line in code):
        return tuple(_without_remark(line) for line in code)
    return ("set -e\n" + "\n".join(lines),) if len(code) > 1 else (code[0],)


def is_choice(fence: Fence) -> bool:
    """Return whether a fence has alternatives such as `# Node.js` and `# Rust`."""
    remarks = {line.strip() for line in fence.content[:LONGEST_SCRIPT].split("\n")}
    return sum(_LANGUAGE.match(remark) is not None for remark in remarks) > 1


def only_builds(commands: Sequence[str]) -> bool:
    """Return whether every line builds, tests, or prepares for it."""
    return bool(commands) and any(map(builds, commands)) and all(map(_fits, _lines(commands)))


def _fits(line: str) -> bool:
    return builds(line) or _SETS_UP.match(line) is not None


def _lines(commands: Sequence[str]) -> Iterator[str]:
    """Yield lines with continuations joined, without comments."""
    for command in commands:
        for line in command.replace("\\\n", " ").split("\n"):
            if line.strip() and not line.lstrip().startswith("#"):
                yield line.strip()


def _stands_alone(line: str) -> bool:
    return (
        reads_as_command(line)
        and not _SETS_UP.match(line)
        and not _UNFINISHED.search(_without_remark(line))
    )


def _without_remark(line: str) -> str:
    return line if "'" in line or '"' in line else line.split(" #", 1)[0].rstrip()
