"""The whole report in one piece: the log, the final verification, the cadence, the verdict."""

from collections.abc import Iterator

from topkick.boards.counted import counted
from topkick.boards.report import cadence, entries, words
from topkick.boards.report.cadence_text import render_cadence
from topkick.boards.report.completion import Entry, models_used, render_log
from topkick.boards.report.reading import Reading, relative_cost
from topkick.boards.report.verification import render_verdict, render_verification, verify


def whole(reading: Reading, entry: Entry = entries.entry) -> str:
    found = verify(reading)
    parts = (
        render_log(reading, entry),
        render_verification(found),
        render_cadence(reading),
        render_verdict(found),
    )
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def for_the_user(reading: Reading, file: str) -> Iterator[str]:
    """In short, when the run is at its end; `file` has the rest."""
    found, time = verify(reading), cadence.overview(reading)
    sprints, orders = len(reading.sprints), reading.account.orders
    criteria, code = f"{found.verified}/{sprints}", f"{found.committed}/{found.code_sprints}"
    yield "### Final Verification Results"
    yield f"{_sign(len(reading.done), sprints)} Coverage: {len(reading.done)}/{sprints} sprints"
    yield f"{_sign(found.verified, sprints)} Exit Criteria: {criteria} sprints fully verified"
    yield f"{_sign(found.committed, found.code_sprints)} Git Commits: {code} code sprints"
    if found.issues:
        yield f"✗ {counted(len(found.issues), 'issue')} found - see {file} for details"
    yield ""
    yield "### Performance Summary"
    yield f"- Total time: {words.duration(time.elapsed_us)}"
    if time.average_us is not None:
        yield f"- Average sprint: {words.duration(round(time.average_us))}"
    yield f"- Parallelism efficiency: {words.percent(time.parallelism)}"
    yield f"- Model usage: {models_used(orders)}"
    yield f"- Total cost: {words.times(relative_cost(orders))} (relative)"
    yield ""
    yield f"Detailed analysis available in: {file}"


def _sign(part: int, whole: int) -> str:
    return "✓" if part == whole else "✗"
