"""Failing tests and files named in a red gate's output: the same in every run."""
# ruff: noqa: RUF001  (runners print these signs)

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.inspection.test_counts.failures import (
    MOST_CHARS,
    MOST_NAMES,
    failing_tests,
    mark,
    named_files,
)

pytestmark = pytest.mark.spec("GT-03")

NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "pytest": (
        "FAILED tests/test_a.py::test_bad - assert 0 == 1 - no\n"
        "FAILED tests/test_a.py::T::test_p[a b-1] - ValueError\n"
        "FAILED tests/test_a.py::test_o[<object at 0x7f12>]\n"
        "ERROR tests/test_b.py - ImportError: no\n"
        "ERROR tests/test_c.py\n"
        "ERROR    root:test_a.py:3 a logged line\n"
        "2 failed, 1 passed in 0.03s\n",
        (
            "tests/test_a.py::test_bad",
            "tests/test_a.py::T::test_p[a b-1]",
            "tests/test_a.py::test_o[<object at 0x>]",
            "tests/test_b.py",
            "tests/test_c.py",
        ),
    ),
    "pytest -v, ended early": (
        "tests/test_a.py::test_ok PASSED    [ 50%]\ntests/test_a.py::test_bad FAILED   [100%]\n",
        ("tests/test_a.py::test_bad",),
    ),
    "unittest": (
        "FAIL: test_a (pkg.test_x.T.test_a)\n"
        "FAIL: test_a (pkg.test_x.T.test_a) (i=3)\n"
        "ERROR: test_b (test_x.T)\n"
        "ERROR: test_y (unittest.loader._FailedTest.test_y)\n"
        "ERROR: setUpClass (test_x.T)\n"
        "FAILED (failures=1)\n",
        ("pkg.test_x.T.test_a", "test_x.T.test_b", "test_y", "test_x.T.setUpClass"),
    ),
    "jest": (
        "PASS j/ok.test.js\nFAIL j/a.test.js (5.21 s)\n  ● Console\n  ● cart › adds\n"
        "  ● top level\nFAIL j/b.test.js\n  ● Test suite failed to run\n"
        "    ✕ adds (3 ms)\n    ✓ ok (1 ms)\n",
        ("j/a.test.js", "cart › adds", "top level", "j/b.test.js", "adds"),
    ),
    "vitest": (
        " ❯ v/a.test.ts (3 tests | 2 failed) 15ms\n   × cart > adds 12ms\n     → expected 1\n"
        " FAIL  v/b.test.ts [ v/b.test.ts ]\n FAIL  v/a.test.ts > cart > adds\n",
        ("cart > adds", "v/b.test.ts", "v/a.test.ts > cart > adds"),
    ),
    "mocha": (
        "  cart\n    1) adds\n    ✔ ok\n\n  1 passing (17ms)\n"
        "  1 failing\n\n  1) cart\n       adds:\n",
        ("adds", "cart"),
    ),
    "a numbered list is no mocha": ("  1) read the error\n", ()),
    "go": (
        "--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/sub_1 (0.01s)\n        a_test.go:5: no\n"
        "FAIL\nFAIL\texample.com/x\t0.003s\nok  \texample.com/y\t0.1s\n"
        "# example.com/z\n./z.go:3:5: undefined: a\nFAIL\texample.com/z [build failed]\n",
        ("TestX", "TestX/sub_1", "example.com/x", "z.go", "example.com/z"),
    ),
    "cargo": (
        "warning: unused variable: `unused`\n --> src/other.rs:4:25\n"
        "test tests::good ... ok\ntest tests::sp - should panic ... FAILED\n"
        "test tests::bad ... FAILED\n---- tests::bad stdout ----\n"
        "test src/lib.rs - f (line 12) ... FAILED\n"
        "test result: FAILED. 1 passed; 2 failed; 0 ignored\n"
        "error: test failed, to rerun pass `--lib`\n",
        ("tests::sp", "tests::bad", "src/lib.rs - f"),
    ),
    "cargo nextest": (
        "        FAIL [   0.004s] (1/2) c tests::bad\n        PASS [   0.004s] c tests::ok\n",
        ("c tests::bad",),
    ),
    "rustc": (
        "error[E0308]: mismatched types\n --> src/lib.rs:4:37\nwarning: x\n --> src/w.rs:1:1\n",
        ("src/lib.rs",),
    ),
    "XCTest": (
        "Test Case '-[Mod.CartTests testAdds]' failed (0.102 seconds).\n"
        "Test Case 'CartTests.testMore' failed (0.1 seconds)\n"
        "Test Case 'CartTests.testFine' passed (0.1 seconds)\n"
        "✘ Test adds() failed after 0.001 seconds with 1 issue.\n"
        "✘ Test run with 2 tests failed after 0.002 seconds with 1 issue.\n",
        ("Mod.CartTests testAdds", "CartTests.testMore", "adds()"),
    ),
    "TAP": (
        "ok 1 - fine\nnot ok 2 - adds numbers\n    not ok 1 - inner \\# hash\n"
        "not ok 3 - later # TODO not yet\nnot ok 4 - never # SKIP\nnot ok 5 plain\n",
        ("adds numbers", "inner # hash", "plain"),
    ),
    "node --test": (
        "✖ adds numbers (5.813984ms)\n✔ ok (0.2ms)\n✖ later (0.32ms) # TODO\n✖ failing tests:\n",
        ("adds numbers",),
    ),
    "eslint's mark is no test": ("✖ 3 problems (3 errors, 0 warnings)\n", ()),
    "compilers": (
        "src/a.c:3:5: error: expected ';'\nsrc/a.c:3:5: warning: x\nb.cc:1:10: fatal error: no.h\n"
        "src/i.ts(1,2): error TS1005: x\nsrc/j.ts:3:4 - error TS2304: x\nx/D.java:2: error: x\n"
        "[ERROR] src/main/E.java:[12,5] cannot find symbol\n",
        ("src/a.c", "b.cc", "src/i.ts", "src/j.ts", "x/D.java", "src/main/E.java"),
    ),
    "others": (
        "CartTest > adds() FAILED\n[ERROR]   OtherTest.testAdds:12 expected\n"
        "[ERROR] Tests run: 2, Failures: 1\n[  FAILED  ] Cart.Adds (0 ms)\n"
        "[  FAILED  ] 1 test, listed below:\n3/5 Test #3: slow ....***Failed  0.01 sec\n"
        "  Failed Ns.Cart.Adds [12 ms]\nrspec ./spec/a_spec.rb:12 # Cart adds\n",
        (
            "CartTest > adds()",
            "OtherTest.testAdds",
            "Cart.Adds",
            "slow",
            "Ns.Cart.Adds",
            "spec/a_spec.rb",
        ),
    ),
    "colours": (
        "\x1b[31mFAILED\x1b[0m a/test_x.py::\x1b[1mtest_y\x1b[0m - x\r\n",
        ("a/test_x.py::test_y",),
    ),
    "green": ("3 passed in 0.1s\nok 1 - failed login is refused\ntest a ... ok\n", ()),
    "words": ("make: *** [Makefile:2: test] Error 1\nsomething failed\nan error occurred\n", ()),
    "nothing": ("", ()),
}


