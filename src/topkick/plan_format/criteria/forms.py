"""The forms in which people state a criterion, each a small function that compiles it.

The first form that understands all of the words wins; a form in doubt returns None.
"""

import re
import shlex
from collections.abc import Callable

from topkick.plan_format.criteria.commands import PROGRAMS, PhraseText, reads_as_command, spans_in
from topkick.plan_format.criteria.outcomes import (
    A_MATCH,
    NO_MATCH,
    CompiledCheck,
    bound_in,
    compiled,
    count_check,
    counts,
    joined,
)
from topkick.plan_format.model import CriterionKind, Expectation, FoundIn

LONGEST_PROSE = 400
_NEGATION = re.compile(r"\b(?:not|never|cannot|can't|fails?|failing|without)\b")
_PATH = re.compile(r"^[^\s*?<>()\[\]{}|;&$…:]+$")
_FILE = re.compile(
    r"/|^\.[\w.-]+$|^(?:Makefile|Dockerfile|LICENSE|README|CHANGELOG|Gemfile|Justfile)$"
    r"|\.(?:bash|bat|c|cc|cfg|cjs|conf|cpp|cs|csproj|css|csv|dart|env|ex|exs|gitignore|go|gradle|h"
    r"|hpp|html?|ini|ipynb|java|jsx?|json|jsonl|kts?|lock|lua|md|mdx|mjs|mod|php|pl|png|proto|ps1"
    r"|py|pyi|rb|resolved|rs|rst|sass|scala|scss|sh|sln|sql|sum|svelte|svg|swift|tf|toml|tsx?|txt"
    r"|vue|wav|xctestplan|xml|ya?ml|zig|zsh)$"
)


def understood(words: PhraseText) -> tuple[CriterionKind, CompiledCheck | None]:
    form, check = form_and_check(words)
    if form is None or check is None:
        return CriterionKind.CHECKLIST, None
    is_command = check.command in words.spans
    return (CriterionKind.COMMAND if is_command else CriterionKind.ASSERTION), check


def form_and_check(words: PhraseText) -> tuple["Form | None", CompiledCheck | None]:
    """Return the first form that understands the words, and its check."""
    if len(words.prose) > LONGEST_PROSE:
        return None, None
    for form in FORMS if words.spans else (nothing_in,):
        if (check := form(words)) is not None:
            return form, check
    return None, None


_AND = re.compile(r"(?:,|;)?\s+and\s+(?=§)|\s*;\s+(?=§)")


def both(words: PhraseText) -> CompiledCheck | None:
    """Compile: `make a` succeeds AND `grep b c` returns a match."""
    if len(words.spans) < 2:
        return None
    parts = _AND.split(words.prose)
    if len(parts) < 2 or any(len(spans_in(part)) != 1 for part in parts):
        return None
    checks = [understood(words.part(part))[1] for part in parts]
    known = [check for check in checks if check is not None]
    return joined(known, " && ") if len(known) == len(checks) else None


_SEVERAL = re.compile(
    r"^(?:(?:both|all of) )?(?P<list>§\d+§(?:(?:,? and |,? or |, | \+ | & )§\d+§)+)(?P<said>.*)$"
)


def several(words: PhraseText) -> CompiledCheck | None:
    """Compile: `make a` + `make b` exit 0; or `a` or `b`, of which one is enough."""
    if len(words.spans) < 2:
        return None
    found = _SEVERAL.match(_after_colon(words.prose) or words.prose)
    if found is None:
        return None
    spans = [words.spans[n] for n in spans_in(found["list"])]
    either = " or " in found["list"]
    if either and " and " in found["list"]:
        return None
    by = " || " if either else " && "
    if all(map(reads_as_command, spans)):
        said = re.sub(r"^ (?:each|both|all) ", "", found["said"])
        checks = [compiled(span, said) for span in spans]
        known = [check for check in checks if check is not None]
        return joined(known, by) if len(known) == len(checks) else None
    if re.fullmatch(
        r" (?:both |all )?(?:exist|are created|are present|is present|exists)", found["said"]
    ):
        there = by.join(_exists(span) for span in spans)
        return CompiledCheck(there) if all(map(_is_file, spans)) else None
    return None


_EXISTING = re.compile(
    r"^(?:(?:the |a |new |test )*(?:file|directory|folder|path|script|document)s? )?§0§"
    r"(?: (?:file|directory|folder))? (?:exists|is present|is created|has been created|was created"
    r"|created)(?: on disk)?$|^(?:the )?(?:file|directory|folder|path)(?: §0§)?"
    r" (?:exists|created|present)(?:: §0§)?$|^(?:file|directory) exists:? §0§$"
)


