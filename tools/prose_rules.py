"""The rules of `check_prose.py`: each has an id, a test, a bad and a good example, and advice.

A phrase rule is a regular expression that is searched in every text. A grammar rule is a function
that looks at the first sentence of a docstring. Both prefer a miss to a false alarm: people switch
off a linter that is wrong.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto


class Where(Flag):
    """The kinds of text that a rule applies to."""

    DOCSTRING = auto()
    COMMENT = auto()
    MESSAGE = auto()
    PAGE = auto()


SOURCE = Where.DOCSTRING | Where.COMMENT
EVERYWHERE = SOURCE | Where.MESSAGE | Where.PAGE


@dataclass(frozen=True)
class Phrase:
    """A turn of phrase that is searched for in every text of the kinds `where`."""

    id: str
    pattern: str
    bad: str
    good: str
    instead: str
    where: Where = EVERYWHERE


@dataclass(frozen=True)
class Grammar:
    """A test of the first sentence of a docstring; `is_bad` gets it with the kind of its owner."""

    id: str
    is_bad: Callable[[str, str], bool]
    bad: str
    good: str
    instead: str


PHRASES = (
    Phrase(
        "go-on-with",
        r"\b(?:go|goes|gone|going|went) on with\b",
        "A run that was stopped is gone on with.",
        "The supervisor continues a run that was stopped.",
        "continue, resume",
    ),
    Phrase(
        "come-to-rest",
        r"\b(?:come|comes|came|coming) to (?:a )?rest\b",
        "The sprint has come to rest.",
        "The sprint has finished.",
        "finish, end, stop",
    ),
    Phrase(
        "all-the-same",
        r"(?<!are )(?<!is )(?<!were )(?<!was )(?<!be )(?<!not )\ball the same\b",
        "The gate is run all the same.",
        "The gate runs anyway. The hashes are all the same.",
        "anyway, still",
    ),
    Phrase(
        "so-many-words",
        r"\bin so many words\b",
        "The plan says so in so many words.",
        "The plan says so explicitly.",
        "explicitly",
    ),
    Phrase(
        "of-ours",
        r"\bof (?:ours|our own)\b",
        "A file of ours was replaced.",
        "topkick's file was replaced. Our own files are skipped.",
        "topkick's, or the name of the part that owns it",
    ),
    Phrase(
        "stands-in",
        r"\b(?:stand|stands|stood) in (?!for\b)",
        "The state stands in the journal.",
        "The state is in the journal. A fake model stands in for the real one.",
        "is in",
    ),
    Phrase(
        "lies-beside",
        r"\b(?:lie|lies|lay|lying) beside\b",
        "The draft lies beside the target.",
        "The draft is next to the target.",
        "is next to",
    ),
    Phrase(
        "is-told",
        r"\b(?:is|are|was|were|be|been|being) told\b(?! (?:to|apart)\b)",
        "The wait is told once.",
        "The supervisor reports the wait once. The agent is told to commit.",
        "name the actor: topkick prints, reports, logs; the agent learns",
    ),
    Phrase(
        "be-it",
        r"(?<=[,;(] )be (?:it|they)\b",
        "Others changed it, be it while the draft was written.",
        "Others changed it, even while the draft was written. They wanted to be it.",
        "whether, even if",
    ),
    Phrase(
        "given-out",
        r"\b(?:given|gives|giving) out\b(?! of\b)",
        "The sprint was given out 3 times over its life.",
        "The sprint was dispatched 3 times.",
        "dispatched, assigned",
    ),
    Phrase(
        "in-hand",
        r"\b(?:take|takes|took|taken) in hand\b",
        "The task was taken in hand.",
        "An agent started the task.",
        "start, claim",
    ),
    Phrase(
        "to-be-done",
        r"\b(?:is|are|was|were)(?: not)? to be (?!a\b|an\b|the\b)"
        r"[a-z]+(?:ed|en|wn|ne|de|ld|nt|pt|ut)\b",
        "The plan is to be checked.",
        "The supervisor must check the plan. The plan was about to be checked.",
        "must, should or will, with the actor as the subject",
    ),
    Phrase(
        "what-is-to",
        r"\b(?:what|who|whoever|somebody|nobody|one) (?:is|are|was|were) to"
        r" (?!be\b|blame\b)[a-z]+\b",
        "What is to run now.",
        "The supervisor runs this order now. The gate finds who is to blame.",
        "name the actor and say must, should or will",
    ),
    Phrase(
        "nobody-somebody",
        r"\b(?:nobody|somebody|whoever|whomever)(?:'s)?\b",
        "Nobody reads it, and somebody holds the lock.",
        "No process reads it, and another supervisor holds the lock.",
        "name the actor: agent, run, supervisor, keeper, checker, gate, user",
        SOURCE,
    ),
    Phrase(
        "free-who",
        r"(?:\A|(?<=[.;!?] ))who(?:se|m)?\b(?![^.;]*\?)"
        r"|\b(?:for|of|from|with|against|than|like) who\b"
        r"|\bwhose (?:it|they) (?:is|are|was|were)\b",
        "Who waits holds a ticket.",
        "A build that waits holds a ticket. A user who waits sees a line. Who holds the lock?",
        "name the actor: agent, run, supervisor, keeper, checker, gate, user",
        SOURCE,
    ),
    Phrase(
        "one-that",
        r"(?:\A|(?<=[.;:,] )|(?<=\band )|(?<=\bnor )|(?<=\bof )|(?<=\bfor )|(?<=\bbut ))"
        r"one (?:that|who|which)\b",
        "One that is full is dropped.",
        "A conversation that is full is dropped. The one that fits is kept.",
        "repeat the noun",
        SOURCE,
    ),
)

_WORD = re.compile(r"[A-Za-z']+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_RELATIVES = _set(
    "that which who whose whom where what whatever when as if because unless until than how why"
    " whether while before after since whoever wherever"
)
_AUXILIARIES = _set(
    "is are was were be been has have had do does did can cannot could may might must shall should"
    " will would isn't aren't wasn't don't doesn't can't won't didn't"
)
# Words that may be verbs. A sentence with one of them outside relative clauses is not verbless.
_VERBS = _set(
    "adds allows answers appears applies asks becomes begins belongs brings builds calls carries"
    " catches changes checks claims closes comes compares contains continues copies costs counts"
    " creates decides deletes depends describes dies differs drops edits ends escapes exists exits"
    " expects fails falls finds fits follows forks gets gives goes happens hears holds ignores"
    " keeps kills knows leaves lets limits lists lives loads locks logs looks loses makes marks"
    " matches means merges moves names needs opens owns parses passes posts prints proves puts"
    " raises ranks reads receives records refuses remains removes replaces reports requires resets"
    " resolves rests resumes returns rewrites runs says sees sends sets shares shows sleeps sorts"
    " spawns speaks stands starts stays steps stops stores takes tells tests touches tries turns"
    " uses verifies waits wakes wants watches works wraps writes yields came went got said saw took"
    " let cost put set started ended changed failed wins acts overrides beats joins covers lies"
)
# A word such as "prepares" is a verb if one of these follows.
_AFTER_VERBS = _set(
    "a an the its their no not only nothing all every each it them itself what one more any to"
)
_NOUN_STARTS = _set(
    "a an the all every each any no none one two three another other both some such these those"
    " its his her our their of for by from with without only not as"
)
_NOT_GERUNDS = _set(
    "nothing something anything everything string during according including existing missing"
    " pending remaining following running waiting failing planning landing finding bring ring"
    " spring warning thing"
)
_PRONOUNS = _set("it its they their theirs them he him his she her ours")


def _words(sentence: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(sentence)]


def _is_verb(word: str, after: str) -> bool:
    looks_so = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "'s"))
    return word in _AUXILIARIES or word in _VERBS or (looks_so and after in _AFTER_VERBS)


def _has_main_verb(words: list[str]) -> bool:
    """Tell whether a verb is outside relative clauses, taking each clause to have one verb."""
    clauses = verbs = 0
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        clauses += word in _RELATIVES
        is_second = word in _AUXILIARIES and before in _AUXILIARIES  # as in "has been"
        verbs += _is_verb(word, after) and not is_second
        if verbs > clauses:
            return True
    return False


def _is_verbless(sentence: str, kind: str) -> bool:
    """Tell whether a function's summary is a noun phrase; properties and classes may be one."""
    words = _words(sentence)
    if kind != "function" or not words or words[0] not in _NOUN_STARTS:
        return False
    return sentence[0].isalpha() and ":" not in sentence and not _has_main_verb(words)


