"""Strip a requirement of its markup, and turn it into an imperative that an agent can carry out."""

import re

from topkick.planning.breakdown.language import (
    ENGLISH,
    VERBS,
    Tongue,
    Voice,
    base_of,
    is_order,
    is_statement,
    participle_at,
)
from topkick.planning.breakdown.normal_form import LONGEST_TASK, sentence, shortened

# --- sentences of duty as orders ---------------------------------------------------------------
# The parts of a sentence are the actor, the action, the condition and the negation.

EARS = re.compile(
    r"^(?P<word>WHEN|IF|WHILE|WHERE|AFTER|BEFORE|ONCE|When|If|While|Where|After|Before|Once)\s"
    r"(?P<if>.{2,240}?),?\s+(?:THEN\s+|then\s+)?"
    r"(?P<who>(?:the\s|a\s|an\s|it\b|THE\s)(?:(?!\bTHEN\b|\bthen\b)[^,]){0,60}?)\s*"
    r"\b(?P<must>SHALL|MUST|SHOULD|WILL|shall|must|should|will)\s+(?P<rest>.+)$"
)
_MUST = re.compile(
    r"^(?P<who>.{1,160}?)\s(?P<must>MUST|SHALL|SHOULD|MAY|REQUIRED TO|must|shall|should"
    r"|(?:has|have) to|needs? to|is required to|are required to)\s"
    r"(?P<not>(?i:not|never)\s)?(?P<rest>.+)$"
)
STORY = re.compile(
    r"\bas an?\s(?P<who>.{2,80}?),?\s+i\s(?:want|need|would like|can|should be able)\s+"
    r"(?P<to>to\s)?(?P<what>.{3,400}?)"
    r"(?:,?\s+(?:so\s(?:that\s)?|in order to\s).{3,300})?$",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"^(?:(?:the|this|our)\s)?(?:system|application|app|product|software|solution|platform|service"
    r"|tool|program|library|package|module|server|it|implementation|solution|project|we)$",
    re.IGNORECASE,
)
_BY_ITSELF = re.compile(
    r"^(?:the |this )?(?:system|app|application|tool|service|program)\sto\s(?P<does>.{3,})$",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\band (?:MUST|SHALL|SHOULD|must|shall|should) (?:be )?")
_MANY = frozenset({"they", "you", "we", "children", "people", "criteria", "data", "media"})
TRAIL = re.compile(r"[\s.;,:：。\uff1b\uff0c]+$")


def obliged(text: str) -> re.Match[str] | None:
    found = _MUST.match(text)
    if found is None or len(found["who"].split()) > 18:
        return None
    return found


def told_story(story: re.Match[str]) -> str:
    who = story["who"].strip(" *[]")
    vowel = who[:1].lower() in "aeiou" and not who.lower().startswith(("us", "uni", "eu", "one"))
    article = "an" if vowel else "a"
    what = TRAIL.sub("", story["what"].strip())
    what = re.sub(r"\bmy\b", "their", re.sub(r"\bI\b", "they", what))
    first = what.split(" ", 1)[0].lower()
    if by_itself := _BY_ITSELF.match(what):
        return by_itself["does"]
    if story["to"] or first in VERBS:
        return f"Let {article} {who} {low(what)}"
    return f"Give {article} {who} {low(what)}"


def conditional(found: re.Match[str]) -> str:
    told = _obligation_of(found["who"], found["rest"], negated=False)
    if found["rest"].lower().startswith("not "):
        told = _obligation_of(found["who"], found["rest"][4:], negated=True)
    return f"{TRAIL.sub('', told)} {found['word'].lower()} {low(found['if'].strip())}"


def obligation(found: re.Match[str]) -> str:
    told = _obligation_of(found["who"], found["rest"], negated=bool(found["not"]))
    told = TRAIL.sub("", told)
    return f"{told} (optional)" if found["must"] == "MAY" else told


def _obligation_of(who: str, rest: str, *, negated: bool) -> str:
    who, rest = who.strip(" *"), _AGAIN.sub("and ", rest)
    if is_statement(who) and not who.endswith((" and", ",")):
        return f"Make sure of this: {low(who)} must {'not ' if negated else ''}{rest}"
    if who.lower() in ("nothing", "nobody", "no one", "none"):
        rest = re.sub(r"^(ever )?be ", r"is \1", rest)
        return f"Make sure that {low(who)} {rest}"
    if who.endswith((" and", ",")):
        return f"Make sure that {low(who)} {_third_of(who.removesuffix(' and'), rest)}"
    if negated:
        if re.match(r"be\s", rest, re.IGNORECASE):
            return f"Make sure that {low(who)} {is_or_are(who)} never {rest[3:]}"
        return f"Make sure that {low(who)} never {_third_of(who, rest)}"
    if re.match(r"be\s", rest, re.IGNORECASE):
        return f"Make sure that {low(who)} {is_or_are(who)} {rest[3:]}"
    if _SYSTEM.match(who):
        return rest
    if rest.lower().startswith("have "):
        return f"Give {low(who)} {rest[5:]}"
    return f"Make {low(who)} {rest}"


def _third_of(who: str, rest: str) -> str:
    """Return the third person: `writes` for `write`."""
    first, _, others = rest.partition(" ")
    if is_or_are(who) == "are" or base_of(first) != first or not first.isalpha():
        return rest
    ending = "es" if first.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"
    if first.endswith("y") and first[-2:-1] not in "aeiou":
        first, ending = first[:-1], "ies"
    return f"{first}{ending} {others}"


def is_or_are(who: str) -> str:
    words = re.split(r"\s(?:of|in|for|with|from|on|to|that|which|within)\s", who)[0].split()
    last = words[-1].strip("`),.").lower() if words else ""
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    many = who.split(" ", 1)[0].lower() in ("all", "both", "these", "those", "most", "many")
    return "are" if plural or many or " and " in who or last in _MANY else "is"


def low(text: str) -> str:
    """Return the text with a small first letter, unless it is code, a name or an abbreviation."""
    first = text.split(" ", 1)[0]
    keeps = first.startswith("`") or any(c.isupper() or c.isdigit() for c in first[1:])
    return text if keeps or first in ("I", "A/B") else text[:1].lower() + text[1:]


LONGEST = 2_000
PLAIN = Voice(ENGLISH)
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}\)")
_ID = re.compile(
    r"^(?:[*_`]{0,3}(?:[A-Z]{1,8}(?:-[A-Z]{1,8}){0,3}-?\d{1,4}(?:\.\d{1,4}){0,4}|\d{1,4}(?:\.\d{1,4}){1,5})"
    r"[*_`]{0,3}\s*[:：.)—–-]+[*_`]{0,3}\s*"
    r"|(?:\d{1,3}(?:\.\d{1,4}){1,5})\s+)"
)
_MARKS = re.compile(r"^(?:[^\w\s`\"'“(\[<*_~.$/@#-]|\ufe0f)+\s*")
_PRIORITY = re.compile(
    r"\s*[(\[](?:P[0-4]|must|should|could|high|medium|low|optional|required|mvp|critical)"
    r"(?: priority)?[)\]]",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^(?:\*\*|__)(?P<label>[^*]{1,120}?)[.:：]?(?:\*\*|__)(?P<aside>\s*\([^()]{0,80}\))?"
    r"\s*(?P<mark>[:：—–.-]?)\s*(?P<rest>.*)$"
)
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~")
_BAD_START = re.compile(
    r"^(?:see\b|e\.g\.|i\.e\.|notes?\s*[:—–-]|example\b"
    r"|for example|source\b|status\b|owner\b|date\b"
    r"|version\b|https?:|[\"“'\u2018「『])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+"
    r"(?=[A-Z`\"“*(\[])|(?<=[。\uff01\uff1f])\s*"
)
_CODE_NAME = re.compile(r"^[A-Z]{1,8}(?:-[A-Z]{1,8}){0,2}-?\d{1,4}(?:\.\d{1,3}){0,3}[a-z]?\W*$")
_ASKS = re.compile(
    r"^(?:did|does|do|is|are|was|what|which|how|why|who|when|where|can|should)\s[^.]{0,200}\?"
)
_CODE_ONLY = re.compile(r"^(?:`[^`]{1,200}`[\s,;/→-]*)+$")


