"""Comments that silence a linter, a type checker or the measuring of coverage."""

import re
from collections.abc import Iterable

from topkick.inspection.inventory import Mark
from topkick.inspection.languages.common.tokens import Comment

WHOLE_FILE = (
    (re.compile(r"#\s*ruff:\s*noqa", re.IGNORECASE), "ruff"),
    (re.compile(r"#\s*flake8[:=]\s*noqa", re.IGNORECASE), "flake8"),
    (re.compile(r"#\s*mypy:\s*(ignore|disable|allow|no)", re.IGNORECASE), "mypy"),
    (
        re.compile(r"#\s*pyright:\s*(basic|report\w+\s*=\s*(false|none|\"?none))", re.IGNORECASE),
        "pyright",
    ),
    (re.compile(r"#\s*pylint:\s*skip-file", re.IGNORECASE), "pylint"),
    (
        re.compile(r"/\*\s*(eslint|oxlint|jshint|tslint:?)[-:\s]disable(?!-)", re.IGNORECASE),
        "eslint",
    ),
    (re.compile(r"//\s*tslint:disable(?!-)", re.IGNORECASE), "tslint"),
    (re.compile(r"@ts-nocheck"), "typescript"),
    (re.compile(r"\b(istanbul|c8|v8)\s+ignore\s+(file|start)"), "coverage"),
    (re.compile(r"\bbiome-ignore-(all|start)\b"), "biome"),
    (re.compile(r"\bdeno-lint-ignore-file\b"), "deno"),
    (re.compile(r"\bswiftlint:disable(?!:)"), "swiftlint"),
)
SOME_LINES = (
    (re.compile(r"^//\s*(nolint\b|lint:ignore|#nosec)"), "golangci"),
    (re.compile(r"#\s*noqa\b", re.IGNORECASE), "ruff"),
    (re.compile(r"#\s*type:\s*ignore"), "mypy"),
    (re.compile(r"#\s*(pyright|pyre|ty):\s*ignore"), "pyright"),
    (re.compile(r"#\s*pylint:\s*disable"), "pylint"),
    (re.compile(r"#\s*pragma:?\s*no\s*(cover|branch)", re.IGNORECASE), "coverage"),
    (re.compile(r"#\s*nosec\b", re.IGNORECASE), "bandit"),
    (re.compile(r"\bnosemgrep\b"), "semgrep"),
    (re.compile(r"\bNOSONAR\b"), "sonar"),
    (re.compile(r"\b(eslint|oxlint)-disable"), "eslint"),
    (re.compile(r"\btslint:disable"), "tslint"),
    (re.compile(r"@ts-(ignore|expect-error)"), "typescript"),
    (re.compile(r"\$Flow(FixMe|Ignore|ExpectedError)"), "flow"),
    (re.compile(r"\b(istanbul|c8|v8)\s+ignore"), "coverage"),
    (re.compile(r"\bbiome-ignore\b"), "biome"),
    (re.compile(r"\bdeno-lint-ignore\b"), "deno"),
    (re.compile(r"\bswiftlint:disable"), "swiftlint"),
)


def suppressions(comments: Iterable[Comment], begins_line: int = 0) -> tuple[Mark, ...]:
    """`begins_line`: where the code begins; what is silenced before it counts for the file."""
    return tuple(
        Mark(comment.line, comment.text.strip()[:160], name)
        for comment in comments
        if (name := _tool(comment, begins_line))
    )


def _tool(comment: Comment, begins_line: int) -> str:
    for pattern, tool in WHOLE_FILE:
        if pattern.search(comment.text):
            return f"{tool}-file"
    for pattern, tool in SOME_LINES:
        if pattern.search(comment.text):
            return f"{tool}-file" if _is_for_all(comment, tool, begins_line) else tool
    return ""


def _is_for_all(comment: Comment, tool: str, begins_line: int) -> bool:
    if not comment.is_alone or comment.column:
        return False
    if tool == "pylint":
        return True
    return tool in ("mypy", "golangci") and comment.line < begins_line