def file_exists(words: PhraseText) -> CompiledCheck | None:
    """Compile: File exists: `a/b`."""
    if len(words.spans) != 1 or not _EXISTING.match(words.prose) or "§0§" not in words.prose:
        return None
    span = words.spans[0]
    stated = re.search(r"\b(?:file|directory|folder|path|script)\b", words.prose)
    if not _PATH.match(span) or not (stated or _is_file(span)):
        return None
    what = "a directory" if span.endswith("/") else "a file"
    return CompiledCheck(_exists(span), Expectation(what, FoundIn.NONE))


_ABSENT = re.compile(
    r"^(?:there (?:is|are) )?(?:no|zero)(?: more| remaining| leftover)?"
    r"(?: (?:occurrences?|references?|mentions?|instances?|uses?|usages?|matches"
    r"|calls?))?(?: (?:of|to|for))? ?"
    r"(?P<what>§\d+§|todos?|fixmes?)"
    r"(?: (?:comments?|markers?|calls?|references?|statements?|remains?|left|exists?))*"
    r" (?:remains? )?(?:in|under|within|anywhere in) (?:the )?(?P<where>§\d+§|[\w./-]+/?)$"
)


def nothing_in(words: PhraseText) -> CompiledCheck | None:
    """Compile: No TODO in src/."""
    found = _ABSENT.match(words.prose) if words.prose.startswith(("no ", "zero", "there")) else None
    if found is None:
        return None
    where = words.named(found["where"])
    what = words.named(found["what"])
    if not _PATH.match(where) or not (_is_file(where) or found["where"].startswith("§")):
        return None
    if what in ("todo", "todos", "fixme", "fixmes"):
        what = what.rstrip("s").upper()
    elif not found["what"].startswith("§"):
        return None
    return _absent(what, where)


_CONTAINS = re.compile(
    r"^(?:the )?(?:file )?§(?P<where>\d+)§ (?:now )?(?P<no>does not |doesn't |no longer )?"
    r"(?:contains?|includes?|mentions?|has|defines?|lists?|references?|declares?|documents?)"
    r"(?P<none> no)?(?: (?:an? |the |new )*(?:section|heading|header|section header|entry|string"
    r"|text|line|row|references? to|mentions? of|word|version header|subsection|keyword)s?"
    r"(?: titled| named| called| for| of| header)?(?: exactly)?)?:? "
    r"(?P<what>§\d+§)(?: (?:section|heading|header|subsection|entry|version header))?$"
)
_APPEARS = re.compile(
    r"^(?:the )?(?:string |text |section |heading )?(?P<what>§\d+§) "
    r"(?P<no>does not |doesn't |no longer |never )?"
    r"(?:appears?|is (?:mentioned|listed|documented|present|referenced|defined)|occurs?|exists?)"
    r" in (?:the )?(?:file )?§(?P<where>\d+)§$"
)


def contains(words: PhraseText) -> CompiledCheck | None:
    """Compile: `README.md` contains "Install", or `X` appears in `y`; also the negation."""
    if len(words.spans) < 2:
        return None
    found = _CONTAINS.match(words.prose) or _APPEARS.match(words.prose)
    if found is None:
        return None
    where = words.spans[int(found["where"])]
    what = words.named(found["what"])
    if not _is_file(where):
        return None
    if found["no"] or found.groupdict().get("none"):
        return _absent(what, where)
    return CompiledCheck(f"grep -qF -- {shlex.quote(what)} {shlex.quote(where)}", A_MATCH)


_TESTS_IN = re.compile(
    r"^§(?P<where>\d+)§ (?:has|contains|holds|includes|defines) (?P<bound>.{1,30}?)(?: new)?"
    r" (?:unit )?(?:tests?|test (?:cases|methods|functions))$"
    r"|^(?P<bound2>.{1,30}?)(?: new)? (?:unit )?(?:tests?|test (?:cases|methods|functions))"
    r"(?: (?:exist|are defined|implemented|written))? in §(?P<where2>\d+)§$"
)
_TEST_MARKS = {
    "py": r"^\s*(async )?def test_",
    "swift": r"func test|@Test",
    "go": r"^func Test",
    "rs": r"#\[(tokio::)?test",
    "js": r"\b(it|test)(\.each)?\(",
    "java": r"@Test",
    "kt": r"@Test",
    "rb": r"^\s*(it|test) |def test_",
    "cs": r"\[(Fact|Theory|Test|TestMethod)",
} | dict.fromkeys(("ts", "tsx", "jsx", "mjs"), r"\b(it|test)(\.each)?\(")


def tests_in_file(words: PhraseText) -> CompiledCheck | None:
    """Compile: At least 12 tests in `tests/test_a.py`."""
    found = _TESTS_IN.match(words.prose) if "test" in words.prose else None
    if found is None:
        return None
    where = words.spans[int(found["where"] or found["where2"])]
    bound = bound_in(found["bound"] or found["bound2"])
    mark = _TEST_MARKS.get(where.rpartition(".")[2])
    if bound is None or mark is None or not _PATH.match(where):
        return None
    return count_check(f"grep -cE {shlex.quote(mark)} {shlex.quote(where)}", *bound)