def clean(text: str) -> str:
    """Return the words without links, emphasis, ids and marks around them."""
    text = _LINK.sub(r"\1", text[:LONGEST]).replace("\\", "")
    text = _MARKS.sub("", text.strip())
    text = _ID.sub("", text)
    text = _MARKS.sub("", text)
    return _PRIORITY.sub("", text).strip()


def unmarked(text: str) -> str:
    """Return the text without emphasis; code stays as it is."""
    pieces = text.split("`")
    return "`".join(_EMPHASIS.sub("", p) if n % 2 == 0 else p for n, p in enumerate(pieces))


def sentences(text: str) -> list[str]:
    return [one.strip() for one in _SENTENCE.split(text[: 20 * LONGEST]) if one.strip()]


def order(text: str, voice: Voice = PLAIN, *, lead: str = "", topic: str = "") -> str:
    """Return what the text asks for, as an order; empty if it asks for nothing.

    `lead` is a verb before a list, as in "The tool must support:"; `topic` is the order of its
    section, for items that only name something.
    """
    said, tongue = _kept_names(clean(text), voice), voice.tongue
    if not said or said.endswith("?") or _BAD_START.match(said) or _CODE_ONLY.match(said):
        return ""
    if _ASKS.match(unmarked(said).lower()):
        return ""
    label = _LABEL.match(said)
    if label and _CODE_NAME.match(label["label"]):
        said, label = label["rest"], None
    if label and label["rest"]:
        said = _labelled(label["label"].strip(), label["rest"], tongue)
    else:
        said = _plainly(unmarked(label["label"] if label else said), tongue, lead)
    said = said.replace(_NAME_MARK, "")
    if topic and tongue is ENGLISH and said.startswith(ENGLISH.implement):
        said = f"{topic}: {said.removeprefix(ENGLISH.implement)}"
    return _checked(said)


