"""Reads test files by their text alone: those of other languages, and those that do not parse."""

import re

from topkick.inspection.inventory import Inventory, Mark, TestCase
from topkick.inspection.languages.common.suppressions import suppressions
from topkick.inspection.languages.common.tokens import Comment

SKIP = re.compile(
    r"@(?:Disabled\w*|Ignore\w*|Skip\w*|Pending|Unroll\s+@Ignore|tag\s+:?skip\w*)|"
    r"@(?:moduletag|tag)\s+:?(?:skip|pending)\w*"
    r"|\[(?:Ignore|Explicit)(?:\(.*?\))?\]|\bSkip\s*=\s*\"|\b(?:xit|xdescribe|xcontext|"
    r"xspecify|xtest|xfeature|xscenario)\b"
    r"|\b(?:it|test|describe|context|specify)\.(?:skip|todo)\b|\bskip\s*(?:\(|:|=>|!|\"|')|"
    r"\bpending\b\s*(?:\(|\"|'|do\b|$)"
    r"|\bmarkTest(?:Skipped|Incomplete)\b|\bassume(?:True|False|That)\s*\(|\bskip(?:Test|If|"
    r"Unless|_on_\w+|_if\w*)?\s*\("
    r"|\bGTEST_SKIP\b|\bDISABLED_\w+|^\s*skip\b|@(?:wip|ignore|skip)\b|\bt\.Skip\b|"
    r"#\[ignore\]|\bCT_SKIP\b|\{skip,"
    r"|:skip\b|\bXCTSkip\w*|\bpytest\.mark\.(?:skip|xfail)\w*|\bunittest\.skip\w*|\.disabled\("
)
FOCUS = re.compile(
    r"\b(?:fit|fdescribe|fcontext|fspecify|ftest)\b\s*[(\"' ]|\b(?:it|test|describe)\.only\b|"
    r"@focus\b|:focus\b|focus:\s*true"
)
LINE = r"[^\n]{0,200}"
CASE = re.compile(
    rf"(?:@(?:Test|ParameterizedTest|RepeatedTest)\b{LINE}(?:\n{LINE}){{0,6}}?\b(?:void|fun|"
    rf"def|public"
    r"|Task)[ \t]{1,9}(?:async )?(?:void |Task )?[`\"]?([\w ]{1,200}?)[`\"]?[ \t]{0,9}\()"
    rf"|(?:\[(?:Fact|Theory|Test|TestMethod|TestCase)\b{LINE}\n(?:{LINE}\n){{0,4}}?{LINE}?[ "
    rf"\t](\w{{1,200}})"
    r"[ \t]{0,9}\()"
    r"|(?:^[ \t]*(?:it|test|specify|scenario|property|should|testWidgets|Scenario:)"
    r"[ \t]*\(?[ \t]*[\"']([^\"'\n]{1,200})[\"'])"
    r"|(?:^[ \t]*(?:def|function|public function|func|fn|proc|sub)[ \t]+(test\w{0,200}))"
    r"|(?:^[ \t]*TEST(?:_F|_P|_CASE)?[ \t]*\([ \t]*([^)\n]{1,200})\))"
    r"|(?:^@test[ \t]+[\"']([^\"'\n]{1,200})[\"'])",
    re.MULTILINE,
)
COMMENT = re.compile(r"(?://|#|--|/\*|;;)[^\n]*")
MOST_CASES = 20_000


def read_plainly(text: str) -> Inventory:
    """Lines and plain words only. `whole_skips` has every line that looks like a skip or a focus,
    each with the word that gives it away."""
    lines = text.split("\n")
    marks = []
    for number, line in enumerate(lines, 1):
        found = SKIP.search(line[:1000])
        focus = None if found else FOCUS.search(line[:1000])
        if found:
            marks.append(Mark(number, line.strip()[:160], found[0].strip()[:60] or "skip"))
        elif focus:
            marks.append(Mark(number, line.strip()[:160], f"focus {focus[0].strip()}"[:60]))
    return Inventory(
        language="other",
        cases=tuple(_cases(text)),
        whole_skips=tuple(marks),
        suppressions=suppressions(_comments(lines)),
        essence="\n".join(filter(None, ("".join(line.split()) for line in lines))),
    )


def read_brokenly(language: str, text: str) -> Inventory:
    """What text alone shows of a file in a language that is read by its syntax otherwise."""
    found = read_plainly(text)
    return Inventory(
        language=language,
        cases=found.cases,
        suppressions=found.suppressions,
        essence=found.essence,
        broken=True,
    )


def _comments(lines: list[str]) -> list[Comment]:
    found = ((number, COMMENT.search(line[:1000])) for number, line in enumerate(lines, 1))
    return [Comment(number, match[0], match.start()) for number, match in found if match]


def _cases(text: str) -> list[TestCase]:
    cases: list[TestCase] = []
    line, at = 1, 0
    for match in CASE.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        name = next((group for group in match.groups() if group), "")
        cases.append(TestCase(" ".join(name.split()), line))
        if len(cases) == MOST_CASES:
            break
    return cases
