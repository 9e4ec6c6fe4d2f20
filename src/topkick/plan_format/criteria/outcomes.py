"""Compile what a criterion says a command must do into a shell command that passes only then.

Only words that are understood completely become a check: an unchecked line is better than a check
that proves something else.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from topkick.plan_format.model import Expectation, FoundIn

_NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
} | {"no": 0, "a": 1, "an": 1, "any": 1, "once": 1, "twice": 2}
_NUMBER = rf"(?P<number>\d{{1,6}}|{'|'.join(_NUMBERS)})"
_HOW = (
    r"(?P<how>exactly|only|precisely|at least|at most|no more than|no fewer than|no less than"
    r"|more than|fewer than|less than|minimum(?: of)?|maximum(?: of)?|>=|<=|≥|≤|>|<|==?)?"
)
_THINGS = (
    r"(?:match(?:es)?|hits?|lines?|results?|occurrences?|output|entr(?:y|ies)|rows?|files?"
    r"|emission sites?|call sites?)"
)
_VERB = (
    r"(?:returns?|returning|shows?|showing|prints?|outputs?|produces?|reports?|yields?|gives?"
    r"|finds?|lists?|displays?|emits?|counts?|is|are|has|must return|should return|=|→|->)"
)
_PASSES = re.compile(
    r"^(?:(?:still |also |now |both |all )?(?:passes|pass|passed|succeeds|succeed|succeeded"
    r"|works|runs|completes|compiles|builds|is green|are green|is clean|are clean|runs clean"
    r"|is successful)"
    r"(?: (?:cleanly|successfully|green|locally|in ci|unchanged|(?:with (?:no|0|zero)|without)"
    r"(?: any)?(?: new)? (?:errors?|failures?|warnings?|issues?|regressions?)"
    r"(?:(?: and|,| or) (?:no |0 |zero )?(?:errors?|failures?|warnings?))?))?"
    r"|(?:all |every )?tests? (?:pass|passes|green)|(?:all )?green"
    r"|(?:has|produces|reports|shows)? ?(?:no|zero|0) (?:errors?|failures?))$"
)
_EXITS = re.compile(
    r"^(?:must |should )?(?:exits?|exited|returns?|ends|→|->)(?: with)?"
    r"(?: (?:an? )?(?:exit )?(?:code|status))?"
    r"(?: of)? (?P<code>\d{1,3}|zero|nonzero|non-zero)(?: \(success\))?$"
    r"|^(?:exit )?(?:code|status)(?: is)? (?P<code2>\d{1,3}|zero|nonzero|non-zero)$"
)
_TIMES = re.compile(
    rf"^(?:passes|succeeds|exits 0) (?P<times>[2-9]|10|{'|'.join(_NUMBERS)})"
    r" (?:consecutive )?times(?: in a row)?$"
)
_COUNTS = re.compile(rf"^{_VERB}? ?{_HOW} ?{_NUMBER}(?: new)?(?: {_THINGS})?$")
_EMPTY = re.compile(
    r"^(?:returns?|prints?|outputs?|produces?|shows?|is|reports?|has|must be|yields?|finds?)"
    r" (?:nothing|empty|an empty (?:result|list|output)|no output|none|nothing at all|clean)$"
)
_SHOWS = re.compile(
    r"^(?:shows?|prints?|outputs?|displays?|contains?|includes?|returns?|mentions?|reports?|lists?"
    r"|output (?:contains?|includes?|shows?)|prints? a line containing|outputs? containing)$"
)
_PRODUCES = re.compile(r"^(?:produces?|creates?|generates?|writes?|builds?)$")
_MATCHES = re.compile(r"^(?:matches|match)$")
_COUNTING = re.compile(
    r"(?:^|[|;&]\s*|\s)(?:git\s+)?(?:grep|rg|egrep)\s+(?:\S+\s+)*?-[a-zA-Z]*c|\bwc\s+-[lwc]"
)
_SEARCH = re.compile(r"^(?:git\s+(?:-C\s+\S+\s+)?)?(?:grep|egrep|fgrep|rg)\b[^|;&]*$")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_BOUND = re.compile(rf"(?:^|\b){_HOW.removesuffix('?')} ?{_NUMBER}\b|(?P<plus>\d{{1,6}})\+")
_OPERATORS = {
    "": "eq", "exactly": "eq", "only": "eq", "precisely": "eq", "=": "eq", "==": "eq",
    "at least": "ge", "minimum": "ge", "minimum of": "ge", "no fewer than": "ge",
    "no less than": "ge", ">=": "ge", "≥": "ge",
    "at most": "le", "maximum": "le", "maximum of": "le", "no more than": "le", "<=": "le",
    "≤": "le", "more than": "gt", ">": "gt", "fewer than": "lt", "less than": "lt", "<": "lt",
}  # fmt: skip


_BOUNDS = {"eq": "", "ge": "at least ", "le": "at most ", "gt": "more than ", "lt": "fewer than "}


@dataclass(frozen=True, slots=True)
class CompiledCheck:
    """A shell command, and its expectation if that is more than exit code 0."""

    command: str
    expects: Expectation | None = None


def joined(checks: Sequence[CompiledCheck], by: str) -> CompiledCheck:
    """Join several checks; the output shows which one failed."""
    return CompiledCheck(by.join(f"{{ {check.command}; }}" for check in checks))


def compiled(command: str, said: str, spans: Sequence[str] = ()) -> CompiledCheck | None:
    """Return the check for `command` described by `said`; `spans` is the code that it names."""
    words = said.strip(" .,;:—–()").strip()
    if _asks_nobody(command):
        return None
    if not words or _PASSES.match(words):
        return CompiledCheck(command)
    for compile_ in (_exits, _times, _empty, _counts):
        if (check := compile_(command, words)) is not None:
            return check
    return _with_spans(command, words, spans) if spans else None


def _exits(command: str, words: str) -> CompiledCheck | None:
    found = _EXITS.match(words)
    if found is None:
        return None
    code = found["code"] or found["code2"]
    if code.startswith("non"):
        return CompiledCheck(f"{_run(command)}; [ $c -ne 0 ]", _NOT_0)
    number = 0 if code == "zero" else int(code)
    if number == 0 and words.startswith("returns") and counts(command) and "code" not in words:
        return count_check(command, "eq", 0)
    if number and counts(command) and "exit" not in words and "code" not in words:
        return count_check(command, "eq", number)
    if number and _searches(command) and words.startswith("return"):
        return _lines(command, "eq", number)
    if number == 0:
        return CompiledCheck(command)
    check = f'{_run(command)}; [ $c -eq {number} ] || {{ echo "exit code $c"; false; }}'
    return CompiledCheck(check, Expectation(f"exit code {number}"))


def _times(command: str, words: str) -> CompiledCheck | None:
    found = _TIMES.match(words)
    if found is None:
        return None
    turns = " ".join(map(str, range(1, number_in(found["times"]) + 1)))
    return CompiledCheck(f"for n in {turns}; do {{ {command}; }} || exit 1; done")


def _empty(command: str, words: str) -> CompiledCheck | None:
    return nothing_from(command) if _EMPTY.match(words) else None


def nothing_from(command: str) -> CompiledCheck:
    """Return a check that passes if the command finds nothing: a search then exits with 1."""
    if _searches(command):
        return CompiledCheck(f"{_run(command)}; [ $c -eq 1 ]", NO_MATCH)
    return CompiledCheck(f'{_get(command)}; [ $c -eq 0 ] && [ -z "$out" ]', _NO_OUTPUT)


def _counts(command: str, words: str) -> CompiledCheck | None:
    found = _COUNTS.match(words)
    if found is None:
        return None
    operator, number = _OPERATORS[found["how"] or ""], number_in(found["number"])
    if found["number"] in ("a", "an", "any"):
        operator = "ge"
    return count_check(command, operator, number)


def count_check(command: str, operator: str, number: int) -> CompiledCheck:
    if counts(command):
        check = f'{_get(command)}; [ "$out" -{operator} {number} ] 2>/dev/null'
        return CompiledCheck(check, Expectation(f"{_BOUNDS[operator]}{number}"))
    if number == 0 and operator in ("eq", "le"):
        return nothing_from(command)
    return _lines(command, operator, number)


def _lines(command: str, operator: str, number: int) -> CompiledCheck:
    if operator == "ge" and number == 1 and _searches(command):
        return CompiledCheck(command, A_MATCH)
    counted = 'n=$(printf %s "$out" | grep -c "")'
    check = (
        f'{_get(command)}; {counted}; [ $n -{operator} {number} ] || {{ echo "$n lines"; false; }}'
    )
    return CompiledCheck(check, Expectation(f"{_BOUNDS[operator]}{number} lines"))


_NOT_0 = Expectation("an exit code other than 0", FoundIn.ZERO)
_NO_OUTPUT = Expectation("no output", FoundIn.LINES)
NO_MATCH = Expectation("no match", FoundIn.LINES)
A_MATCH = Expectation("a match", FoundIn.NONE)

# A command that cannot run (126, 127) must not count as one that ran and failed.
_RAN = "c=$?; [ $c -lt 126 ] || exit $c"


def _run(command: str) -> str:
    return f"{{ {command}; }}; {_RAN}"


def _get(command: str) -> str:
    return f'out=$({command}); {_RAN}; echo "$out"'


def counts(command: str) -> bool:
    return _COUNTING.search(_bones(command)) is not None


def _bones(command: str) -> str:
    """Return a command without its quoted parts."""
    return _QUOTED.sub("''", command)


def _searches(command: str) -> bool:
    """Return whether its exit code is that of a search: 0 found, 1 not found."""
    return _SEARCH.match(_bones(command).rpartition("|")[2].strip()) is not None


def _asks_nobody(command: str) -> bool:
    """Return whether a search has no file: it would read standard input."""
    first = _bones(command).split("|")[0]
    words = first.split()
    if not words or words[0] not in ("grep", "egrep", "fgrep"):
        return False
    recursive = any(re.match(r"^-\w*[rR]|^--recursive", word) for word in words)
    return not recursive and sum(not word.startswith("-") for word in words[1:]) < 2


def number_in(word: str) -> int:
    return _NUMBERS[word] if word in _NUMBERS else int(word)


def bound_in(text: str) -> tuple[str, int] | None:
    """Return operator and number: `Minimum 15 test methods`."""
    found = _BOUND.search(text)
    if found is None:
        return None
    if found["plus"]:
        return "ge", int(found["plus"])
    return _OPERATORS[found["how"]], number_in(found["number"])


def _with_spans(command: str, words: str, spans: Sequence[str]) -> CompiledCheck | None:
    verb = re.sub(r"(?:\s*(?:,|and|&|\+)?\s*§\d+§)+$", "", words).strip()
    if _PRODUCES.match(verb) and all(_is_path(span) for span in spans):
        made = (f"test -e {shlex.quote(s)}" for s in spans)
        return CompiledCheck(" && ".join([f"{{ {command}; }}", *made]))
    if len(spans) == 1 and _MATCHES.match(verb):
        pattern = shlex.quote(spans[0])
        check = f'{_get(command)}; [ $c -eq 0 ] && echo "$out" | grep -qE -- {pattern}'
        return CompiledCheck(check, Expectation(f"output that matches `{spans[0]}`"))
    if not _SHOWS.match(verb):
        return None
    if len(spans) == 1 and spans[0].isdecimal() and verb.startswith(("return", "print", "output")):
        return count_check(command, "eq", int(spans[0]))
    return shows(command, spans)


def _output_with(command: str, spans: Sequence[str]) -> Iterator[str]:
    yield f"{_get(f'{command} 2>&1')}; [ $c -eq 0 ]"
    for span in spans:
        yield f' && echo "$out" | grep -qF -- {shlex.quote(span)}'


def shows(command: str, lines: Sequence[str]) -> CompiledCheck:
    """Return a check that the command passes and prints each of these lines."""
    wanted = ", ".join(f"`{line}`" for line in lines)
    expects = Expectation(f"exit code 0 and output with {wanted}")
    return CompiledCheck("".join(_output_with(command, lines)), expects)


def _is_path(span: str) -> bool:
    return re.fullmatch(r"[^\s*?<>()\[\]{}|;&$…]+", span) is not None
