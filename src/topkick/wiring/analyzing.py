"""Collect an analysis's input from the project, and write its report."""

import errno
from contextlib import suppress
from pathlib import Path

from topkick.core.errors import UsageError
from topkick.outside.ground.files import read_plain, replace_atomically
from topkick.plans.analysis.model import Given
from topkick.plans.breakdown.detection import find
from topkick.wiring.project import (
    PLAN_NAME,
    Project,
    exclude_our_files,
    make_state_dir,
    require_local_disk,
)
from topkick.wiring.surroundings import surroundings_of

# README.md describes the project and would be compared as if it were the requirements
DOCUMENTS = ("REQUIREMENTS.md", "PRD.md", "SPEC.md")
LARGEST_DOCUMENT = 1 << 20
TITLE = "# Execution Plan Analysis Report"


def given_by(project: Project, max_turns: int) -> Given:
    paths = surroundings_of(project.root).paths
    for name in DOCUMENTS:
        path = project.root / name
        with suppress(OSError):
            text = read_plain(path, LARGEST_DOCUMENT).decode("utf-8", "replace")
            lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", " ")
            return Given(max_turns, paths, find(lines).requirements, name)
    return Given(max_turns, paths)


def report_path(project: Project) -> Path:
    """Return the report's path; a plan under another name has its own report."""
    if project.plan_path.name == PLAN_NAME:
        return project.root / "ANALYSIS_REPORT.md"
    return project.root / f"ANALYSIS_REPORT.{project.plan_path.stem}.md"


def write_report(project: Project, text: str) -> Path:
    """Write the report atomically, over an earlier report and nothing else."""
    path = report_path(project)
    require_place(project)
    require_local_disk(project)
    make_state_dir(project)
    exclude_our_files(project)
    data = text.encode("utf-8", "replace")
    try:
        try:
            replace_atomically(path, data, 0o644, drafts=project.state_dir)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            replace_atomically(path, data, 0o644)
    except OSError as error:
        raise UsageError(
            f"{path} was not written: {error.strerror}.\n"
            "Without the file: topkick plan analyze --no-write"
        ) from error
    return path


def require_place(project: Project) -> None:
    """Raise if the report cannot be written, before anything else is."""
    path = report_path(project)
    try:
        first = read_plain(path, 1024).split(b"\n", 1)[0].rstrip()
    except FileNotFoundError:
        return
    except OSError:
        first = b""
    if first != TITLE.encode():
        raise UsageError(
            f"{path} is no report of an analysis, so it is left as it is.\n"
            "Move it away, or look without writing: topkick plan analyze --no-write"
        )
