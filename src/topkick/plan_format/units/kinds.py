"""Derive from the words of a sprint its type (PL-16), and whether it only prepares dependencies for
the others (GT-07).
"""

import re
from collections.abc import Sequence

from topkick.plan_format.criteria.criteria import without_box
from topkick.plan_format.model import SprintPlan, SprintType
from topkick.plan_format.units.headings import bare

# Only the first words count: "Fix the deploy script" is code, "Deploy to staging" is not.
_INDICATORS = (
    (
        SprintType.MANUAL,
        r"listen|visit|spot[- ]check|eyeball|manual(?:ly)? \w+|check (?:the |in the )?browser"
        r"|open the (?:app|browser|page)|look at|human (?:review|approval|judg\w+)|user acceptance",
    ),
    (
        SprintType.DEFERRED,
        r"wait(?:ing)? (?:for|until)|monitor(?:ing)? (?:the|for|deployment|production|staging)"
        r"|check (?:the )?deployment|await|observe (?:the|production)",
    ),
    (
        SprintType.BACKGROUND,
        r"kick off|nohup|(?:start|launch|run) .{0,60}\bin the background|start (?:the )?(?:long"
        r"|training|server|service|job|download|import|crawl)",
    ),
    (SprintType.COMMAND, r"run|execute|deploy|rerun|re-run|invoke"),
)
_NOISE = re.compile(r"^[\d.\s)—–:-]+|[*`]")
_KINDS = [(kind, re.compile(rf"^\W*(?:{words})\b", re.IGNORECASE)) for kind, words in _INDICATORS]


def kind_of(name: str, tasks: Sequence[str]) -> SprintType:
    """Return the type that every task indicates, or the name if there is no task; CODE in doubt."""
    kinds = {_indicated(said) for said in tasks or (name,)}
    only = kinds.pop() if len(kinds) == 1 else None
    return only or SprintType.CODE


def _indicated(text: str) -> SprintType | None:
    words = _NOISE.sub("", text[:200])
    return next((kind for kind, pattern in _KINDS if pattern.match(words)), None)


_MANIFESTS = (
    r"package\.swift|package\.resolved|package(?:-lock)?\.json|cargo\.(?:toml|lock)|pyproject\.toml"
    r"|requirements(?:-\w{1,20})?\.txt|go\.(?:mod|sum)|pom\.xml|build\.gradle(?:\.kts)?|gemfile"
    r"|podfile|composer\.json|pnpm-lock\.yaml|yarn\.lock|uv\.lock|poetry\.lock|cmakelists\.txt"
    r"|directory\.packages\.props|vcpkg\.json|mix\.exs|pubspec\.yaml"
)
_ABOUT = re.compile(
    r"\bdependenc(?:y|ies)\b|\bdeps\b"
    r"|\b(?:install|add|update|upgrade|external|third[- ]party|npm|pip|required)"
    r" (?:the )?packages\b"
    rf"|{_MANIFESTS}",
    re.IGNORECASE,
)
_BESIDE = frozenset(
    """
    a add added adding all and build bump bumps check confirm configure environment external file
    files fix for in initial install installation installing lock lockfile locks manifest manifests
    new node npm of party pin pip project python remove required resolution resolve resolving rust
    set setup setups spm swift the third tool toolchain tooling tools up update updates updating
    upgrade upgrades upgrading verify version versions with cargo go java maven gradle audit
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
_ONE = re.compile(
    r"^(?:add|install|update|upgrade|pin|bump) (?:the )?[\w.@/-]{2,40} (?:package )?"
    r"(?:dependency|dependencies|packages?)$"
)
_GENERIC = re.compile(r"^(?:project |initial |tool(?:ing|chain)? |environment )*set-?\s?up$")
_TASK = re.compile(
    rf"{_ABOUT.pattern}|\b(?:install|pin|upgrade|bump|resolve)\w*\b|\block ?file\b|\bmanifests?\b"
    r"|\btoolchain\b|\bvirtual ?env\w*\b|\b(?:npm|pnpm|yarn|pip3?|uv|cargo|go|poetry|bundle|swift)"
    r" (?:ci|i|install|add|sync|get|mod|fetch|package)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:implement\w*|class(?:es)?|endpoints?|scaffold\w*|refactor\w*|migrat\w+|schema|component"
    r"|models?|screens?|pages?|api|inject\w+|write|unit tests?|graph|cycle|between)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[a-z]+")


def is_about_dependencies(sprint: SprintPlan) -> bool:
    """Return whether its name and every task are about dependencies only."""
    if sprint.type not in (SprintType.CODE, SprintType.COMMAND):
        return False
    tasks = [without_box(task) for task in sprint.tasks]
    if not all(_TASK.search(task) and not _WORK.search(task) for task in tasks):
        return False
    name = bare(sprint.name).lower()
    named = _names_them(name) or _ONE.match(name) is not None
    return named or (len(tasks) > 1 and _GENERIC.match(name) is not None)


def _names_them(name: str) -> bool:
    rest = _ABOUT.sub(" ", name)
    return rest != name and _BESIDE.issuperset(_LETTERS.findall(rest))