def _is_relative(sentence: str, _kind: str) -> bool:
    words = _words(sentence)
    if not words or sentence.endswith("?"):
        return False
    if words[0] in {"where", "when", "which"}:
        return "," not in sentence
    return words[0] in {"what", "whatever", "whether", "how", "why", "who", "whose", "whom"}


def _is_gerund(sentence: str, _kind: str) -> bool:
    """Tell whether the sentence is a title such as "Ending a run"; a gerund may be a subject."""
    words = _words(sentence)
    if not sentence[:1].isalpha() or not words or not words[0].endswith("ing"):
        return False
    return words[0] not in _NOT_GERUNDS and not _has_main_verb(words)


def _is_pronoun(sentence: str, _kind: str) -> bool:
    words = _words(sentence)
    return bool(words) and words[0] in _PRONOUNS


GRAMMAR = (
    Grammar(
        "relative-clause",
        _is_relative,
        "Whether the run has ended.",
        "Return whether the run has ended.",
        'start with a verb ("Return whether ...") or with the noun that is meant',
    ),
    Grammar(
        "no-verb",
        _is_verbless,
        "The object on a line, or None for a line that holds none.",
        "A line that waits for a reader needs no lock.",
        'say what the function does: "Return ...", "Yield ...", "Drop ..."',
    ),
    Grammar(
        "gerund",
        _is_gerund,
        "Ending a process tree from outside.",
        "Ending a process tree takes a second. Bring it back.",
        "an imperative, or a noun of the domain",
    ),
    Grammar(
        "pronoun-first",
        _is_pronoun,
        "Its counts are of the whole thread.",
        "Codex counts tokens for the whole thread.",
        "name the thing in its own sentence",
    ),
)
