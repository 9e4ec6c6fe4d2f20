"""Turn sentences of duty into orders: the actor, the action, the condition, the negation."""

import re

from topkick.plans.breakdown.verbs import VERBS, base_of, is_statement

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
