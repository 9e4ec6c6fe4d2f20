"""Whether other tests came in the place of those that are gone, so that it may have been honest."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from topkick.inspection.comparing.case_compared import literals
from topkick.inspection.comparing.matching import Matching
from topkick.inspection.comparing.reading import Placed, folder
from topkick.inspection.comparing.skips import whole_skip

_ROWS = re.compile(r"\bparametrize\b|\.each\b|\brange\b|\bsubTest\b|\brstest\b|\bcase\(|\bfor\b")


class Replacements:
    """As many real tests with as many assertions came in the same file or in the same folder; or
    what a test asked is a row of another test of its file now."""

    def __init__(self, matching: Matching) -> None:
        self._tests: Counter[int | str] = Counter()
        self._assertions: Counter[int | str] = Counter()
        self._rows: dict[int, Counter[str]] = defaultdict(Counter)
        for at in matching.gone:
            self._count(at, -1)
        for at in matching.fresh:
            if _is_real(at):
                self._count(at, 1)
                self._add_rows(at, ())
        for old, new in matching.pairs:
            if _is_real(new) and old.case.essence != new.case.essence:
                self._add_rows(new, literals(old.case.essence))

    def _count(self, at: Placed, by: int) -> None:
        for place in self._places(at):
            self._tests[place] += by
            self._assertions[place] += by * len(at.case.assertions)

    def _add_rows(self, at: Placed, known: Iterable[str]) -> None:
        if _ROWS.search(at.case.essence):
            fresh = Counter(literals(at.case.essence)) - Counter(known)
            self._rows[at.number].update(fresh)

    def _places(self, at: Placed) -> tuple[int, str]:
        return at.number, folder(at.side.path)

    def has(self, at: Placed) -> bool:
        if any(
            self._tests[place] >= 0 and self._assertions[place] >= 0 for place in self._places(at)
        ):
            return True
        rows, asked = self._rows[at.number], set(literals(at.case.essence))
        return bool(asked) and all(rows[it] > 0 for it in asked)


def _is_real(at: Placed) -> bool:
    return bool(at.case.assertions) and not at.skip and not whole_skip(at.side)
