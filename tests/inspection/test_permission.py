"""Permissions that the words of a plan give, and those that they do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import AcceptedText
from topkick.inspection.compare.paths import named_paths
from topkick.inspection.compare.permission import permitted

SKIPPED = FindingKind.TEST_SKIPPED
REMOVED = FindingKind.TEST_REMOVED
REWRITTEN = FindingKind.TEST_REWRITTEN
SETTING = FindingKind.SETTING_LOOSENED
CHECK = FindingKind.CHECK_CHANGED
STUB = FindingKind.STUB
SUPPRESSED = FindingKind.COMPLAINT_SUPPRESSED
FOCUSED = FindingKind.TEST_FOCUSED


def finding(kind: FindingKind, subject: str, file: str = "tests/test_cart.py") -> Finding:
    return Finding(kind, "", file, 1, subject)


def is_permitted(kind: FindingKind, subject: str, text: str, file: str = "") -> bool:
    return bool(
        permitted(finding(kind, subject, file or "tests/test_cart.py"), AcceptedText(text=text))
    )


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("kind", "subject", "text"),
    [
        (SKIPPED, "test_net", "Skip `test_net`, it needs a network."),
        (SKIPPED, "TestNet::test_net", "Mark test_net as skipped until the server is there."),
        (SKIPPED, "test_net", "Because `test_net` does not run offline, skip it."),
        (SKIPPED, "test_net", "Skip test_net because it does not run without a network."),
        (SKIPPED, "test_b", "- Skip `test_a`, `test_b` and `test_c` for now"),
        (SKIPPED, "cart > adds up", 'Disable the flaky test "adds up".'),
        (SKIPPED, "test_net", "`test_net` may be skipped on this host."),
        (SKIPPED, "test_net", "Skip all tests in tests/test_cart.py."),
        (REMOVED, "test_old", "Remove the obsolete `test_old`."),
        (REMOVED, "test_old", "Delete tests/test_cart.py."),
        (REMOVED, "test_old", "Delete the file `test_cart.py`,\nwhich tests nothing."),
        (REMOVED, "test_old", "Drop these tests:\n\n- `test_new`\n- `test_old`\n"),
        (REMOVED, "test_old", "Rewrite the tests in tests/test_cart.py."),
        (REMOVED, "test_old", "`test_old` should be removed."),
        (REWRITTEN, "test_total", "Rewrite the tests in tests/test_cart.py."),
        (REWRITTEN, "test_total", "Fix the wrong expectation in `test_total`."),
        (REWRITTEN, "test_total", "`test_total` is wrong: five times two is ten."),
        (REWRITTEN, "test_total", "test_total expects the wrong value; correct the test."),
        (REWRITTEN, "test_total", "Update the expectations in tests/test_cart.py."),
        (REWRITTEN, "test_total", "Correct test_total and test_sum."),
        (SETTING, "fail_under", "Lower `fail_under` to 70."),
        (SETTING, "coverage.report.fail_under", "Set `fail_under = 70` in pyproject.toml."),
        (SETTING, "coverage.report.fail_under", "Lower the coverage threshold to 70."),
        (SETTING, "ruff.line-length", "Raise line-length to 120."),
        (SETTING, "ruff.line-length", "Raise the line length of ruff to 120."),
        (SETTING, "mypy.strict", "Set `strict = false` for mypy."),
        (SUPPRESSED, "mypy", "Add a `type: ignore`, because the library has no types."),
        (FOCUSED, "test_total", "Focus test_total."),
        (CHECK, "check.sh", "Edit scripts/check.sh so that it also runs the slow tests."),
        (STUB, "total", "Stub out `total`."),
        (STUB, "total", "Create a stub for every command."),
        (STUB, "total", "Write the skeleton of the module."),
        (STUB, "total", "Scaffold the package."),
    ],
)
def test_the_plan_allows_it(kind: FindingKind, subject: str, text: str) -> None:
    file = "scripts/check.sh" if kind is CHECK else ""
    assert is_permitted(kind, subject, text, file)


@pytest.mark.spec("VF-03")
@pytest.mark.parametrize(
    ("kind", "subject", "text"),
    [
        (SKIPPED, "test_net", ""),
        (SKIPPED, "test_net", "Do not skip test_net."),
        (SKIPPED, "test_net", "Never skip `test_net`."),
        (SKIPPED, "test_net", "You must not skip test_net, test_b or test_c."),
        (SKIPPED, "test_b", "Skip test_a since it is slow and do not skip test_b."),
        (SKIPPED, "test_net", "Fix the code instead of skipping test_net."),
        (SKIPPED, "test_net", "No tests in tests/test_cart.py are to be skipped."),
        (SKIPPED, "test_net", "Skip `test_other`."),
        (SKIPPED, "test_net", "Skip the header line; test_net shows how."),
        (SKIPPED, "test_net", "```\nskip test_net\n```"),
        (SKIPPED, "test_net", "Do not:\n- skip test_net\n- remove test_net"),
        (SKIPPED, "test_net", "Remove `test_net`."),
        (SKIPPED, "test_net", "Parse the file and skip blank lines, so that test_net passes."),
        (REMOVED, "test_total", "Fix `test_total`."),
        (REMOVED, "test_total", "Remove the dead code that test_total covers."),
        (REMOVED, "test_total", "Remove `Cart.sum` without removing test_total."),
        (REMOVED, "test_b", "Remove test_a in tests/test_cart.py."),
        (REMOVED, "test_total", "Update the tests in tests/test_cart.py."),
        (REWRITTEN, "test_total", "Make test_total pass."),
        (REWRITTEN, "test_total", "Fix the failing test test_total."),
        (REWRITTEN, "test_total", "Fix the bug that test_total shows."),
        (REWRITTEN, "test_total", "Fix cart.total() so that test_total passes."),
        (REWRITTEN, "test_total", "Update the cart and keep test_total green."),
        (REWRITTEN, "test_total", "Update src/cart.py for test_total."),
        (REWRITTEN, "test_total", "Update tests/test_cart.py to cover discounts."),
        (REWRITTEN, "test_total", "Fix the rounding without changing test_total."),
        (REWRITTEN, "test_b", "Fix test_a in tests/test_cart.py."),
        (SETTING, "fail_under", "Reach the fail_under limit with real tests."),
        (SETTING, "fail_under", "Do not lower fail_under."),
        (SETTING, "mypy.strict", "Set strict limits on every order."),
        (SETTING, "mypy.strict", "Update pyproject.toml."),
        (SETTING, "coverage.report.fail_under", "Raise the coverage to 90 %."),
        (SUPPRESSED, "mypy", "Use mypy for the new module."),
        (SUPPRESSED, "mypy", "Do not add `type: ignore`."),
        (CHECK, "check.sh", "Run scripts/check.sh."),
        (STUB, "total", "Implement `total()`, which is a stub now."),
        (STUB, "total", "Replace the stub by real code."),
        (STUB, "total", "Leave no stubs."),
        (STUB, "total", "Write total(). It should not be a placeholder."),
        (FindingKind.TEST_EMPTIED, "test_total", "Fix test_total."),
        (FindingKind.HISTORY_REWRITTEN, "main", "Rewrite main."),
    ],
)
def test_the_plan_does_not_allow_it(kind: FindingKind, subject: str, text: str) -> None:
    file = "scripts/check.sh" if kind is CHECK else ""
    assert not is_permitted(kind, subject, text, file)


@pytest.mark.spec("VF-03")
def test_to_write_into_conftest_is_no_leave_to_patch_pytest() -> None:
    text = "Update tests/conftest.py."
    assert not is_permitted(CHECK, "pytest.Item.runtest", text, "tests/conftest.py")


@pytest.mark.spec("VF-03")
def test_the_words_are_shown() -> None:
    asked = AcceptedText(text="First things first. Skip `test_net` for now. Then go on.")
    assert permitted(finding(SKIPPED, "test_net"), asked) == "Skip `test_net` for now."


@given(st.text(), st.text(), st.sampled_from(FindingKind))
def test_any_text_is_answered(subject: str, text: str, kind: FindingKind) -> None:
    assert isinstance(permitted(finding(kind, subject), AcceptedText(text=text)), str)


@pytest.mark.parametrize(
    "text",
    ["`" * 20_000, "skip it " * 9_000, "test_x " * 9_000, "- a:\n" * 9_000, "no " * 20_000],
)
def test_long_texts_take_no_longer_than_their_length(text: str) -> None:
    assert permitted(finding(SKIPPED, "test_x"), AcceptedText(text=text)) == ""
    named_paths(text)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Write `src/cart.py` and tests/test_cart.py.", ("src/cart.py", "tests/test_cart.py")),
        ("See https://example.org/a/b.py and www.example.org/x.md", ()),
        ("Run `pytest --cov=src/x.py -q tests/unit`", ("tests/unit",)),
        ("Everything under docs/ and/or read/write", ("docs/",)),
        ("Use Node.js, e.g. with Vue.js; version 1.2.3", ()),
        ("Change `cart.total` and `Cart.add()` in ./cart.py:12", ("cart.py",)),
        ("All of `src/**/*.ts`", ("src/",)),
        ("(see README.md, Makefile) and [x](docs/a.md)", ("README.md", "Makefile", "docs/a.md")),
        ("`tests/test_a.py::test_b` twice: tests/test_a.py", ("tests/test_a.py",)),
        ("/etc/passwd ~/x.py ../up.py $HOME/x.py", ()),
        ('**src/a.go**, "b/c.rs"', ("src/a.go", "b/c.rs")),
        ("", ()),
    ],
)
def test_paths_that_a_text_names(text: str, paths: tuple[str, ...]) -> None:
    assert named_paths(text) == paths


@given(st.text())
def test_paths_of_any_text(text: str) -> None:
    assert all(path in text for path in named_paths(text))
