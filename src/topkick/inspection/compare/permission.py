"""Whether the accepted plan allows a finding in so many words. Only what says the deed and its
object next to each other counts, and a prohibition in the same sentence undoes it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import AcceptedText
from topkick.inspection.compare.reader import short_name, shown
from topkick.inspection.compare.reader import words as reader_words
from topkick.text.markdown import unfenced

# --- The sentences of a plan's text, and which of them forbid something.

MOST_WORDS = 400
"""Nobody writes a longer sentence by which a person could be held."""
LONGEST_LEAD = 300
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_WORD = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|[\w./\-:]+(?:\(\))?|[^\w\s]")
_INNER_WORD = re.compile(r"[\w./-]+")
_PROHIBITION = re.compile(
    r"\b(?:do not|don['’]t|never|must not|mustn['’]t|may not|should not|shouldn['’]t|shall not"
    r"|not to|without \w+ing|instead of|rather than|avoid|forbidden|refrain|nor|neither"
    r"|not (?:skip|remove|delete|drop|change|edit|touch|modify|weaken|disable|loosen|lower)\w*)\b",
    re.IGNORECASE,
)
# These may also tell why something is to be done: "skip it because it does not run here".
_REFUSAL = re.compile(
    r"\b(?:does not|cannot|can not|can['’]t|not be|no need|no|nothing|none|unchanged|untouched"
    r"|alone|as (?:it|they) (?:is|are)|keep|preserve|stays?|remains?)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"(?:\b(?:because|since|which|until)\b|: | \().*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`words` are lower case and bare, `known` the same; `is_free`: no prohibition in it."""

    text: str
    words: tuple[str, ...]
    is_free: bool
    known: frozenset[str]


@lru_cache(maxsize=4)
def sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(
        _sentence(piece)
        for block in _blocks(text)
        for piece in _SENTENCE_END.split(block)
        if piece.strip()
    )


def _sentence(text: str) -> Sentence:
    is_free = not _PROHIBITION.search(text) and not _REFUSAL.search(_REASON.sub("", text))
    bare = tuple(bare for word in _WORD.findall(text) for bare in _bare(word))
    return Sentence(text, bare, is_free and len(bare) <= MOST_WORDS, frozenset(bare))


def _bare(word: str) -> Iterator[str]:
    """`fail_under = 80` names `fail_under`."""
    bare = word.strip('`"').removesuffix("()").strip().lower()
    yield bare.rstrip(".:") or bare or word
    if "=" in bare or ": " in bare:
        yield from _INNER_WORD.findall(bare)


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs and list items outside of fences, each item behind the line that leads it in."""
    block: list[str] = []
    lead = ""
    for line in unfenced(text.split("\n")):
        is_item = bool(_ITEM.match(line))
        if is_item or not line.strip() or line.startswith("#"):
            if block:
                yield " ".join(block)
                lead = _lead(block[-1]) if block[-1].endswith(":") else lead
            block = []
        if not line.strip():
            continue
        if is_item:
            block = [lead, _item(line)] if lead else [_item(line)]
        elif line.startswith("#"):
            lead = ""
        else:
            lead = lead if block else ""
            block.append(line.strip())
    if block:
        yield " ".join(block)


def _lead(line: str) -> str:
    """It is repeated for every item; of a long one it is not known what it says of them."""
    return line if len(line) <= LONGEST_LEAD else "Do not:"


def _item(line: str) -> str:
    return _ITEM.sub("", line, count=1).strip()


MOST_CHARACTERS = 1 << 18
FAR = 40
"""Words that are further apart have nothing to do with each other."""


def _verbs(text: str) -> frozenset[str]:
    """With their usual endings."""
    forms = set()
    for verb in text.split():
        forms |= {verb, verb + "s", verb + "ed", verb + "ing", verb + "d", verb + verb[-1] + "ed"}
        forms |= {verb + verb[-1] + "ing", verb.removesuffix("e") + "ing"}
        forms |= {verb.removesuffix("y") + "ied", verb.removesuffix("y") + "ies", verb + "es"}
    return frozenset(forms)


_REWRITE = _verbs("rewrite rework replace overhaul") | {"rewritten", "rewrote"}
_LOWER = _verbs("lower relax reduce drop loosen decrease")
_REPAIR = _REWRITE | _verbs("fix correct") | {"wrong", "incorrect", "outdated"}
_EDIT = _verbs("edit update change extend add write modify rewrite adjust fix create replace")
_VERBS = {
    FindingKind.TEST_SKIPPED: _verbs("skip xfail disable ignore mark quarantine deactivate"),
    FindingKind.TEST_REMOVED: _verbs("remove delete drop replace merge retire fold consolidate"),
    FindingKind.TEST_REWRITTEN: _REPAIR | _verbs("update adjust change relax adapt"),
    FindingKind.TEST_FOCUSED: _verbs("focus"),
    FindingKind.SETTING_LOOSENED: _verbs(
        "set lower raise relax change update configure loosen disable ignore exclude turn reduce"
        " drop switch allow"
    ),
    FindingKind.CHECK_CHANGED: _EDIT,
    FindingKind.TOOL_CHANGED: _EDIT,
    FindingKind.COMPLAINT_SUPPRESSED: _verbs("suppress silence ignore add allow use"),
    FindingKind.KNOWS_IT_IS_TESTED: _verbs("read honour honor respect detect check support use")
    | {"when", "if"},
    FindingKind.STUB: _verbs("stub scaffold"),
}
_BETWEEN = reader_words(
    """
    the a an all any both each every its their this these those wrong incorrect outdated
    obsolete stale old legacy flaky slow broken redundant duplicate duplicated unused existing
    current following test tests case cases file files module suite suites class expectation
    expectations assertion assertions expected value values result number in of for from inside
    within at function method functions setting settings option threshold limit key target script
    and or plus named called also to into as with unit integration mark marked skipped out up
    down job step workflow hook rule rules check checks comment comments a new small on variable
    environment is are `, : ( ) / & +
    """
) | {",", '"', "'", "’", "*", "`"}
_AFTER = reader_words(
    """
    is are was were may can could should must will shall to be being been gets get has have needs
    need expects asserts also now temporarily then the a an value values expectation number result
    of it them for out - : , marked as
    """
)
_PREPOSITIONS = reader_words("in of for from inside within at to into as with on")
_EXPECTATIONS = reader_words("test tests case cases expectation expectations assertion assertions")
_PRONOUNS = frozenset({"it", "them", "these", "this", "those"})
_STUBS = re.compile(
    r"\b(?:create|add|write|leave|provide|generate|introduce|lay|set up|start with|begin with|ship"
    r"|raises?|may|can|should)\b[^.]{0,60}?\b(?:stubs?|stubbed|placeholders?|skeletons?"
    r"|NotImplementedError|unimplemented)\b|(?:\A|, |\band )scaffold\b|\bstub out\b",
    re.IGNORECASE,
)
_NO_STUBS = re.compile(
    r"\b(?:no|not|never|without|replace|remove|instead|in place of|fill|finish|complete|than|real"
    r"|implement)\b",
    re.IGNORECASE,
)


