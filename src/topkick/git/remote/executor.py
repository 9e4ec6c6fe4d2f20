"""The executor of remote operations: one at a time, in a process of its own."""

import secrets
import selectors
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from topkick.checks.pool import Checker, Foreman
from topkick.checks.request import Trip
from topkick.engine import messages as h
from topkick.engine.codec.texts import Text
from topkick.engine.effects import Came, Share, Upshot
from topkick.runner.process.processes import MARKER

TRIES = 3


class ErrandBench:
    """Runs remote operations; if the process dies, the operation is repeated and finds its earlier
    work.
    """

    def __init__(
        self,
        root: Path,
        store: Path,
        log_path: Path,
        text: Callable[[Text], str],
        environ: Mapping[str, str],
    ) -> None:
        self._root = root
        self._store = store
        self._text = text
        self._environ = environ
        self._foreman = Foreman(log_path)
        self._selector = selectors.DefaultSelector()
        self._runner: Checker | None = None
        self._order: h.RunErrand | None = None
        self._tries = 0

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, h.RunErrand)

    def live(self) -> frozenset[str]:
        return frozenset({self._order.id} if self._order is not None else ())

    def fileno(self) -> int:
        return self._selector.fileno()

    def wake_in_s(self) -> float | None:
        return None

    def close(self) -> None:
        if self._runner is not None:
            self._runner.close()
        self._foreman.close()
        self._selector.close()

    def ensure(self, order: h.Order) -> None:
        assert isinstance(order, h.RunErrand)
        if self._order is None:
            self._order, self._tries = order, 1
            self._send(order)

    def cancel(self, _order_id: str) -> None:
        """Do nothing: a remote operation cannot be called back, and its result will be ignored as
        stale.
        """
        return

    def _send(self, order: h.RunErrand) -> None:
        if self._runner is None:
            self._runner = self._foreman.hire()
            self._selector.register(self._runner, selectors.EVENT_READ)
        self._runner.ask(self._trip(order))  # if it is dead, `hear` will notice

    def _trip(self, order: h.RunErrand) -> Trip:
        edits = order.errand.edits if isinstance(order.errand, Share) else ()
        return Trip(
            id=order.id,
            root=str(self._root),
            store=str(self._store),
            errand=order.errand,
            texts=tuple(self._text(edit.content) for edit in edits),
            name=self._environ.get("GIT_AUTHOR_NAME", ""),
            email=self._environ.get("GIT_AUTHOR_EMAIL", ""),
            env={MARKER: f"{order.id}-{secrets.token_hex(6)}"},
        )

    def poll(self) -> Sequence[h.Fact]:
        for key, _ in self._selector.select(0):
            assert isinstance(key.fileobj, Checker)
            try:
                found = key.fileobj.hear()
            except EOFError:
                return self._died(key.fileobj)
            if found is not None and self._order is not None:
                assert isinstance(found, Upshot)
                key.fileobj.look = None
                return self._done(found)
        return ()

    def _died(self, runner: Checker) -> Sequence[h.Fact]:
        self._selector.unregister(runner)
        runner.close()
        self._runner = None
        if self._order is None:
            return ()
        if self._tries >= TRIES:
            return self._done(
                Upshot(Came.FAILED, "the process for remote operations died at each try")
            )
        self._tries += 1
        self._send(self._order)
        return ()

    def _done(self, upshot: Upshot) -> Sequence[h.Fact]:
        assert self._order is not None
        number, self._order = self._order.number, None
        return (h.ErrandDone(number, upshot),)