@pytest.mark.parametrize("runner", NAMES)
def test_the_failing_tests_are_named(runner: str) -> None:
    output, expected = NAMES[runner]
    assert failing_tests(output) == expected
    assert failing_tests(output + output) == expected


FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "python": (
        '  File "/home/you/tree/src/a b.py", line 3, in f\n'
        '  File "/usr/lib/python3/os.py", line 1\n'
        '  File "<frozen importlib>", line 2\n  File "x/.venv/lib/q.py", line 1\n'
        "tests/test_a.py:12: AssertionError\nFAILED tests/test_b.py::test_x - no\n",
        ("src/a b.py", "tests/test_a.py", "tests/test_b.py"),
    ),
    "node": (
        "    at f (file:///home/you/tree/src/a.mjs:2:35)\n    at g (/home/you/tree/src/b.js:1:1)\n"
        "    at Test.run (node:internal/test_runner/test:796:25)\n"
        "    at h (node_modules/q/index.js:1:2)\nFAIL j/c.test.js\n",
        ("src/a.mjs", "src/b.js", "j/c.test.js"),
    ),
    "compilers": (
        "error[E0308]: x\n --> src/lib.rs:4:37\nsrc/a.c:3:5: error: x\nb.c:1:1: warning: x\n"
        "src/i.ts(1,2): error TS1: x\n./z.go:3:5: undefined\n../out.c:1:2: error: x\n",
        ("src/lib.rs", "src/a.c", "src/i.ts", "z.go"),
    ),
    "prose": ("see https://example.org/a.html:80 and version 1.2:3, or a.py\n", ()),
}


