"""Errors that a person can fix; each message says what to do next."""


class TopkickError(Exception):
    """An error whose text is printed as it is, without a traceback."""

    exit_code = 1


class UsageError(TopkickError):
    """Wrong arguments, a missing file, an unknown name."""

    exit_code = 2


class PlanError(UsageError):
    """The plan cannot be read; `line` is where."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"The plan, line {line}: {message}")
        self.line = line


class AnotherSupervisor(TopkickError):
    """Another supervisor holds this project."""

    exit_code = 4


class JournalDamaged(TopkickError):
    """The journal cannot be trusted as it is."""

    exit_code = 5


class JournalUnavailable(TopkickError):
    """The journal could not be read or written now; nothing was half written."""


class BusUnavailable(TopkickError):
    """The message bus could not be read or written now; acknowledged messages are safe."""


class InvariantBroken(TopkickError):
    """The step would violate an invariant: nothing is written and nothing is dispatched."""

    def __init__(self, broken: str) -> None:
        super().__init__(
            f"Internal error: the next step would violate an invariant ({broken}). Nothing is "
            "dispatched; running agents continue.\nPlease report: topkick journal show --all"
        )
        self.rule = broken.partition(":")[0]
