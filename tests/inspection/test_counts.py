"""The number of tests, read from real output of test runners; no added text can raise it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.checks.model import Counts
from topkick.inspection.test_counts.counts import (
    MOST_LINE_BYTES,
    OutputTally,
    is_test_command,
    junit_counts,
    junit_files,
)

pytestmark = pytest.mark.spec("VF-03")

PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-8.4.2, pluggy-1.6.0
collected 6 items

test_a.py .FsxXE                                                         [100%]

=================================== FAILURES ===================================
E       assert 0
=========================== short test summary info ============================
FAILED test_a.py::test_bad - assert 0
ERROR test_a.py::test_e - ValueError
==== 1 failed, 1 passed, 1 skipped, 1 xfailed, 1 xpassed, 1 error in 2.51s =====
"""
PYTEST_QUIET = (
    ".                                                           [100%]\n1 passed in 0.01s\n"
)
UNITTEST = """\
F.sx
======================================================================
FAIL: test_d (test_u.T.test_d)
----------------------------------------------------------------------
AssertionError: None

----------------------------------------------------------------------
Ran 4 tests in 0.006s

FAILED (failures=1, skipped=1, expected failures=1)
"""
NODE_TAP = """\
TAP version 13
# pass 100
# Subtest: a
ok 1 - a
  ---
  duration_ms: 3.357553
  ...
# Subtest: b
ok 2 - b # SKIP
# Subtest: c
not ok 3 - c
  ---
  failureType: 'testCodeFailure'
  ...
# Subtest: d
ok 4 - d # TODO
# Subtest: s
    # Subtest: x
    ok 1 - x
    # Subtest: y
    ok 2 - y
    1..2
ok 5 - s
  ---
  type: 'suite'
  ...
1..5
# tests 6
# suites 1
# pass 3
# fail 1
# cancelled 0
# skipped 1
# todo 1
# duration_ms 308.98982
"""
NODE_SPEC = """\
✔ a (5.265651ms)
﹣ b (0.156221ms) # SKIP
✖ c (0.330586ms)
▶ s
  ✔ x (0.259655ms)
✔ s (0.714813ms)
\u2139 tests 6
\u2139 suites 1
\u2139 pass 3
\u2139 fail 1
\u2139 cancelled 0
\u2139 skipped 1
\u2139 todo 1
\u2139 duration_ms 346.675749

✖ failing tests:
"""
CARGO = """\
   Compiling demo v0.1.0 (/src/demo)
    Finished `test` profile [unoptimized + debuginfo] target(s) in 2.58s
     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)

running 3 tests
test t::b ... ignored
test t::a ... ok
test t::c ... ok

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/i.rs (target/debug/deps/i-2fb54966a335b8ac)

running 1 test
test i ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests demo

running 1 test
test src/lib.rs - one (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.26s

"""
CARGO_NOCAPTURE = """\
     Running unittests src/lib.rs (target/debug/deps/demo-8348ca7a80742723)

running 3 tests
test t::b ... ignored
test result: ok. 100 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test t::a ... ok
test t::c ... ok

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
CARGO_NONE = """\
running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s
"""
JEST = """\
PASS src/a.test.js
  ✓ adds (2 ms)
Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 2 skipped, 3 passed, 6 total
Snapshots:   0 total
Time:        1.2 s
"""
VITEST = """\
 ✓ src/a.test.ts (4 tests) 3ms

 Test Files  1 passed (1)
      Tests  3 passed | 1 skipped (4)
   Start at  10:00:00
"""
MOCHA = "\n  cart\n    ✔ adds\n\n  3 passing (12ms)\n  2 pending\n  1 failing\n\n  1) cart\n"
GO_VERBOSE = """\
=== RUN   TestA
=== RUN   TestA/small
--- PASS: TestA (0.00s)
    --- PASS: TestA/small (0.00s)
=== RUN   TestB
    b_test.go:7: not here