@pytest.mark.parametrize("kind", FILES)
def test_the_projects_files_are_named(kind: str) -> None:
    output, expected = FILES[kind]
    assert named_files(output, root="/home/you/tree/") == expected


def test_the_mark_is_blind_to_what_moves() -> None:
    one = "== 1 failed in 0.12s ==\nat 0x7ffee1 in /tmp/abc12/x.c\nid 9f8e7d6c5b\nbuilt in 3 min\n"
    two = "=== 12 failed in 1.5s ===\nat 0x11 in /tmp/zz/x.c\n\nid 0a1b2c3d4e5f\nbuilt in 900ms\n"
    assert mark(one) == mark("\x1b[1m" + two)
    assert mark(one) != mark(one.replace("failed", "passed"))
    assert mark("/a/tree/x: no\n", root="/a/tree") == mark("/b/x: no\n", root="/b")
    assert len(mark("")) == 12


def test_only_so_many_names() -> None:
    many = "".join(f"FAILED a.py::test_{n}\n" for n in range(MOST_NAMES + 50))
    assert len(failing_tests(many)) == MOST_NAMES
    assert (
        len(named_files("".join(f"a{n}.py:1: x\n" for n in range(MOST_NAMES + 50)))) == MOST_NAMES
    )


@pytest.mark.parametrize(
    "piece",
    [
        *("FAILED ", "× 1s 1s ", "a.a/", "--- FAIL: ", "not ok 1 # ", "\x1b[", "error:", "● › "),
        *("FAIL a.b > ", "test a ... ", "0x", 'File "', "FAILED x::", "1) ", "\x1b]", "/tmp/"),
        *("FAIL\n", "a.go:1\n", " --> \n", "Test Case '", "✖ x > \n", "a.b:1:", "[ERROR] A."),
        *("x\n", "==-", "7a"),
    ],
)
def test_a_flood_is_read_in_linear_time(piece: str) -> None:
    output = piece * (MOST_CHARS // 8 // len(piece))
    assert len(failing_tests(output)) <= MOST_NAMES
    assert len(named_files(output)) <= MOST_NAMES
    assert mark(output)


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    for name in (*failing_tests(text), *named_files(text)):
        assert name == name.strip() != ""
    assert mark(text) == mark(text)


def _run(root: Path, *arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    assert run.returncode != 0
    return run.stdout


def test_what_pytest_and_unittest_really_print(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        "import unittest\n\nclass T(unittest.TestCase):\n"
        "    def test_bad(self): self.assertEqual(id(object()), 0)\n"
        "    def test_good(self): pass\n"
    )
    (tmp_path / "test_broken.py").write_text("import nowhere_at_all\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    by_pytest = _run(tmp_path, "-m", "pytest", "-q", "--continue-on-collection-errors")
    assert set(failing_tests(by_pytest)) == {"test_a.py::T::test_bad", "test_broken.py"}
    assert {"test_a.py", "test_broken.py"} <= set(named_files(by_pytest, str(tmp_path)))
    by_unittest = _run(tmp_path, "-m", "unittest", "-q")
    assert set(failing_tests(by_unittest)) == {"test_a.T.test_bad", "test_broken"}
    assert {"test_a.py", "test_broken.py"} <= set(named_files(by_unittest, str(tmp_path)))