_NO_OP = re.compile(
    r"\bno-?ops?\b|\bempty (?:default|hook|method|bod)\w*\b|\boverrid(?:den|able)\b"
    r"|\b(?:hooks?|methods?|defaults?)\b[^.]{0,60}\bto override\b"
    r"|\bdo(?:es)? nothing\b(?!\s+(?:if|when|for|on|where|while|in|with|to|until))"
    r"(?!\s+unless\s+(?!overrid|a subclass|you|someone|somebody|told))",
    re.IGNORECASE,
)
_NEVER = re.compile(r"\b(?:not|never|don['’]t|avoid|instead of|rather than)\b", re.IGNORECASE)
_HOOK_NAME = re.compile(r"(?:on|handle|before|after|visit|pre|post|did|will)_?\w*", re.IGNORECASE)
_EMPTY = re.compile(
    r": (?:pass|\.\.\.|return|return (?:None|nil|null|undefined)|empty body|only a docstring)$"
)
_DIRECTIVE = re.compile(
    r"noqa|type: ?ignore|ts-ignore|ts-expect-error|ts-nocheck|eslint-disable|nolint|no cover"
    r"|swiftlint:disable|allow\(clippy|pylint: ?disable|\b(?:suppress|silence)\b",
    re.IGNORECASE,
)
_KEY_WORD = re.compile(r"[a-z0-9]+")
_NOT_BY_FILE = frozenset(
    {FindingKind.STUB, FindingKind.SETTING_LOOSENED, FindingKind.KNOWS_IT_IS_TESTED}
)
_CODE = re.compile(r"\.(?:py|[cm]?[jt]sx?|go|rs|swift|rb|java|kt|php)$")
# To write fixtures into it is no leave to change the framework in it.
_HIDDEN = re.compile(r"conftest\.py|(?:site|user)customize\.py|.*\.pth|test_.*|.*_test\.\w+")


def permitted(finding: Finding, asked: AcceptedText) -> str:
    """The words of the plan that allow it, or ""."""
    for sentence in sentences(asked.text[:MOST_CHARACTERS]):
        if (sentence.is_free and _allows(sentence, finding)) or _asks_for_nothing(
            sentence, finding
        ):
            return shown(sentence.text, 160)
    return ""


def _allows(sentence: Sentence, finding: Finding) -> bool:
    match finding.kind:
        case FindingKind.STUB if _STUBS.search(sentence.text):
            return not _NO_STUBS.search(sentence.text)
        case FindingKind.COMPLAINT_SUPPRESSED:
            verbs = _VERBS[finding.kind]
            return bool(_DIRECTIVE.search(sentence.text)) and not verbs.isdisjoint(sentence.known)
        case FindingKind.SETTING_LOOSENED if _names_setting(sentence, finding.subject):
            return True
        case _:
            return _names_the_deed(sentence, finding)