_NAME_MARK = "\ufdd0"  # marks a name while its sentence is converted; no text may contain it


def _kept_names(text: str, voice: Voice) -> str:
    text = text.replace(_NAME_MARK, "")
    first = text.lstrip("*_ ").split(" ", 1)[0].strip(".,:;()*_") if text else ""
    if first in voice.names and not is_order(text):
        return text.replace(first, f"{_NAME_MARK}{first}", 1)
    return text


def _checked(said: str) -> str:
    said = sentence(TRAIL.sub("", said))
    told = said.removeprefix(ENGLISH.implement)
    words = sum(1 for word in told.split() if sum(char.isalpha() for char in word) > 1)
    wide = sum(char > "\u2e80" for char in said)
    if words < 2 and wide < 4:
        return ""
    return shortened(said[:1].upper() + said[1:], LONGEST_TASK)


def _labelled(label: str, rest: str, tongue: Tongue) -> str:
    """Turn `**Label**: description` into an order: the label names the thing."""
    label = _common(unmarked(label).strip(" .:："))
    told = _first(unmarked(rest), tongue)
    if _DEFECT.search(f"{label} {told}"):
        return f"Mend this: {label}: {low(told)}"
    if is_order(label):
        small = told[:1].islower() and not is_order(told)
        return f"{label} {told}" if small else f"{label}: {low(told)}"
    if obliged(told):
        wanted = _plainly(told, tongue, "")
        return wanted if len(label.split()) > 6 else f"{label}: {low(wanted)}"
    if is_order(told):
        return f"{label}: {low(told)}"
    if tongue is not ENGLISH:
        return _foreign(f"{label}: {told}", tongue)
    if is_statement(label):
        return f"Make sure that {low(label)}: {low(told)}"
    return f"{ENGLISH.implement}{low(label)}: {low(told)}"


