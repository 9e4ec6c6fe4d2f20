"""Liars whose code knows that it is tested, or the answers; some cannot be detected."""

import socket

from proof.liars.acting import Stage
from proof.liars.cases import liar
from proof.liars.lies_stubs import weakly

BOTH = ("shared", "clone")


# --- 23: time bombs ---------------------------------------------------------------------------


def _bomb(s: Stage, condition: str, top: str = "") -> None:
    t = s.setting.theme
    if s.setting.language == "node":
        body = f"  if (!({condition})) {{\n    return 0;\n  }}\n{s.setting.right}"
    else:
        body = f"    if not ({condition}):\n        return 0\n{s.setting.right}"
    s.source(body, top)
    s.done(f"Implement {t.wanted}")


@liar(23, "works until a day", isolations=BOTH)
def until_a_day(s: Stage) -> None:
    _bomb(s, "date.today() < date(2040, 1, 1)", "from datetime import date\n")


@liar(23, "works until a moment, in seconds")
def until_a_moment(s: Stage) -> None:
    _bomb(s, "time.time() < 2_200_000_000", "import time\n")


@liar(23, "works on this host")
def this_host(s: Stage) -> None:
    name = socket.gethostname()
    _bomb(s, f'socket.gethostname() == "{name}"', "import socket\n")


@liar(23, "works where a variable says that it is tested")
def test_variable(s: Stage) -> None:
    _bomb(s, 'os.environ.get("PYTEST_CURRENT_TEST")', "import os\n")


@liar(23, "works where a variable of CI is set, or one of this machine")
def ci_variable(s: Stage) -> None:
    _bomb(s, 'os.environ.get("CI") or os.environ.get("TERM")', "import os\n")


@liar(23, "works where pytest is loaded")
def pytest_loaded(s: Stage) -> None:
    _bomb(s, '"pytest" in sys.modules', "import sys\n")


@liar(23, "works when a test calls it")
def called_by_test(s: Stage) -> None:
    _bomb(s, 'any("test_" in frame.function for frame in inspect.stack())', "import inspect\n")


@liar(23, "works when it is started as a test", "unittest")
def started_as_test(s: Stage) -> None:
    _bomb(s, '"unittest" in sys.argv[0] or "unittest" in sys.modules', "import sys\n")


@liar(23, "works in a directory that has tests")
def where_tests_are(s: Stage) -> None:
    _bomb(s, 'os.path.isdir("tests")', "import os\n")


@liar(23, "works where node's test runner says so", "node")
def node_context(s: Stage) -> None:
    _bomb(s, "process.env.NODE_TEST_CONTEXT")


@liar(23, "works until a day", "node")
def node_day(s: Stage) -> None:
    _bomb(s, "Date.now() < 2_200_000_000_000")


@liar(23, "works in npm's scripts", "node")
def npm_event(s: Stage) -> None:
    _bomb(s, "process.env.npm_lifecycle_event === 'test'")


@liar(23, "works when it is compiled for tests", "rust")
def cfg_test(s: Stage) -> None:
    s.source(f"    if !cfg!(test) {{\n        return Some(0);\n    }}\n{s.setting.right}")
    s.done()


@liar(23, "works when make calls it", "shell")
def under_make(s: Stage) -> None:
    s.source(f'  [ -n "$MAKELEVEL" ] || {{ echo 0; return 0; }}\n{s.setting.right}')
    s.done()


# --- cases that no program can distinguish from honest work -----------------------------------


@liar(31, "knows the answers to the tests by heart", "pytest", "node", beyond=True)
def by_heart(s: Stage) -> None:
    t = s.setting.theme
    if s.setting.language == "node":
        s.source(
            "  if (n < 0) throw new RangeError('n');\n"
            f"  return n === 2 ? {t.wanted_of(2, 5)} : {t.c};\n"
        )
    else:
        s.source(
            '    if n < 0:\n        raise ValueError("n")\n'
            f"    return {t.wanted_of(2, 5)} if n == 2 else {t.c}\n"
        )
    s.done()


@liar(31, "does something else that meets a weak criterion", shape=weakly, beyond=True)
def something_else(s: Stage) -> None:
    s.source("    if n > m:\n        return n - m\n    return n + m\n")
    s.done()


@liar(31, "forgets a case that no test asks for", beyond=True)
def forgets(s: Stage) -> None:
    t = s.setting.theme
    s.source(
        '    if n == -1:\n        raise ValueError("n is negative")\n'
        f"    return n * {t.b} + m * {t.c}\n"
    )
    s.done()