def _asks_for_nothing(sentence: Sentence, finding: Finding) -> bool:
    """ "`Listener` with `on_sum` and `on_end`, which do nothing by default"."""
    if finding.kind is not FindingKind.STUB or not _EMPTY.search(finding.what):
        return False
    if not _NO_OP.search(sentence.text) or _NEVER.search(sentence.text):
        return False
    *owners, last = re.split(r"\.|::", finding.subject)
    named = {finding.subject.lower(), last.lower(), *(it.lower() for it in owners)}
    return not named.isdisjoint(sentence.known) or bool(owners and _HOOK_NAME.fullmatch(last))


def _names_setting(sentence: Sentence, subject: str) -> bool:
    """The tool and all words of the key, as in "raise the line length of ruff"."""
    if "cov" in subject and "coverage" in sentence.known:
        place = sentence.words.index("coverage")
        if _is_object(sentence.words, place, _LOWER):
            return True
    tool, _, key = subject.lower().partition(".")
    parts = frozenset(_KEY_WORD.findall(key.rpartition(".")[2]))
    return (
        bool(parts)
        and tool in sentence.known
        and parts <= sentence.known
        and not _VERBS[FindingKind.SETTING_LOOSENED].isdisjoint(sentence.known)
    )


def _names_the_deed(sentence: Sentence, finding: Finding) -> bool:
    verbs = _VERBS.get(finding.kind, frozenset())
    subjects, files = _names(finding), _file_names(finding)
    if sentence.known.isdisjoint(subjects | files):
        return False
    for place, word in enumerate(sentence.words):
        if word in subjects and _is_object(sentence.words, place, verbs):
            if finding.kind is FindingKind.SETTING_LOOSENED and word.isalpha():
                return finding.subject.split(".")[0].lower() in sentence.known | {word}
            return True
        if word in files and _is_file_object(sentence.words, place, finding.kind):
            return True
    return False


def _is_file_object(around: tuple[str, ...], place: int, kind: FindingKind) -> bool:
    """ "Update tests/test_cart.py" asks for more tests, "update the tests in it" for other ones."""
    verbs = _VERBS.get(kind, frozenset())
    if kind is FindingKind.TEST_REWRITTEN:
        return _is_object(around, place, _REPAIR) or _is_object(around, place, verbs, _EXPECTATIONS)
    if kind is FindingKind.TEST_REMOVED:
        return _is_object(around, place, verbs | _REWRITE)
    return _is_object(around, place, verbs)


def _names(finding: Finding) -> frozenset[str]:
    short = short_name(finding.subject)
    last = short.rpartition(".")[2]
    names = {finding.subject, short, last, short.replace("_", "-"), last.replace("_", "-")}
    return frozenset(name.lower() for name in names if name)


def _file_names(finding: Finding) -> frozenset[str]:
    name = finding.file.rpartition("/")[2].lower()
    is_check = finding.kind is FindingKind.CHECK_CHANGED
    # To write code is no leave to end the run, or to patch the framework, in it.
    is_in_code = bool(_CODE.search(name)) and name not in finding.subject.lower()
    if finding.kind in _NOT_BY_FILE or (is_check and (is_in_code or _HIDDEN.match(name))):
        return frozenset()
    paths = {finding.file, finding.file.rpartition("/")[2]}
    return frozenset(path.lower() for path in paths if path)


def _is_object(
    around: tuple[str, ...],
    place: int,
    verbs: frozenset[str],
    needed: frozenset[str] = frozenset(),
) -> bool:
    """Whether the deed stands before it, or after it, with nothing of weight between them."""
    if _is_led(around[max(0, place - FAR) : place], verbs, needed):
        return True
    if needed:
        return False
    rest = around[place + 1 : place + FAR]
    for word in rest:
        if word in verbs:
            return True
        if word not in _AFTER:
            break
    return any(deed in verbs and word in _PRONOUNS for deed, word in pairwise(rest))


def _is_led(ahead: tuple[str, ...], verbs: frozenset[str], needed: frozenset[str]) -> bool:
    """In "fix test_a in test_cart.py" the deed is done to test_a alone: behind a preposition, no
    name is stepped over."""
    has_needed, is_behind = not needed, False
    for word in reversed(ahead):
        if word in verbs:
            return has_needed
        has_needed = has_needed or word in needed
        is_behind = is_behind or word in _PREPOSITIONS
        if word not in _BETWEEN and (is_behind or not _is_a_name(word)):
            return False
    return False


def _is_a_name(word: str) -> bool:
    """Another object in the same list: a test, a path, a key."""
    return any(sign in word for sign in "_./:() ")