def _first(text: str, tongue: Tongue) -> str:
    """Return the sentence that is an order; else as many as fit."""
    said = sentences(text)
    if tongue is ENGLISH:
        for one in said[:4]:
            if is_order(one):
                return one
    kept = said[0] if said else text
    for one in said[1:]:
        if len(kept) + len(one) > LONGEST_TASK // 2:
            break
        kept = f"{kept} {one}"
    return kept


def _plainly(text: str, tongue: Tongue, lead: str) -> str:
    if story := STORY.search(text):
        return told_story(story)
    if found := EARS.match(text):
        return conditional(found)
    if tongue is not ENGLISH:
        return _foreign(_first(text, tongue), tongue)
    text = _with_base(_first(text, tongue))
    if is_order(text) or _is_led(text):
        return text
    if _DEFECT.search(text):
        return f"Mend this: {low(text)}"
    if found := _TEST.match(text):
        return f"Write the {low(found['label'])}: {found['rest']}"
    if found := obliged(text):
        return obligation(found)
    if lead:
        return f"{lead} {low(text)}"
    if is_statement(text):
        return f"Make sure that {low(text)}"
    if (at := participle_at(text)) is not None:
        words = text.split(" ")
        who = " ".join(words[:at])
        return f"Make sure that {low(who)} {is_or_are(who)} {' '.join(words[at:])}"
    if text.lower().startswith("no "):
        return f"Make sure that there {is_or_are(text.split('. ', 1)[0])} {low(text)}"
    return f"{tongue.implement}{low(_common(text))}"


_TEST = re.compile(
    r"^(?P<label>(?!no\b)[A-Za-z][\w /-]{0,40}\btests?): (?P<rest>\S.*)$", re.IGNORECASE
)
_LED = re.compile(
    r"^(?:on|once|inside|in|after|before|when|if|for|at|during|while|per|with|without|where|until"
    r"|upon|as|whenever|unless|to)\s",
    re.IGNORECASE,
)


def _is_led(text: str) -> bool:
    """Return whether an order follows a comma: `Inside the loop, call X`."""
    clauses = re.split(r"[,:]\s", text[:400])[1:4] if _LED.match(text) else []
    return any(is_order(clause) for clause in clauses)


# a list of defects describes the opposite of what is wanted
_DEFECT = re.compile(
    r"\bstill (?:exists?|requires?|mentions?|contains?|documents?|instantiates?|tells?|uses?"
    r"|depends|references?|calls?|fails?|crash(?:es)?|lacks?|points?)\b"
)


def _with_base(text: str) -> str:
    """Return the order for `Must list files` and `Lists every file`, which omit the subject."""
    first, _, rest = text.partition(" ")
    if first.lower() in ("must", "shall", "should") and rest and rest.split()[0].lower() != "be":
        return rest[:1].upper() + rest[1:]
    verb = base_of(first)
    turned = f"{verb.capitalize()} {rest}"
    return turned if verb != first and rest and is_order(turned) else text


def _foreign(text: str, tongue: Tongue) -> str:
    """Return an order in another language: an infinitive or known verb stays, anything else gets a
    verb.
    """
    first = text.split(None, 1)[0].strip("`*,.:;").lower() if text.split() else ""
    if first.endswith(tongue.infinitive or ("\0",)) and len(first) > 3:
        return text
    if text.startswith(tongue.starts or ("\0",)) or is_order(text):
        return text
    return f"{tongue.implement}{text}"


def _common(label: str) -> str:
    """Return `error handling` for `Error Handling`, which is not a name."""
    name, bracket, aside = label.partition(" (")
    words = name.split()
    titled = all(word.istitle() or word.isupper() for word in words if word.isalpha())
    if not titled or not 1 < len(words) <= 6:
        return label
    small = (word.lower() if word.isalpha() and word.istitle() else word for word in words)
    return " ".join(small) + bracket + aside
