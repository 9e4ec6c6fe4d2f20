"""What a unit's PROGRESS.md says of a sprint: a claim, to be held against the checks (VF-01)."""

import re

MOST_CHARS = 200_000
SPRINT = re.compile(r"\b(?:sprint|sortie)\s+#?([\w.-]*\w)", re.IGNORECASE)
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
    """`complete`, `partial`, `failed`, `blocked`, `not done`, or nothing. The last word counts."""
    found, section, ours = "", "", False
    for line in text[:MOST_CHARS].split("\n"):
        heading = HEADING.match(line)
        if heading is not None:
            named = SPRINT.search(heading[1])
            ours = named is not None and named[1] == sprint
            section = "" if named is not None else _word(heading[1])
        if ours and (heading is not None or STATUS.match(line)):
            found = _word(line) or found
        elif not ours and _names(line, sprint):
            found = _word(line) or section or found
        last = LAST.search(line)
        if last is not None and last[1] == sprint:
            found = "complete"
    return found


def _names(line: str, sprint: str) -> bool:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    in_table = line.lstrip().startswith("|") and cells[0] in (sprint, f"Sprint {sprint}")
    return in_table or any(name == sprint for name in SPRINT.findall(line))


def _word(line: str) -> str:
    """Failed and blocked only where that is a status: good work is often about failures."""
    stuck = STUCK.search(line)
    if stuck is not None:
        return "blocked" if "BLOCKED" in stuck[0].upper() else "failed"
    for status, pattern in WORDS:
        if re.search(pattern, line, re.IGNORECASE):
            return status
    return ""
