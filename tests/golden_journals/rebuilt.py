"""Golden journals read, replayed, and made into real journals again."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from topkick.app.journal.replay import as_of
from topkick.app.run_view import read_record
from topkick.cli import journal as cli_journal
from topkick.engine.codec.chain import ChainEntry, Record
from topkick.engine.journal.writer import Journal

WIDTH = 100


class Golden:
    """One recorded run: a line for each record, without chain hashes and texts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = [_record(line) for line in path.read_text().splitlines()]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}-{self.path.stem}"

    def page(self) -> str:
        return self.path.with_suffix(".txt").read_text()


def _record(line: str) -> Record:
    told = json.loads(line)
    body = json.dumps(told["body"], ensure_ascii=False, separators=(",", ":"))
    return Record(told["seq"], told["step"], told["epoch"], told["at_us"], told["kind"], body)


def page_of(golden: Golden) -> str:
    """Return the page of `topkick journal replay` at the last record, in UTC."""
    past = as_of([read_record(record) for record in golden.records])
    return "\n".join(cli_journal.moment(past, WIDTH, utc_offset_s=0)) + "\n"


def rebuild(records: Sequence[Record], path: Path) -> None:
    """A journal with the same steps in the same epochs, and hashes of its own."""
    with Journal.create(path, now_us=records[0].at_us) as journal:
        epoch = 0
        for _, group in groupby(records, key=lambda r: r.step):
            step = list(group)
            while epoch < step[0].epoch:
                epoch = journal.begin_epoch("golden")
            journal.append(step[0].at_us, [ChainEntry(r.kind, r.body) for r in step])