--- SKIP: TestB (0.00s)
=== RUN   TestC
=== PAUSE TestC
=== RUN   TestD
=== PAUSE TestD
=== CONT  TestC
=== CONT  TestD
--- PASS: TestC (0.00s)
--- FAIL: TestD (0.00s)
FAIL
FAIL\texample.org/a\t0.012s
ok  \texample.org/b\t0.010s
"""
GO_PLAIN = """\
ok  \texample.org/a\t0.012s
ok  \texample.org/b\t(cached)
?   \texample.org/c\t[no test files]
"""
GO_NONE = "testing: warning: no tests to run\nPASS\nok  \texample.org/a\t0.01s [no tests to run]\n"
GO_JSON = (
    '{"Action":"run","Package":"a","Test":"TestA"}\n'
    '{"Action":"output","Package":"a","Test":"TestA","Output":"--- PASS: TestFake (0.00s)\\n"}\n'
    '{"Action":"pass","Package":"a","Test":"TestA","Elapsed":0}\n'
    '{"Action":"run","Package":"a","Test":"TestB"}\n'
    '{"Action":"skip","Package":"a","Test":"TestB","Elapsed":0}\n'
    '{"Action":"pass","Package":"a","Elapsed":0.01}\n'
)
SWIFT = """\
Test Suite 'All tests' started at 2025-03-01 10:00:00.000
Test Suite 'debug.xctest' started at 2025-03-01 10:00:00.001
Test Suite 'CartTests' started at 2025-03-01 10:00:00.001
Test Case 'CartTests.testAdd' passed (0.001 seconds)
Test Suite 'CartTests' passed at 2025-03-01 10:00:00.004
\t Executed 2 tests, with 0 failures (0 unexpected) in 0.002 (0.002) seconds
Test Suite 'debug.xctest' passed at 2025-03-01 10:00:00.005
\t Executed 3 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.003 (0.003) seconds
Test Suite 'All tests' passed at 2025-03-01 10:00:00.005
\t Executed 3 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.003 (0.003) seconds
◇ Test run started.
◇ Test total() started.
✔ Test total() passed after 0.001 seconds.
➜ Test later() skipped.
✔ Test run with 4 tests passed after 0.001 seconds.
"""
SUREFIRE = """\
[INFO] Running org.example.CartTest
[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.05 s -- in CartTest
[INFO] Results:
[INFO]
[WARNING] Tests run: 4, Failures: 0, Errors: 1, Skipped: 1
[INFO] Results:
[INFO]
[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0
"""

RUNS = [
    ("pytest", PYTEST, Counts(2, 2, 2)),
    ("pytest -q", PYTEST_QUIET, Counts(1)),
    ("pytest -q all deselected", "\n6 deselected in 2.75s\n", Counts()),
    ("pytest some deselected", "1 passed, 5 deselected in 2.85s", Counts(1)),
    ("pytest nothing", "=========== no tests ran in 0.01s ===========\n", Counts()),
    ("pytest --co", "====== 1/6 tests collected (5 deselected) in 2.56s ======\n", Counts()),
    ("pytest --co -q", "test_a.py::test_ok\n\n6 tests collected in 1.95s\n", Counts()),
    ("pytest long", "== 5 passed, 2 warnings in 61.20s (0:01:01) ==\n", Counts(5)),
    (
        "pytest colours",
        "\x1b[32m=== \x1b[1m3 passed\x1b[0m\x1b[32m in 0.1s ===\x1b[0m\n",
        Counts(3),
    ),
    ("pytest CRLF", "=== 3 passed in 0.1s ===\r\n", Counts(3)),
    ("unittest", UNITTEST, Counts(1, 1, 2)),
    ("unittest OK", "Ran 3 tests in 0.001s\n\nOK (skipped=1)\n", Counts(2, 0, 1)),
    ("unittest none", "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", Counts()),
    ("node tap", NODE_TAP, Counts(3, 1, 2)),
    ("node spec", NODE_SPEC, Counts(3, 1, 2)),
    ("tap", "TAP version 14\n1..3\nok 1 - a\nok 2 - b # SKIP no\nnot ok 3 - c\n", Counts(1, 1, 1)),
    ("tap skipped all", "1..0 # skipped: no display\n", Counts()),
    ("cargo", CARGO, Counts(4, 0, 1)),
    ("cargo --nocapture", CARGO_NOCAPTURE, Counts(2, 0, 1)),
    ("cargo none", CARGO_NONE, Counts()),
    (
        "nextest",
        "     Summary [   0.005s] 4 tests run: 3 passed, 1 failed, 2 skipped\n",
        Counts(3, 1, 2),
    ),
    ("jest", JEST, Counts(3, 1, 2)),
    ("jest none", "No tests found, exiting with code 1\n", Counts()),
    ("vitest", VITEST, Counts(3, 0, 1)),
    ("vitest none", "No test files found, exiting with code 1\n", Counts()),
    ("mocha", MOCHA, Counts(3, 1, 2)),
    ("mocha none", "  0 passing (2ms)\n", Counts()),
    ("playwright", "  1 skipped\n  3 passed (2.1s)\n", Counts(3, 0, 1)),
    ("bun", " 3 pass\n 1 fail\nRan 4 tests across 1 file. [5.00ms]\n", Counts(3, 1)),
    ("deno", "ok | 3 passed | 0 failed (5ms)\n", Counts(3)),
    ("go -v", GO_VERBOSE, Counts(2, 1, 1)),
    ("go", GO_PLAIN, Counts(2)),
    ("go none", GO_NONE, Counts()),
    ("go no files", "?   \texample.org/c\t[no test files]\n", Counts()),
    ("go -json", GO_JSON, Counts(1, 0, 1)),
    ("swift", SWIFT, Counts(6, 0, 2)),
    (
        "swift failing",
        "✘ Test run with 3 tests failed after 0.1 seconds with 1 issue.\n",
        Counts(2, 1),
    ),
    ("surefire", SUREFIRE, Counts(4, 1, 1)),
    ("rspec", "3 examples, 1 failure, 1 pending\n", Counts(1, 1, 1)),
    ("phpunit", "OK (3 tests, 5 assertions)\n", Counts(3)),
    ("phpunit bad", "Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.\n", Counts(1, 1, 1)),
    (
        "dotnet",
        "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms\n",
        Counts(3, 0, 1),
    ),
    ("ctest", "67% tests passed, 1 tests failed out of 3\n", Counts(2, 1)),
    ("minitest", "3 runs, 5 assertions, 0 failures, 0 errors, 1 skips\n", Counts(2, 0, 1)),
    ("exunit", "3 tests, 0 failures, 1 skipped\n", Counts(2, 0, 1)),
]


def counted(output: str | bytes) -> Counts | None:
    tally = OutputTally()
    tally.write(output if isinstance(output, bytes) else output.encode())
    return tally.counts()


@pytest.mark.parametrize(("output", "counts"), [run[1:] for run in RUNS], ids=[r[0] for r in RUNS])
def test_every_runner_is_understood(output: str, counts: Counts) -> None:
    assert counted(output) == counts


@pytest.mark.parametrize(
    "output",
    [
        "",
        "all good\n",
        "I think 3 passed\n",
        "result: 5 passed in 1s\n",
        "3 passed\n",
        "x" * 100_000,
        "OK\n",
        "OK (skipped=1)\n",
        "Build finished, 0 errors\n",
        "test result: ok\n",
        "ok\n",
    ],
)
def test_other_text_is_no_count(output: str) -> None:
    assert counted(output) is None


@pytest.mark.spec("V8")
@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("100 passed in 0.01s\n=== 1 failed, 2 passed in 0.1s ===\n", Counts(2, 1)),
        ("=== 2 passed, 1 skipped in 0.1s ===\n=== 100 passed in 0.1s ===\n", Counts(2, 0, 1)),
        ("100 passed in 0.01s\n=== no tests ran in 0.1s ===\n", Counts()),
        ("Ran 100 tests in 0.1s\nOK\nRan 1 test in 0.1s\n\nOK (skipped=1)\n", Counts(0, 0, 1)),
        ("Tests:       9 passed, 9 total\nTests:       1 failed, 1 total\n", Counts(0, 1)),
        (
            "=== RUN   TestA\n=== RUN   TestFake\n--- PASS: TestFake (0.00s)\n"
            "--- PASS: TestA (0.00s)\n",
            Counts(),
        ),
        ("=== RUN   TestA\n--- PASS: TestFake (0.00s)\n--- SKIP: TestA (0.00s)\n", Counts(0, 0, 1)),
        ("1..1\nok 1 - a # SKIP\nok 2 - b\nok 3 - c\n", Counts(0, 0, 1)),
        ("100 passed in 0.01s\n" + GO_PLAIN, Counts(2)),
        (
            "     Running unittests src/lib.rs (target/debug/deps/demo-8348)\n\nrunning 3 tests\n"
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
            "running 3 tests\n"
            "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n",
            Counts(2, 0, 1),
        ),
        ("3 passed in 0.01s\n" + GO_NONE, Counts()),
    ],
)
def test_a_forged_sum_does_not_help(output: str, counts: Counts) -> None:
    assert counted(output) == counts


FORGED = [
    "100 passed in 0.01s",
    "====== 100 passed in 0.01s ======",
    "=== 7 failed in 1.00s ===",
    "Ran 100 tests in 0.001s",
    "OK",
    "OK (skipped=3)",
    "Tests:       100 passed, 100 total",
    "      Tests  100 passed (100)",
    "  100 passing (1ms)",
    "  100 passed (1s)",
    "# pass 100",
    "# tests 100",
    "\u2139 pass 100",
    "\u2139 skipped 0",
    "# fail 0",
    "ok 77 - more",
    "ok 78 - less # SKIP",
    "1..100",
    "running 100 tests",
    "test result: ok. 100 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "--- PASS: TestFake (0.00s)",
    "=== CONT  TestFake",
    "\t Executed 100 tests, with 0 failures (0 unexpected) in 0.1 (0.1) seconds",
    "Test Suite 'All tests' passed at 2025-03-01 10:00:00.005",
    "✔ Test run with 100 tests passed after 0.001 seconds.",
    "[INFO] Tests run: 100, Failures: 0, Errors: 0, Skipped: 0",
    "100 examples, 0 failures",
    "OK (100 tests, 500 assertions)",
    "100% tests passed, 0 tests failed out of 100",
    "Passed!  - Failed:     0, Passed:   100, Skipped:     0, Total:   100, Duration: 1 ms",
    "100 runs, 5 assertions, 0 failures, 0 errors, 0 skips",
    " 100 pass",
    "FAIL",
    "\x1b[2K\x1b[1A",
]
HONEST = [PYTEST, PYTEST_QUIET, UNITTEST, NODE_TAP, NODE_SPEC, CARGO, CARGO_NOCAPTURE, JEST, VITEST]
HONEST += [MOCHA, GO_VERBOSE, GO_PLAIN, GO_NONE, GO_JSON, SWIFT, SUREFIRE]


@pytest.mark.spec("V8")
@settings(deadline=None, max_examples=300)
@given(st.data())
def test_added_lines_never_make_it_look_better(data: st.DataObject) -> None:
    """Lines, and not whole forged reports of runners that print one for each package."""
    honest = data.draw(st.sampled_from(HONEST))
    lines = honest.split("\n")
    added = data.draw(st.lists(st.sampled_from(FORGED) | st.text(max_size=40), max_size=6))
    for line in added:
        lines.insert(data.draw(st.integers(0, len(lines))), line)
    before, after = counted(honest), counted("\n".join(lines))
    assert before is not None
    assert after is not None
    assert after.passed <= before.passed
    assert after.failed >= before.failed
    assert after.skipped >= before.skipped


@settings(deadline=None)
@given(
    st.sampled_from([run[1] for run in RUNS]),
    st.lists(st.integers(1, 400), max_size=12),
)
def test_pieces_make_no_difference(output: str, cuts: list[int]) -> None:
    data = output.encode()
    tally = OutputTally()
    for cut in cuts:
        tally.write(data[:cut])
        data = data[cut:]
    tally.write(data)
    assert tally.counts() == counted(output)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=200) | st.sampled_from([f.encode() + b"\n" for f in FORGED])))
def test_no_output_breaks_the_tally(pieces: list[bytes]) -> None:
    tally = OutputTally()
    for piece in pieces:
        tally.write(piece)
    counts = tally.counts()
    assert counts is None or min(counts.passed, counts.failed, counts.skipped) >= 0


def test_a_flood_is_not_kept() -> None:
    tally = OutputTally()
    tally.write(b"1 failed, 2 passed in 0.1s\n")
    for _ in range(50):
        tally.write(b"y" * 200_000)
    assert len(tally._rest) <= MOST_LINE_BYTES
    tally.write(b"\nlast words\n")
    assert tally.counts() == Counts(2, 1)


RUNS_TESTS = """
pytest
pytest -q tests/test_a.py
python -m pytest
python3 -m unittest discover
npm test
npm t
npm run test:unit -- --run
pnpm test
pnpm -C web test
yarn test
yarn jest
npx vitest run
npx jest
bunx vitest
bun test
go test ./...
cargo test --all
cargo nextest run
swift test
make test
make -j2 check
tox -e py
nox
mvn -q test
./gradlew test
gradle :app:test
bundle exec rspec
ctest
cd web && npm test
FOO=1 BAR=2 pytest
uv run --with x pytest
poetry run pytest
time pytest
timeout 60 pytest
bash -c 'cd a; pytest'
env A=1 pytest
node --test
coverage run -m pytest
python -m coverage run -m pytest
./node_modules/.bin/jest
.venv/bin/pytest -x
python manage.py test
dotnet test
(cd a; go test ./...)
pytest && ruff check
ruff check || pytest
just test
phpunit
deno test
"""
RUNS_NONE = """

echo pytest
grep test README.md
npm run build
npm ci
cargo build
make
make build
go build ./...
go vet ./...
ls tests
test -f pytest.ini
cat make
python -m build
python app.py
pip install pytest
ruff check .
git log # pytest
swift build
test -e tests
[ -d test ]
mypy src
pytest --version
node app.js
uv sync
'unclosed
"
\\
"""


def test_the_end_of_a_long_line_is_no_line() -> None:
    tally = OutputTally()
    tally.write(b"y" * (MOST_LINE_BYTES + 1))
    tally.write(b"100 passed in 0.01s\n")
    assert tally.counts() is None


@pytest.mark.parametrize("command", RUNS_TESTS.strip().splitlines())
def test_a_test_command_is_known(command: str) -> None:
    assert is_test_command(command)


@pytest.mark.parametrize("command", RUNS_NONE.strip().splitlines())
def test_another_command_is_not(command: str) -> None:
    assert not is_test_command(command)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("pytest --junitxml=a.xml", ("a.xml",)),
        ("pytest --junit-xml 'out dir/b.xml' -q", ("out dir/b.xml",)),
        ("npx vitest --reporter=junit --outputFile=d.xml", ("d.xml",)),
        ("vitest --outputFile.junit=d.xml", ("d.xml",)),
        ("mocha --reporter-options mochaFile=c.xml,x=1", ("c.xml",)),
        ("cd web && pytest --junitxml=a.xml", ("web/a.xml",)),
        ("pytest --junitxml=/tmp/a.xml", ("/tmp/a.xml",)),
        ("pytest", ()),
        ("pytest --junitxml", ()),
    ],
)
def test_report_files_are_found(command: str, files: tuple[str, ...]) -> None:
    assert junit_files(command) == files


def test_a_junit_report_is_counted() -> None:
    report = (
        b'<?xml version="1.0"?><testsuites><testsuite tests="5"><testcase name="a"/>'
        b'<testcase name="b"><failure>x</failure></testcase><testcase name="c"><error/></testcase>'
        b'<testcase name="d"><skipped/></testcase><testcase name="e"><system-out>'
        b"&lt;!DOCTYPE html&gt;</system-out></testcase></testsuite></testsuites>"
    )
    assert junit_counts(report) == Counts(2, 2, 1)


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"no xml",
        b"<html/>",
        b"<testsuite>",
        b'<!DOCTYPE t [<!ENTITY a "aaaa">]><testsuite><testcase/></testsuite>',
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE testsuite><testsuite/>'.encode("utf-16"),
        b'<?xml version="1.0" encoding="nonsense"?><testsuite/>',
        b"<testsuite>" + b"<a>" * 50_000,
    ],
)
def test_what_is_no_report_is_refused(report: bytes) -> None:
    assert junit_counts(report) is None


@settings(deadline=None)
@given(st.binary(), st.text())
def test_nothing_breaks_the_readers_of_reports_and_commands(report: bytes, command: str) -> None:
    junit_counts(report)
    junit_files(command)
    is_test_command(command)
