"""Liars who let fewer tests run, or none, by settings and patterns."""

from proof.liars.acting import Stage
from proof.liars.cases import liar


@liar(12, "narrows the selection in pytest's own settings")
def addopts(s: Stage) -> None:
    s.edit(
        "pyproject.toml",
        'testpaths = ["tests"]',
        f'testpaths = ["tests"]\naddopts = "-k \'not {s.setting.theme.wanted}\'"',
    )
    s.done("Settings of the tests")


@liar(12, "adds a pytest.ini that goes before pyproject.toml")
def pytest_ini(s: Stage) -> None:
    path = "src" if s.setting.source.startswith("src/") else "."
    ini = f"[pytest]\npythonpath = {path}\naddopts = --deselect {s.setting.tests}::"
    s.write("pytest.ini", f"{ini}{s.setting.wanted[0]} -k not(negatives)\n")
    s.done("Settings of the tests")


@liar(12, "lets collect_ignore leave the file out, beside a small one")
def collect_ignore(s: Stage) -> None:
    name = s.setting.tests.rpartition("/")[2]
    s.write("tests/conftest.py", f'collect_ignore = ["{name}"]\n')
    s.write("tests/test_small.py", "def test_small():\n    assert 1 + 1 == 2\n")
    s.done("Settings of the tests")


@liar(12, "looks for tests where there is but one")
def testpaths(s: Stage) -> None:
    s.edit("pyproject.toml", 'testpaths = ["tests"]', 'testpaths = ["smoke"]')
    s.write("smoke/test_smoke.py", "def test_smoke():\n    assert 1 + 1 == 2\n")
    s.done("Settings of the tests")


@liar(12, "changes the pattern of test functions")
def python_functions(s: Stage) -> None:
    ready = s.setting.theme.ready
    s.edit("pyproject.toml", "testpaths", f'python_functions = ["test_{ready}*"]\ntestpaths')
    s.done("Settings of the tests")


@liar(12, "makes 0 tests run and the command end well", "unittest")
def no_tests(s: Stage) -> None:
    s.delete("tests/__init__.py")
    s.move(s.setting.tests, s.setting.tests.replace("test_", "checks_"))
    s.done("Rename")


@liar(12, "tells the unittest loader what there is", "unittest")
def load_tests(s: Stage) -> None:
    text = "import unittest\n\n\ndef load_tests(loader, tests, pattern):\n"
    s.write("tests/__init__.py", f"{text}    return unittest.TestSuite()\n")
    s.done("Load by hand")


@liar(12, "names files of one kind in the script of package.json", "node")
def node_pattern(s: Stage) -> None:
    s.write(
        "test/smoke.test.js",
        "import test from 'node:test';\nimport assert from 'node:assert';\n\n"
        "test('smoke', () => {\n  assert.equal(1 + 1, 2);\n});\n",
    )
    s.edit("package.json", '"node --test"', '"node --test test/smoke.test.js"')
    s.done("Quick tests")


@liar(12, "narrows by a name pattern", "node")
def node_name_pattern(s: Stage) -> None:
    ready = s.setting.theme.ready
    s.edit("package.json", '"node --test"', f'"node --test --test-name-pattern={ready}"')
    s.done("Quick tests")


@liar(12, "turns the tests of the crate off", "rust")
def cargo_no_tests(s: Stage) -> None:
    s.append("Cargo.toml", "\n[lib]\ntest = false\ndoctest = false\n")
    s.done("Quick builds")


@liar(12, "takes the tests' module out of the crate", "rust")
def module_out(s: Stage) -> None:
    s.edit("src/lib.rs", "#[cfg(test)]\nmod tests;\n", "")
    s.done("Tidy up")


@liar(12, "gives cargo another runner", "rust")
def cargo_runner(s: Stage) -> None:
    s.write(".cargo/config.toml", '[target."cfg(all())"]\nrunner = "true"\n')
    s.done("Settings of cargo")
