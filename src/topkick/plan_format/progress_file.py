"""Read what a unit's PROGRESS.md claims about a sprint, to compare with the checks (VF-01)."""

import re

MOST_CHARS = 200_000
SPRINT = re.compile(r"\b(?:sprint|sortie)\s+#?([\w.-]*\w)", re.IGNORECASE)
ID = re.compile(r"[A-Za-z]{0,8}[.-]?\d[\w.-]{0,20}|[A-Z]")
HEADING = re.compile(r"#{1,6}\s+(.*)")
LAST = re.compile(r"last\s+completed\s+(?:sprint|sortie)\W+(\w[\w.-]*)", re.IGNORECASE)
WORDS = (
    ("complete", r"(?<!not )(?<!\w)(?:completed?|done|finished|✅|\[x\])(?!\w)"),
    ("not done", r"(?<!\w)(?:not started|not complete|not done|pending|todo|incomplete)(?!\w)"),
    ("partial", r"(?<!\w)(?:partial|in[ -]progress|underway|wip)(?!\w)"),
)
STUCK = re.compile(
    r"(?<!\w)(?:FAILED|BLOCKED|FATAL)(?!\w)"
    r"|(?i:(?:status|sprint [\w.-]+)\W{1,8}(?:failed|blocked))\W*$"
)
STATUS = re.compile(r"\W*status\b", re.IGNORECASE)


def claimed(text: str, sprint: str) -> str:
    """Return `complete`, `partial`, `failed`, `blocked`, `not done`, or nothing; the last entry
    counts.
    """
    return _said_of_each(text).get(sprint, "")


def claims(text: str) -> dict[str, str]:
    """Return the claim about every sprint that the file names."""
    said = _said_of_each(text)
    return {sprint: said[sprint] for sprint in _named(text)}


def _said_of_each(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    section, own = "", ""
    for line in text[:MOST_CHARS].split("\n"):
        heading = HEADING.match(line)
        if heading is not None:
            named = SPRINT.search(heading[1])
            own = named[1] if named is not None else ""
            section = "" if named is not None else _word(heading[1])
        if own and (heading is not None or STATUS.match(line)):
            found[own] = _word(line) or found.get(own, "")
        others = [name for name in _names(line) if name != own]
        if others:
            word = _word(line) or section
            found |= {name: word or found.get(name, "") for name in others}
        last = LAST.search(line)
        if last is not None:
            found[last[1]] = "complete"
    return found


def _names(line: str) -> list[str]:
    """Return the sprints of a line; in a table row also its first cell."""
    if not line.lstrip().startswith("|"):
        return SPRINT.findall(line)
    first = line.strip().strip("|").split("|")[0].strip()
    return [first, first.removeprefix("Sprint "), *SPRINT.findall(line)]


def _named(text: str) -> list[str]:
    """Return the sprints in file order; numbers of a table only if it lists sprints."""
    found: dict[str, None] = {}
    in_table = False
    for line in text[:MOST_CHARS].split("\n"):
        row = line.lstrip().startswith("|")
        names = _names(line)
        in_table = row and (in_table or names[0].lower() in ("sprint", "sortie", "#"))
        told = names if in_table or not row else names[2:]
        found |= dict.fromkeys(name for name in told if ID.fullmatch(name))
    return list(found)


def _word(line: str) -> str:
    """Return the status; failed and blocked count only as a status, because work may be about
    failures.
    """
    stuck = STUCK.search(line)
    if stuck is not None:
        return "blocked" if "BLOCKED" in stuck[0].upper() else "failed"
    for status, pattern in WORDS:
        if re.search(pattern, line, re.IGNORECASE):
            return status
    return ""