_IN_BRACKETS = re.compile(
    r"^(?P<before>[^()]*?)[,;:]? ?\((?P<lead>(?:verify|verified|verifiable|check|checked|confirm"
    r"|count|counted|measured|run|test|see|command)(?: (?:with|by|via|using|that|it with))?:? ?"
    r"(?:running )?)?(?P<inner>§\d+§[^()]*)\)$"
)


def in_brackets(words: PhraseText) -> CompiledCheck | None:
    """Compile: The release has notes (verify: `grep -c x y` returns 1)."""
    found = _IN_BRACKETS.match(words.prose) if "(" in words.prose else None
    if found is None:
        return None
    inner = words.part(found["inner"].strip())
    if not reads_as_command(inner.spans[0]) or (inner.prose == "§0§" and not found["lead"]):
        return None
    bound = bound_in(found["before"])
    if inner.prose == "§0§" and counts(inner.spans[0]):
        return count_check(inner.spans[0], *bound) if bound is not None else None
    return understood(inner)[1]


_LEADS = re.compile(
    r"^(?:(?:verify|ensure|check|confirm|run|running|command|execute)(?: that)?:?|compile with"
    r"|the command|u\d+:)?$"
)
_PASSING = re.compile(
    r"\b(?:pass(?:es)?|succeeds?|exits? 0|(?:is|are) (?:green|clean)|works?|compiles?|builds?"
    r"|(?:pass|run)s? (?:via|with|under|using)|succeeds? with"
    r"|verified (?:by|with|via))\s*[:—–(-]?\s*$"
)


_FIRST = re.compile(r"^(?P<before>[^§]*)§0§(?P<said>.*)$")
_UNKNOWN = re.compile(r"^§0§ (?P<said>(?:exits?|exit code|ends with).*)$")


def command_first(words: PhraseText) -> CompiledCheck | None:
    """Compile: `make test` passes."""
    found = _FIRST.match(words.prose)
    if words.prose == "§0§" and words.spans[0] in PROGRAMS:
        return compiled(words.spans[0], words.remark)  # `true` is a command only if it is alone
    if found is None or not reads_as_command(words.spans[0]):
        return None
    before, said = found["before"].strip(" ("), found["said"].strip(" )")
    if _LEADS.match(before):
        return compiled(
            words.spans[0], said or words.remark, tuple(words.spans[n] for n in spans_in(said))
        )
    closed = not said and _PASSING.search(before) and not _NEGATION.search(before)
    return CompiledCheck(words.spans[0]) if closed else None


def unknown_command(words: PhraseText) -> CompiledCheck | None:
    """Compile: `frobnicate --all` exits 0. The words say that it is a command."""
    found = _UNKNOWN.match(words.prose)
    if found is None or len(words.spans) != 1 or not re.match(r"^[\w./-]+( |$)", words.spans[0]):
        return None
    return compiled(words.spans[0], found["said"])


_FILE_HEAD = re.compile(r"\b(?:file|directory|folder|path|exists?|created)\b[^:]*:")


def behind_colon(words: PhraseText) -> CompiledCheck | None:
    """Compile: Build succeeds: `make`. Or: The tests pass: `make test` exits 0."""
    tail = _after_colon(words.prose)
    if tail is None or _NEGATION.search(words.prose.removesuffix(tail)):
        return None
    part = words.part(tail)
    return (
        both(part)
        or command_first(part)
        or (file_exists(part) if _FILE_HEAD.search(words.prose) else None)
    )


Form = Callable[[PhraseText], CompiledCheck | None]
FORMS: tuple[Form, ...] = (
    several,
    both,
    file_exists,
    nothing_in,
    contains,
    tests_in_file,
    in_brackets,
    command_first,
    unknown_command,
    behind_colon,
)


# --- shared parts of the forms ---------------------------------------------------------------


def _after_colon(prose: str) -> str | None:
    """Return the text after the last colon that is followed by code."""
    head, colon, tail = prose.rpartition(": §")
    return f"§{tail}" if colon and head else None


def _is_file(span: str) -> bool:
    return bool(_PATH.match(span) and _FILE.search(span)) and not span.startswith("-")


def _exists(path: str) -> str:
    return f"test -{'d' if path.endswith('/') else 'e'} {shlex.quote(path)}"


def _absent(what: str, where: str) -> CompiledCheck:
    search = f"{{ grep -rnF -- {shlex.quote(what)} {shlex.quote(where)}; test $? -eq 1; }}"
    return CompiledCheck(f"test -e {shlex.quote(where)} && {search}", NO_MATCH)
