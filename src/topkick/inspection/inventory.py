"""What is in one source file that an honest verdict depends on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """Something at a line: a stub, a suppressed complaint, a condition on being tested.

    `name` says whose it is (a function, a rule), `text` shows it.
    """

    line: int
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test. `name` holds its surroundings: `TestCart::test_total`, `cart > adds up`.

    `assertions` are normalised texts, those aside that cannot fail (`assert True`), which only
    `hollow` counts. `skip` is the mark that keeps it from running, and `skip_if` the condition,
    where there is one. `essence` is its body without blanks and comments.
    """

    __test__ = False  # not for pytest

    name: str
    line: int
    assertions: tuple[str, ...] = ()
    hollow: int = 0
    skip: str = ""
    skip_if: str = ""
    focused: bool = False
    essence: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method that is no test. `stub` says why its body does nothing, if it does
    nothing: `pass`, `raise NotImplementedError`, `return True`. `loud`: it says itself that it is
    not implemented. `unused`: it has parameters and uses none. `is_abstract`: it is meant so."""

    name: str
    line: int
    stub: str = ""
    loud: bool = False
    unused: bool = False
    is_abstract: bool = False


@dataclass(frozen=True, slots=True)
class Inventory:
    """`whole_skips` keep every test of the file from running; `suppressions` silence a linter, a
    type checker or coverage; `conditions` make the code behave otherwise when, where or because
    it is tested (CI variables, host names, fixed dates, the test runner's presence); `patches`
    change the test framework, a runner or the interpreter itself; `essence` is the whole file
    without blanks and comments. `broken`: it could not be parsed, and only text was looked at."""

    language: str
    cases: tuple[TestCase, ...] = ()
    functions: tuple[Function, ...] = ()
    whole_skips: tuple[Mark, ...] = ()
    suppressions: tuple[Mark, ...] = ()
    conditions: tuple[Mark, ...] = ()
    patches: tuple[Mark, ...] = ()
    essence: str = ""
    broken: bool = False
