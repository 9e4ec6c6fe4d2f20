"""The Python reader: one small source a row, and exactly what is to be found in it."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.inspection.inventory import Function, Inventory, TestCase
from topkick.inspection.languages.common.reader import read

pytestmark = pytest.mark.spec("VF-03")


def inventory(text: str, path: str = "tests/test_cart.py") -> Inventory:
    found = read(path, textwrap.dedent(text))
    assert found is not None
    return found


def only_case(body: str) -> TestCase:
    lines = textwrap.indent(textwrap.dedent(body), "    ")
    (case,) = inventory(f"def test_a(x, y, self, mock):\n{lines}\n").cases
    return case


def only_function(text: str, path: str = "cart.py") -> Function:
    (function,) = inventory(text, path).functions
    return function


ASSERTIONS = [
    ("assert x", ["assert x"]),
    ("assert x == 1, 'why'", ["assert x == 1"]),
    ("assert  x==1  # why", ["assert x == 1"]),
    ("assert (\n    x\n    == 1\n)", ["assert x == 1"]),
    ("assert x\nassert y", ["assert x", "assert y"]),
    ("self.assertEqual(x, 3)", ["self.assertEqual(x, 3)"]),
    ("self.assertEqual(x, 3, 'why')", ["self.assertEqual(x, 3)"]),
    ("self.assertEqual(x, 3, msg='why')", ["self.assertEqual(x, 3)"]),
    ("self.assertTrue(x, 'why')", ["self.assertTrue(x)"]),
    ("with pytest.raises(ValueError):\n    x()", ["pytest.raises(ValueError)"]),
    (
        "with pytest.raises(ValueError, match='a'):\n    x()",
        ["pytest.raises(ValueError, match='a')"],
    ),
    ("with self.assertRaises(ValueError):\n    x()", ["self.assertRaises(ValueError)"]),
    ("with pytest.warns(UserWarning):\n    x()", ["pytest.warns(UserWarning)"]),
    ("self.fail('no')", ["self.fail('no')"]),
    ("if x:\n    pytest.fail('no')", ["pytest.fail('no')"]),
    ("mock.assert_called_once_with(1, 2)", ["mock.assert_called_once_with(1, 2)"]),
    ("mock.method.assert_not_called()", ["mock.method.assert_not_called()"]),
    ("np.testing.assert_allclose(x, y)", ["np.testing.assert_allclose(x, y)"]),
    ("for a in x:\n    assert a", ["assert a"]),
    ("if x:\n    assert y\nelse:\n    assert not y", ["assert y", "assert not y"]),
    ("with x:\n    assert y", ["assert y"]),
    ("try:\n    x()\nexcept ValueError:\n    pass\nelse:\n    assert False", ["assert False"]),
    ("try:\n    x()\nexcept ValueError as e:\n    assert 'a' in str(e)", ["assert 'a' in str(e)"]),
    ("assert x() == x()", ["assert x() == x()"]),
    ("assert False, 'unreachable'", ["assert False"]),
    ("expected = 5\nassert x() == expected", ["assert x() == expected"]),
    (
        "called = False\ndef f():\n    nonlocal called\n    called = True\nx(f)\nassert called",
        ["assert called"],
    ),
    ("def f():\n    assert y\nx(f)", ["assert y"]),
    ("count = 0\ncount += x\nassert count == 3", ["assert count == 3"]),
    ("if x:\n    return\nassert y", ["assert y"]),
    ("match x:\n    case 1:\n        assert y", ["assert y"]),
    ("async with x:\n    assert await y()", ["assert await y()"]),
    ("try:\n    assert x\nexcept AssertionError:\n    raise", ["assert x"]),
    (
        "try:\n    assert x\nexcept Exception as e:\n    pytest.fail(str(e))",
        ["assert x", "pytest.fail(str(e))"],
    ),
    ("try:\n    assert x\nexcept KeyError:\n    pass", ["assert x"]),
    ("try:\n    assert x\nfinally:\n    y.close()", ["assert x"]),
    ("while True:\n    assert x\n    break", ["assert x"]),
    ("assert_valid(x)", ["assert_valid(x)"]),
    ("check_total(x)", ["check_total(x)"]),
    ("assert x in [1, 2]", ["assert x in [1, 2]"]),
    ("assert isinstance(x, int)", ["assert isinstance(x, int)"]),
    ("assert len(x) > 0", ["assert len(x) > 0"]),
    ("assert x or y", ["assert x or y"]),
    ("x()", []),
    ("pass", []),
]


@pytest.mark.parametrize(("body", "expected"), ASSERTIONS)
def test_assertions_that_can_fail(body: str, expected: list[str]) -> None:
    case = only_case(body)
    assert sorted(case.assertions) == sorted(expected)
    assert case.hollow == 0


HOLLOW = [
    "assert True",
    "assert 1",
    "assert 'text'",
    "assert not False",
    "assert not None",
    "assert 1 == 1",
    "assert 2 > 1",
    "assert 1 + 1 == 2",
    "assert (x, 'why')",
    "assert [x]",
    "assert {'a': x}",
    "assert f'got {x}'",
    "assert x == x",
    "assert x is x",
    "assert x.a == x.a",
    "assert x or True",
    "assert True or x",
    "assert x or not x",
    "assert x in [x]",
    "assert len(x) >= 0",
    "assert isinstance(x, object)",
    "assert bool(True)",
    "assert lambda: x",
    "a = True\nassert a",
    "a = 5\nassert a == 5",
    "a = 5\nb = 5\nassert a == b",
    "self.assertTrue(True)",
    "self.assertFalse(False)",
    "self.assertTrue(1 == 1)",
    "self.assertEqual(1, 1)",
    "self.assertEqual(x, x)",
    "self.assertEqual('a', 'a', 'why')",
    "self.assertIsNone(None)",
    "self.assertIn(1, [1])",
    "self.assertIsNotNone('a')",
    "return\nassert x",
    "return None\nassert x",
    "raise ValueError\nassert x",
    "pytest.skip('no')\nassert x",
    "self.skipTest('no')\nassert x",
    "if False:\n    assert x",
    "if 0:\n    assert x",
    "if not True:\n    assert x",
    "if True:\n    pass\nelse:\n    assert x",
    "while 0:\n    assert x",
    "while False:\n    assert x",
    "for a in []:\n    assert a",
    "for a in ():\n    assert a",
    "for a in range(0):\n    assert a",
    "if True:\n    return\nassert x",
    "if x:\n    return\nelse:\n    return\nassert x",
    "try:\n    assert x\nexcept:\n    pass",
    "try:\n    assert x\nexcept Exception:\n    pass",
    "try:\n    assert x\nexcept BaseException:\n    ...",
    "try:\n    assert x\nexcept AssertionError:\n    pass",
    "try:\n    assert x\nexcept (ValueError, AssertionError):\n    pass",
    "try:\n    assert x\nexcept Exception as e:\n    print(e)",
    "try:\n    assert x\nexcept Exception:\n    pytest.skip('flaky')",
    "try:\n    assert x\nexcept Exception:\n    return",
    "try:\n    assert x\nfinally:\n    return",
    "try:\n    with y:\n        assert x\nexcept Exception:\n    pass",
    "with contextlib.suppress(AssertionError):\n    assert x",
    "with suppress(Exception):\n    self.assertEqual(x, 3)",
    "def f():\n    assert x",
]


@pytest.mark.parametrize("body", HOLLOW)
def test_assertions_that_cannot_fail(body: str) -> None:
    case = only_case(body)
    assert (case.assertions, case.hollow) == ((), 1)


CASES = [
    ("def test_a(): pass", ["test_a"]),
    ("async def test_a(): pass", ["test_a"]),
    ("class TestA:\n def test_b(self): pass", ["TestA::test_b"]),
    ("class TestA:\n class TestB:\n  def test_c(self): pass", ["TestA::TestB::test_c"]),
    ("class A(unittest.TestCase):\n def test_b(self): pass", ["A::test_b"]),
    ("class A(TestCase):\n async def test_b(self): pass", ["A::test_b"]),
    ("class CartTest(APITestCase):\n def test_b(self): pass", ["CartTest::test_b"]),
    ("@pytest.mark.parametrize('a', [1, 2])\ndef test_a(a): pass", ["test_a"]),
    ("if x:\n def test_a(): pass", ["test_a"]),
    ("try:\n def test_a(): pass\nexcept E: pass", ["test_a"]),
    ("@pytest.fixture\ndef test_client(): pass", []),
    ("@pytest.fixture()\ndef test_client(): pass", []),
    ("def helper(): pass", []),
    ("class Cart:\n def test_b(self): pass", []),
    ("class _TestA:\n def test_b(self): pass", []),
    ("def test_a(): pass\ndef test_a(): pass", ["test_a"]),
    ("def test_a(): pass\ntest_a = None", []),
    ("def test_a(): pass\ndel test_a", []),
    ("def test_a():\n def test_b(): pass", ["test_a"]),
    ("test_a = 3", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_tests_are_those_that_would_be_collected(text: str, expected: list[str]) -> None:
    assert [case.name for case in inventory(text).cases] == expected


def test_of_two_tests_of_one_name_the_later_one_counts() -> None:
    (case,) = inventory("def test_a():\n    assert x\n\ndef test_a():\n    pass\n").cases
    assert (case.line, case.assertions) == (4, ())


def test_a_function_called_test_in_the_program_is_no_test() -> None:
    found = inventory("def test_connection(): return dial()\n", "src/cart/net.py")
    assert (found.cases, [it.name for it in found.functions]) == ((), ["test_connection"])


SKIPS = [
    ("@pytest.mark.skip\ndef test_a(): pass", "pytest.mark.skip", ""),
    ("@pytest.mark.skip(reason='no')\ndef test_a(): pass", "pytest.mark.skip", ""),
    ("@mark.skip\ndef test_a(): pass", "mark.skip", ""),
    (
        "@pytest.mark.skipif(sys.platform == 'win32', reason='no')\ndef test_a(): pass",
        "pytest.mark.skipif",
        "sys.platform == 'win32'",
    ),
    ("@pytest.mark.skipif(True, reason='no')\ndef test_a(): pass", "pytest.mark.skipif", ""),
    (
        "@pytest.mark.skipif(condition=x, reason='no')\ndef test_a(): pass",
        "pytest.mark.skipif",
        "x",
    ),
    ("@pytest.mark.xfail\ndef test_a(): pass", "pytest.mark.xfail", ""),
    ("@pytest.mark.xfail(strict=False)\ndef test_a(): pass", "pytest.mark.xfail", ""),
    ("@pytest.mark.xfail(x, reason='no')\ndef test_a(): pass", "pytest.mark.xfail", "x"),
    ("@unittest.skip('no')\ndef test_a(): pass", "unittest.skip", ""),
    ("@unittest.skipIf(x, 'no')\ndef test_a(): pass", "unittest.skipIf", "x"),
    ("@unittest.skipUnless(x, 'no')\ndef test_a(): pass", "unittest.skipUnless", "not (x)"),
    ("@unittest.skipUnless(False, 'no')\ndef test_a(): pass", "unittest.skipUnless", ""),
    ("@unittest.expectedFailure\ndef test_a(): pass", "unittest.expectedFailure", ""),
    ("@skip('no')\ndef test_a(): pass", "skip", ""),
    ("@pytest.mark.skip\nclass TestA:\n def test_b(self): pass", "pytest.mark.skip", ""),
    (
        "class TestA:\n pytestmark = pytest.mark.skip\n def test_b(self): pass",
        "pytest.mark.skip",
        "",
    ),
    ("class TestA:\n __test__ = False\n def test_b(self): pass", "__test__ = False", ""),
    (
        "class TestA:\n def __init__(self): pass\n def test_b(self): pass",
        "a test class with __init__",
        "",
    ),
    ("pytestmark = pytest.mark.skip\ndef test_a(): pass", "pytest.mark.skip", ""),
    (
        "pytestmark = [pytest.mark.slow, pytest.mark.skipif(x, reason='')]\ndef test_a(): pass",
        "pytest.mark.skipif",
        "x",
    ),
    (
        "needs = pytest.mark.skipif(x, reason='')\n@needs\ndef test_a(): pass",
        "pytest.mark.skipif",
        "x",
    ),
    ("def test_a():\n pytest.skip('no')", "pytest.skip()", ""),
    ("def test_a():\n pytest.xfail('no')", "pytest.xfail()", ""),
    ("def test_a():\n if x:\n  pytest.skip('no')", "pytest.skip()", "x"),
    ("def test_a():\n if True:\n  pytest.skip('no')", "pytest.skip()", ""),
    ("def test_a():\n if False:\n  pytest.skip('no')", "", ""),
    ("def test_a():\n try:\n  f()\n except E:\n  pytest.skip('no')", "pytest.skip()", "except E"),
    ("class A(TestCase):\n def test_a(self):\n  self.skipTest('no')", "self.skipTest()", ""),
    ("def test_a():\n raise unittest.SkipTest('no')", "unittest.SkipTest('no')", ""),
    ("def test_a():\n raise SkipTest", "SkipTest", ""),
    ("def test_a():\n np = pytest.importorskip('numpy')", "pytest.importorskip('numpy')", ""),
    (
        "@pytest.mark.parametrize('a', [1, pytest.param(2, marks=pytest.mark.skip)])\ndef "
        "test_a(a): pass",
        "pytest.mark.skip",
        "of one set of parameters",
    ),
    ("@pytest.mark.slow\ndef test_a(): pass", "", ""),
    ("pytestmark = pytest.mark.asyncio\ndef test_a(): pass", "", ""),
    ("@pytest.mark.usefixtures('skip')\ndef test_a(): pass", "", ""),
    ("def test_a():\n reader.skip(3, 4)", "", ""),
    ("def test_a():\n parser.skip('a')\n cart.skip()", "", ""),
]


@pytest.mark.parametrize(("text", "skip", "skip_if"), SKIPS)
def test_what_keeps_a_test_from_running(text: str, skip: str, skip_if: str) -> None:
    (case,) = inventory(text).cases
    assert (case.skip, case.skip_if) == (skip, skip_if)


WHOLE_SKIPS = [
    ("pytest.skip('no', allow_module_level=True)", ["pytest.skip()"]),
    (
        "if sys.platform == 'win32':\n pytest.skip('no', allow_module_level=True)",
        ["if sys.platform == 'win32': pytest.skip()"],
    ),
    ("pytestmark = pytest.mark.skip", ["pytest.mark.skip"]),
    ("pytestmark = pytest.mark.skipif(x, reason='')", ["pytest.mark.skipif(x)"]),
    ("numpy = pytest.importorskip('numpy')", ["pytest.importorskip('numpy')"]),
    ("pytest.importorskip('numpy')", ["pytest.importorskip()"]),
    ("raise unittest.SkipTest('no')", ["unittest.SkipTest('no')"]),
    ("__test__ = False", ["__test__ = False"]),
    ("collect_ignore = ['test_a.py']", ["collect_ignore = ['test_a.py']"]),
    ("collect_ignore_glob = ['*_slow.py']", ["collect_ignore_glob = ['*_slow.py']"]),
    ("collect_ignore.append('a.py')", ["collect_ignore.append('a.py')"]),
    ("pytestmark = pytest.mark.asyncio", []),
    ("collect_ignore = []", []),
    ("__test__ = True", []),
    ("def test_a():\n pytest.skip('no')", []),
]


@pytest.mark.parametrize(("text", "expected"), WHOLE_SKIPS)
def test_what_keeps_a_whole_file_from_running(text: str, expected: list[str]) -> None:
    assert [mark.text for mark in inventory(text).whole_skips] == expected


STUBS = [
    ("def f(): pass", "pass", False, False),
    ("def f(a): pass", "pass", False, True),
    ("def f(a): ...", "...", False, True),
    ("def f():\n 'doc'", "only a docstring", False, False),
    ("def f(a):\n 'doc'\n pass", "pass", False, True),
    ("def f(): raise NotImplementedError", "raise NotImplementedError", True, False),
    ("def f(a): raise NotImplementedError('later')", "raise NotImplementedError", True, True),
    (
        "def f(): raise Exception('not implemented')",
        "raise Exception('not implemented')",
        True,
        False,
    ),
    ("def f(): raise RuntimeError('TODO')", "raise RuntimeError('TODO')", True, False),
    ("def f(a): return True", "return True", False, True),
    ("def f(): return None", "return None", False, False),
    ("def f(): return", "return", False, False),
    ("def f(): return 0", "return 0", False, False),
    ("def f(): return -1", "return -1", False, False),
    ("def f(): return ''", "return ''", False, False),
    ("def f(): return []", "return []", False, False),
    ("def f(): return {}", "return {}", False, False),
    ("def f(): return dict()", "return dict()", False, False),
    ("def f(): return (None, 0)", "return (None, 0)", False, False),
    ("def f(): return NotImplemented", "return NotImplemented", False, False),
    ("def f(a): return a", "return a", False, False),
    ("def f(a):\n return 3\n compute(a)", "return 3", False, False),
    ("def f(a):\n result = []\n return result", "return []", False, True),
    ("def f(a):\n print('TODO: total')\n return 0", "return 0", True, True),
    ("def f(a):\n print('not implemented')", "only a message", True, True),
    ("async def f(a): return True", "return True", False, True),
    ("def f(a): return a + 1", "", False, False),
    ("def f(a): print(a)", "", False, False),
    ("def f(): print('hello')", "", False, False),
    ("def f(a): raise ValueError(a)", "", False, False),
    ("def f(a):\n if a: return 1\n return 2", "", False, False),
    ("def f(): return TOTAL", "", False, False),
    ("def f(): return compute()", "", False, False),
    ("def f(a):\n x = g(a)\n return x", "", False, False),
    ("def f(a, *args): return len(args)", "", False, False),
]


@pytest.mark.parametrize(("text", "stub", "loud", "unused"), STUBS)
def test_functions_that_do_nothing(text: str, stub: str, loud: bool, unused: bool) -> None:
    function = only_function(text)
    assert (function.stub, function.loud, function.unused) == (stub, loud, unused)


ABSTRACT = [
    ("class A:\n @abstractmethod\n def f(self): ...", "cart.py", "A.f", True),
    ("class A(ABC):\n @abc.abstractmethod\n def f(self): pass", "cart.py", "A.f", True),
    ("class A(Protocol):\n def f(self) -> int: ...", "cart.py", "A.f", True),
    ("class A(Protocol[T]):\n def f(self) -> int: ...", "cart.py", "A.f", True),
    ("@overload\ndef f(a: int) -> int: ...", "cart.py", "f", True),
    ("def f(a: int) -> int: ...", "cart.pyi", "f", True),
    ("class A:\n def f(self): ...", "cart.py", "A.f", False),
    ("class A:\n class B:\n  def f(self): ...", "cart.py", "A.B.f", False),
    ("if x:\n def f(): ...", "cart.py", "f", False),
]


@pytest.mark.parametrize(("text", "path", "name", "is_abstract"), ABSTRACT)
def test_what_is_meant_to_do_nothing(text: str, path: str, name: str, is_abstract: bool) -> None:
    function = only_function(text, path)
    assert (function.name, function.is_abstract) == (name, is_abstract)


SUPPRESSIONS = [
    ("x = 1  # noqa", ["ruff"]),
    ("x = 1  # noqa: E501", ["ruff"]),
    ("x = 1  # type: ignore", ["mypy"]),
    ("x = 1  # type: ignore[attr-defined]", ["mypy"]),
    ("x = 1  # pyright: ignore", ["pyright"]),
    ("x = 1  # pylint: disable=C0114", ["pylint"]),
    ("# pylint: disable=C0114\nx = 1", ["pylint-file"]),
    ("def f():\n    # pylint: disable=C0114\n    pass", ["pylint"]),
    ("# pylint: skip-file", ["pylint-file"]),
    ("def f():  # pragma: no cover\n    pass", ["coverage"]),
    ("if x:  # pragma: no branch\n    pass", ["coverage"]),
    ("x = 1  # nosec", ["bandit"]),
    ("# mypy: ignore-errors\nx = 1", ["mypy-file"]),
    ("# ruff: noqa\nx = 1", ["ruff-file"]),
    ("# ruff: noqa: E501\nx = 1", ["ruff-file"]),
    ("# flake8: noqa\nx = 1", ["flake8-file"]),
    ("# type: ignore\nx = 1", ["mypy-file"]),
    ("# pyright: basic\nx = 1", ["pyright-file"]),
    ("x = '# noqa'", []),
    ("'''\n# type: ignore\n'''", []),
    ("x = 1  # a note on types: ignore them", []),
    ("# TODO: pragmatic", []),
]


@pytest.mark.parametrize(("text", "expected"), SUPPRESSIONS)
def test_silenced_complaints(text: str, expected: list[str]) -> None:
    assert [mark.name for mark in inventory(text).suppressions] == expected


CONDITIONS = [
    ("if os.environ.get('CI'): f()", "environment"),
    ("if os.environ['CI']: f()", "environment"),
    ("if os.getenv('CI') == 'true': f()", "environment"),
    ("if 'CI' in os.environ: f()", "environment"),
    ("if 'CI' not in os.environ: f()", "environment"),
    ("if x and os.environ.get('GITHUB_ACTIONS'): f()", "environment"),
    ("is_ci = bool(os.environ.get('CONTINUOUS_INTEGRATION'))", "environment"),
    ("return 3 if environ.get('GITLAB_CI') else f()", "environment"),
    ("if getenv('JENKINS_URL'): f()", "environment"),
    ("if 'PYTEST_CURRENT_TEST' in os.environ: f()", "environment"),
    ("if os.environ.get('PYTEST_VERSION'): f()", "environment"),
    ("e = os.environ\nif e.get('PYTEST_CURRENT_TEST'): f()", "environment"),
    ("if os.getenv('TOPKICK_RUN'): f()", "environment"),
    ("if os.environ.get('MY_TOPKICK'): f()", "environment"),
    ("if any(k.startswith('PYTEST_') for k in os.environ): f()", "environment"),
    ("if 'pytest' in sys.modules: f()", "runner"),
    ("if 'unittest' in sys.modules: f()", "runner"),
    ("if sys.modules.get('pytest'): f()", "runner"),
    ("if 'pytest' in sys.argv[0]: f()", "runner"),
    ("if sys.argv[0].endswith('pytest'): f()", "runner"),
    ("if any('test' in frame.filename for frame in inspect.stack()): f()", "runner"),
    ("if 'test_' in inspect.stack()[1].function: f()", "runner"),
    ("if hasattr(sys, '_called_from_test'): f()", "runner"),
    ("if sys.gettrace(): f()", "runner"),
    ("if importlib.util.find_spec('pytest'): f()", "runner"),
    ("if socket.gethostname() == 'builder': f()", "host"),
    ("if 'runner' in platform.node(): f()", "host"),
    ("if socket.gethostname().startswith('ci-'): f()", "host"),
    ("host = socket.gethostname()\nif host == 'builder': f()", "host"),
    ("if getpass.getuser() == 'root': f()", "host"),
    ("if os.uname().nodename == 'builder': f()", "host"),
    ("if os.environ.get('USER') == 'runner': f()", "host"),
    ("if datetime.now() < datetime(2026, 1, 1): f()", "clock"),
    ("if datetime.datetime.now() < datetime.datetime(2026, 1, 1): f()", "clock"),
    ("if date.today() > date(2026, 1, 1): f()", "clock"),
    ("if time.time() < 1790000000: f()", "clock"),
    ("if time.time() < 1_790_000_000: f()", "clock"),
    ("now = datetime.now(UTC)\nif now < datetime(2026, 1, 1): f()", "clock"),
    ("LIMIT = datetime(2026, 1, 1)\nif datetime.now() > LIMIT: f()", "clock"),
    ("if datetime.now().isoformat() > '2026-01-01': f()", "clock"),
    ("if str(date.today()) == '2026-11-16': f()", "clock"),
    ("if time.strftime('%Y-%m-%d') < '2026-12-01': f()", "clock"),
    ("if (datetime.now() - datetime(2026, 1, 1)).days > 3: f()", "clock"),
    ("if datetime.now().year > 2025: f()", "clock"),
    ("if datetime.now() > datetime.fromisoformat('2026-01-01'): f()", "clock"),
    ("if os.getcwd() == '/srv/verify': f()", "place"),
    ("if 'verify' in os.getcwd(): f()", "place"),
    ("if 'verify' in __file__: f()", "place"),
    ("if Path.cwd().name == 'worktree': f()", "place"),
    ("here = os.getcwd()\nif here.startswith('/build'): f()", "place"),
]


@pytest.mark.parametrize(("text", "expected"), CONDITIONS)
def test_code_that_asks_whether_it_is_tested(text: str, expected: str) -> None:
    assert [mark.name for mark in inventory(text, "cart.py").conditions] == [expected]


HONEST = [
    "url = os.environ['DATABASE_URL']",
    "debug = os.environ.get('DEBUG') == '1'",
    "if os.environ.get('HOME'): f()",
    "os.environ['CI'] = '1'",
    "monkeypatch.setenv('CI', '1')",
    "monkeypatch.delenv('PYTEST_CURRENT_TEST', raising=False)",
    "run(env={'CI': '1'})",
    "CI = 'CI'",
    "names = ['CI', 'GITHUB_ACTIONS']",
    "created = datetime.now()",
    "started = time.time()\nif time.time() - started > 30: f()",
    "if time.monotonic() > deadline: f()",
    "if expires_at < datetime.now(UTC): f()",
    "age = datetime.now().year - born.year",
    "EPOCH = datetime(1970, 1, 1)\nseconds = (x - EPOCH).total_seconds()",
    "if born < date(1900, 1, 1): raise ValueError",
    "if x == '2026-01-01': f()",
    "assert parse('2026-01-01') == date(2026, 1, 1)",
    "record = Record(created=datetime.now(), day=date(2026, 1, 1))",
    "job = Job(at=time.time())\nassert job.name == '2026-01-01'",
    "name = socket.gethostname()",
    "if lock.host == socket.gethostname(): f()",
    "log.info('host %s', socket.gethostname())",
    "if sys.platform == 'win32': f()",
    "if platform.system() == 'Darwin': f()",
    "if os.uname().sysname == 'Linux': f()",
    "if os.geteuid() == 0: f()",
    "here = Path(__file__).parent",
    "data = (Path(__file__).parent / 'data.json').read_text()",
    "if __name__ == '__main__': main()",
    "if __file__.endswith('.pyc'): f()",
    "if len(sys.argv) > 1: f()",
    "if sys.argv[1] == 'serve': f()",
    "if 'numpy' in sys.modules: f()",
    "from pytest import fixture",
    "class Testing:\n    pass",
    "if now.hour < 6: f()",
    "assert os.getcwd() == before",
    "user = os.environ.get('USER', 'nobody')",
    "token = config.get('CI')",
    "if year > 2025: f()",
    "timeout_s = 1790000000",
]


@pytest.mark.parametrize("text", HONEST)
@pytest.mark.parametrize("path", ["cart.py", "tests/test_cart.py"])
def test_honest_code_has_no_conditions_and_no_patches(text: str, path: str) -> None:
    found = inventory(text, path)
    assert (found.conditions, found.patches, found.whole_skips) == ((), (), ())


PATCHES = [
    ("pytest.skip = f", "pytest.skip"),
    ("pytest.raises = f", "pytest.raises"),
    ("unittest.TestCase.assertEqual = f", "unittest.TestCase.assertEqual"),
    ("TestCase.assertEqual = lambda *a: None", "TestCase.assertEqual"),
    ("builtins.print = f", "builtins.print"),
    ("_pytest.runner.call = f", "_pytest.runner.call"),
    ("_pytest.outcomes.Failed = f", "_pytest.outcomes.Failed"),
    ("sys.modules['pytest'] = f", "sys.modules[pytest]"),
    ("sys.modules['unittest'] = f", "sys.modules[unittest]"),
    ("setattr(unittest.TestCase, 'assertEqual', f)", "setattr(unittest.TestCase)"),
    ("setattr(builtins, 'open', f)", "setattr(builtins)"),
    ("sys.exit = f", "sys.exit"),
    ("os._exit = f", "os._exit"),
    ("sys.settrace(f)", "sys.settrace"),
    ("sys.excepthook = f", "sys.excepthook"),
    ("atexit.register(lambda: sys.exit(0))", "atexit.register"),
    ("atexit.register(os._exit, 0)", "atexit.register"),
    ("sys.exit(0)", "sys.exit"),
    ("os._exit(0)", "os._exit"),
    ("def f():\n    os._exit(0)", "os._exit"),
    (
        "def pytest_collection_modifyitems(items):\n    items.clear()",
        "pytest_collection_modifyitems",
    ),
    ("def pytest_runtest_makereport(item, call):\n    pass", "pytest_runtest_makereport"),
    (
        "@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item):\n    x = yield",
        "pytest_runtest_makereport",
    ),
    ("def pytest_pyfunc_call(pyfuncitem):\n    return True", "pytest_pyfunc_call"),
    ("def pytest_runtest_call(item):\n    pass", "pytest_runtest_call"),
    ("def pytest_runtest_protocol(item):\n    return True", "pytest_runtest_protocol"),
    ("def pytest_sessionfinish(session):\n    session.exitstatus = 0", "pytest_sessionfinish"),
    ("def pytest_ignore_collect(path):\n    return True", "pytest_ignore_collect"),
    ("def pytest_configure(config):\n    config.option.x = 1", "pytest_configure"),
    ("def pytest_report_teststatus(report):\n    return 1", "pytest_report_teststatus"),
    ("def pytest_exception_interact(call):\n    call.excinfo = None", "pytest_exception_interact"),
    (
        "@pytest.fixture(autouse=True)\ndef p(monkeypatch):\n    "
        "monkeypatch.setattr('_pytest.runner.x', f)",
        "monkeypatch.setattr(_pytest.runner.x)",
    ),
    (
        "@pytest.fixture(autouse=True)\ndef p(monkeypatch):\n    "
        "monkeypatch.setattr(unittest.TestCase, 'fail', f)",
        "monkeypatch.setattr(unittest.TestCase.fail)",
    ),
    ("def load_tests(loader, tests, pattern):\n    return suite", "load_tests"),
]


@pytest.mark.parametrize(("text", "expected"), PATCHES)
def test_changes_to_the_framework(text: str, expected: str) -> None:
    assert [mark.name for mark in inventory(text, "tests/conftest.py").patches] == [expected]


NO_PATCHES = [
    ("@pytest.fixture\ndef client():\n    return Client()", "conftest.py"),
    (
        "@pytest.fixture(autouse=True)\ndef clean(monkeypatch):\n    "
        "monkeypatch.setattr('requests.get', f)",
        "conftest.py",
    ),
    (
        "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: x')",
        "conftest.py",
    ),
    ("def pytest_addoption(parser):\n    parser.addoption('--slow')", "conftest.py"),
    ("def test_a(monkeypatch):\n    monkeypatch.setattr(cart, 'total', f)", "tests/test_cart.py"),
    (
        "def test_a(monkeypatch):\n    monkeypatch.setattr('builtins.input', f)",
        "tests/test_cart.py",
    ),
    ("def test_a(mocker):\n    mocker.patch('cart.total')", "tests/test_cart.py"),
    ("def main():\n    sys.exit(1)", "cart.py"),
    ("sys.exit(main())", "cart.py"),
    ("if __name__ == '__main__':\n    sys.exit(pytest.main())", "tests/test_cart.py"),
    ("self.pytest = 3", "cart.py"),
    ("class A(TestCase):\n    maxDiff = None", "tests/test_cart.py"),
    ("sys.modules['requests'] = f", "tests/test_cart.py"),
    ("os.environ['A'] = 'b'", "tests/test_cart.py"),
]


@pytest.mark.parametrize(("text", "path"), NO_PATCHES)
def test_mere_fixtures_are_no_patches(text: str, path: str) -> None:
    assert inventory(text, path).patches == ()


HELPERS = [
    ("def check(x): assert x\ndef test_a(): check(1)", ("check(1)",)),
    ("def check(x): pass\ndef test_a(): check(1)", ()),
    ("def assert_ok(x): pass\ndef test_a(): assert_ok(1)", ()),
    ("def assert_ok(x): assert True\ndef test_a(): assert_ok(1)", ()),
    ("def b(x): c(x)\ndef c(x): assert x\ndef test_a(): b(1)", ("b(1)",)),
    ("class TestA:\n def ok(self, x): assert x\n def test_a(self): self.ok(1)", ("self.ok(1)",)),
]


@pytest.mark.parametrize(("text", "expected"), HELPERS)
def test_a_helper_counts_if_it_asserts_something(text: str, expected: tuple[str, ...]) -> None:
    (case,) = inventory(text).cases
    assert case.assertions == expected


SAME = [
    ("def test_a():\n    assert  x  # why", "def test_a():\n    assert x"),
    ("def test_a():\n    '''why'''\n    assert x", "def test_a():\n    assert x"),
    ("def test_a():\n    assert 'a' == x\n", 'def test_a():\n\n    assert "a" == x'),
    ("def test_a():\r\n    assert x\r\n", "def test_a():\n    assert x\n"),
    ("@pytest.mark.skip\ndef test_a():\n    assert x", "def test_a():\n    assert x"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_essence_has_no_blanks_comments_and_docstrings(one: str, other: str) -> None:
    assert inventory(one).cases[0].essence == inventory(other).cases[0].essence


def test_essence_has_the_parameters() -> None:
    text = "@pytest.mark.parametrize('a', [1, 2])\ndef test_a(a): assert a"
    assert inventory(text).cases[0].essence != inventory(text.replace(", 2", "")).cases[0].essence


BROKEN = [
    "def test_a(:\n    assert x\n",
    "def test_a():\nassert x\n",
    "\0\ndef test_a(): pass\n",
    "def test_a(): pass\n" + "(" * 20_000,
    "def test_a(): pass\nx = " + "[" * 20_000,
    "def test_a(): pass\nx = " + "-" * 20_000 + "1",
    "def test_a(): pass\nx = " + "not " * 9_000 + "1",
    "def test_a(): pass\nx = '''",
    "def test_a(): pass\nprint 'hello'\n",
    "def test_a(): pass\nx = " + "9" * 5000 + "\n",
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_what_does_not_parse_is_read_as_text(text: str) -> None:
    found = inventory(text)
    assert (found.broken, [case.name for case in found.cases]) == (True, ["test_a"])


DEEP = [
    "x = " + "1+" * 5_000 + "1\n",
    "x = a" + ".b" * 5_000 + "\n",
    "x = a" + "()" * 5_000 + "\n",
    "if a: pass\n" + "elif a: pass\n" * 1_500,
    "x = " + "(" * 90 + "1" + ")" * 90,
    "assert " + "a and " * 3_000 + "a\n",
]


@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
def test_deep_trees_are_survived(text: str) -> None:
    body = textwrap.indent(text, "    ")
    for source in (text, f"def test_a():\n{body}\n", f"def total():\n{body}\n"):
        assert inventory(source).language == "python"


WORDS = st.sampled_from(
    [
        "def ",
        "test_a",
        "(",
        ")",
        ":",
        "\n",
        "    ",
        "assert ",
        "x",
        "==",
        "1",
        "'",
        '"',
        "#",
        " noqa",
        "if ",
        "return",
        "class ",
        "TestA",
        "@",
        "pytest.mark.skip",
        "\\",
        "\0",
        "{",
        "}",
        "[",
        "]",
        "f'",
        "try:",
        "except:",
        "lambda",
        "os.environ",
        "['CI']",
        "\ufeff",
        "é",
        "=",
        ",",
        "async ",
    ]
)


@given(st.lists(WORDS, max_size=60).map("".join) | st.text(max_size=300))
def test_no_text_stops_the_reader(text: str) -> None:
    for path in ("tests/test_cart.py", "conftest.py", "cart.pyi"):
        found = read(path, text)
        assert found is not None
        assert found.language == "python"
