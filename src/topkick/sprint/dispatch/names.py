"""Find the files and the code that a sprint names, in each of its parts."""

import re
from collections.abc import Set
from dataclasses import dataclass

from topkick.plan_format.model import SprintPlan

_ENDINGS = """
astro bat c cc cfg cfm conf cpp cs css csv cue dart env erl ex exs go gradle graphql h hbs hpp hs
html ini ipynb java jl js json jsonc jsx kt kts less lock lua md mdx mjs ml mm nix php pl plist
prisma properties proto ps1 py pyi rb rs rst sass scala scss sh sql storyboard svelte svg swift
tf toml ts tsx txt vue wgsl xml yaml yml zig
"""
PATH = re.compile(
    r"(?<![\w./~@+:-])(?:[\w./~@+-]{1,300}\.(?:" + "|".join(_ENDINGS.split()) + r")"
    r"|(?:[\w.-]{1,100}/){0,9}(?:Makefile|Dockerfile|Justfile|Procfile|Gemfile))(?![\w/])",
    re.ASCII,  # ASCII, so that a path is found in a text without spaces too
)
_LIBRARIES = {"Node.js", "Vue.js", "Next.js", "Nuxt.js", "React.js", "Express.js", "Three.js"}
CODE = re.compile(r"`([^`\n]{1,200})`")
_CALL = re.compile(r"(?<![\w.])[\w.]{1,100}\(\)")


@dataclass(frozen=True, slots=True)
class CodeNames:
    """The files, and the functions and other code, that a text names."""

    files: frozenset[str]
    code: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.files | self.code


@dataclass(frozen=True, slots=True)
class NamedCode:
    """The names in the parts of a sprint; `text` includes those of all parts."""

    entry: CodeNames
    order: CodeNames
    exit: CodeNames
    text: CodeNames


def said_by(sprint: SprintPlan) -> NamedCode:
    return NamedCode(
        entry=names_in("\n".join(c.text for c in sprint.entry)),
        order=names_in("\n".join((sprint.name, *sprint.tasks))),
        exit=names_in("\n".join(c.text for c in sprint.exit)),
        text=names_in(sprint.text),
    )


def names_in(text: str) -> CodeNames:
    telling = " ".join([word for word in text.split() if "." in word or "file" in word])
    paths = frozenset(path.removeprefix("./") for path in PATH.findall(telling))
    calls = _CALL.findall(text) if "()" in text else ()
    return CodeNames(paths - _LIBRARIES, frozenset((*CODE.findall(text), *calls)))


def distinct(paths: Set[str]) -> Set[str]:
    """Drop bare names that a longer path ends in: both name the same file."""
    known = {path.rpartition("/")[2] for path in paths if "/" in path}
    return {path for path in paths if "/" in path or path not in known}
