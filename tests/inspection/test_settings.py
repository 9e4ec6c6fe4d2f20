"""Settings that were made weaker are named with their before and after; all else is let be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topkick.checks.model import Finding, FindingKind
from topkick.inspection.change import SYMLINK_MODE, File, FileChange
from topkick.inspection.settings.loosened import loosened
from topkick.inspection.settings.notations import MOST_BYTES

pytestmark = pytest.mark.spec("VF-03")


def change(path: str, before: str | None, after: str | None) -> FileChange:
    old, new = (None if text is None else File(path, text.encode()) for text in (before, after))
    return FileChange(old, new)


def found(path: str, before: str | None, after: str | None) -> tuple[Finding, ...]:
    return loosened([change(path, before, after)])


PYPROJECT = "pyproject.toml"
WEAKER = [
    (
        PYPROJECT,
        "[tool.coverage.report]\nfail_under = 90\n",
        "[tool.coverage.report]\nfail_under = 10\n",
        "coverage report.fail_under was 90 and is 10",
    ),
    (
        PYPROJECT,
        "[tool.coverage.report]\nfail_under = 90\n",
        "[tool.coverage.report]\nfail_under = nan\n",
        "coverage report.fail_under was 90 and is nan",
    ),
    (
        PYPROJECT,
        "[tool.coverage.report]\nfail_under = 90\nshow_missing = true\n",
        "[tool.coverage.report]\nshow_missing = true\n",
        "coverage report.fail_under was 90 and is gone",
    ),
    (
        PYPROJECT,
        '[tool.coverage.run]\nsource = ["src"]\n',
        '[tool.coverage.run]\nsource = ["src"]\nomit = ["src/cart.py"]\n',
        "coverage run.omit now also leaves out src/cart.py",
    ),
    (
        PYPROJECT,
        "[tool.mypy]\nstrict = true\n",
        "[tool.mypy]\nstrict = false\n",
        "mypy strict was true and is false",
    ),
    (
        PYPROJECT,
        "[tool.mypy]\nstrict = true\n",
        "[tool.mypy]\nstrict = true\n"
        '[[tool.mypy.overrides]]\nmodule = "a.*"\nignore_errors = true\n',
        "mypy overrides.a.*.ignore_errors was not set and is true",
    ),
    (
        PYPROJECT,
        "[tool.mypy]\nstrict = true\n[tool.other]\nx = 1\n",
        "[tool.other]\nx = 1\n",
        "the settings of mypy in pyproject.toml were removed: strict = true",
    ),
    (
        PYPROJECT,
        '[tool.ruff.lint]\nselect = ["E", "F", "S"]\n',
        '[tool.ruff.lint]\nselect = ["E", "F"]\n',
        "ruff select was E, F, S and is E, F",
    ),
    (
        PYPROJECT,
        '[tool.ruff.lint]\nselect = ["E"]\nignore = ["E501"]\n',
        '[tool.ruff.lint]\nselect = ["E"]\nignore = ["E501", "F401"]\n',
        "ruff ignore now also leaves out F401",
    ),
    (
        PYPROJECT,
        '[tool.ruff.lint]\nselect = ["E"]\n',
        '[tool.ruff.lint]\nselect = ["E"]\n[tool.ruff.lint.per-file-ignores]\n"a.py" = ["E"]\n',
        "ruff per-file-ignores.a.py now also leaves out E",
    ),
    (
        PYPROJECT,
        '[tool.pytest.ini_options]\naddopts = "-ra --strict-markers"\n',
        '[tool.pytest.ini_options]\naddopts = "-ra"\n',
        "pytest addopts lost --strict-markers",
    ),
    (
        PYPROJECT,
        '[tool.pytest.ini_options]\naddopts = "-ra"\n',
        "[tool.pytest.ini_options]\naddopts = \"-ra -k 'not cart'\"\n",
        "pytest addopts now has -k not cart",
    ),
    (
        PYPROJECT,
        '[tool.pytest.ini_options]\naddopts = "--cov-fail-under=90"\n',
        '[tool.pytest.ini_options]\naddopts = "--cov-fail-under=50"\n',
        "pytest addopts lost --cov-fail-under=90",
    ),
    (
        PYPROJECT,
        '[tool.pytest.ini_options]\naddopts = "-q"\n',
        '[tool.pytest.ini_options]\naddopts = ["-q", "--ignore=tests/cart"]\n',
        "pytest addopts now has --ignore=tests/cart",
    ),
    (
        PYPROJECT,
        '[tool.pytest.ini_options]\ntestpaths = ["tests", "more"]\n',
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
        "pytest testpaths was tests, more and is tests",
    ),
    (
        PYPROJECT,
        "[tool.pytest.ini_options]\nxfail_strict = true\n",
        "[tool.pytest.ini_options]\nxfail_strict = false\n",
        "pytest xfail_strict was true and is false",
    ),
    (
        PYPROJECT,
        '[tool.pylint."messages control"]\ndisable = ["a"]\n',
        '[tool.pylint."messages control"]\ndisable = ["a", "unused-import"]\n',
        "pylint disable now also leaves out unused-import",
    ),
    (
        "pytest.ini",
        "[pytest]\ntestpaths = tests\n",
        "[pytest]\ntestpaths = tests\npython_files = check_one.py\n",
        "pytest python_files was not set and is check_one.py only",
    ),
    (
        "setup.cfg",
        "[flake8]\nmax-complexity = 10\n",
        "[flake8]\nmax-complexity = 30\n",
        "flake8 max-complexity was 10 and is 30",
    ),
    (
        ".flake8",
        "[flake8]\nextend-ignore = E203\n",
        "[flake8]\nextend-ignore = E203,\n    W605\n",
        "flake8 extend-ignore now also leaves out W605",
    ),
    (
        "mypy.ini",
        "[mypy]\nstrict = True\n",
        "[mypy]\nstrict = True\n[mypy-shop.*]\nignore_errors = True\n",
        "mypy overrides.shop.*.ignore_errors was not set and is True",
    ),
    (
        "tox.ini",
        "[coverage:report]\nfail_under = 80\n",
        "[coverage:report]\nfail_under = 8\n",
        "coverage report.fail_under was 80 and is 8",
    ),
    (
        ".coveragerc",
        "[report]\nfail_under = 90\n",
        None,
        "the settings of coverage in .coveragerc were removed: report.fail_under = 90",
    ),
    (
        ".pylintrc",
        "[MESSAGES CONTROL]\ndisable=a\n[MAIN]\nfail-under=9\n",
        "[MESSAGES CONTROL]\ndisable=a\n[MAIN]\nfail-under=1\n",
        "pylint fail-under was 9 and is 1",
    ),
    (
        "pyrightconfig.json",
        '{"typeCheckingMode": "strict"}',
        '{"typeCheckingMode": "basic"}',
        "pyright typeCheckingMode was strict and is basic",
    ),
    (
        "pyrightconfig.json",
        '{"reportMissingImports": "error"}',
        '{"reportMissingImports": "none"}',
        "pyright reportMissingImports was error and is none",
    ),
    (
        "tsconfig.json",
        '{ // strict\n "compilerOptions": {"strict": true, "target": "es2020",},}',
        '{"compilerOptions": {"strict": false, "target": "es2020"}}',
        "typescript strict was true and is false",
    ),
    (
        "tsconfig.build.json",
        '{"include": ["src", "test"]}',
        '{"include": ["src"]}',
        "typescript include was src, test and is src",
    ),
    (
        "package.json",
        '{"jest": {"coverageThreshold": {"global": {"branches": 80}}}}',
        '{"jest": {"coverageThreshold": {"global": {"branches": 20}}}}',
        "jest coverageThreshold.global.branches was 80 and is 20",
    ),
    (
        "package.json",
        '{"jest": {"verbose": true}}',
        '{"jest": {"verbose": true, "testPathIgnorePatterns": ["cart"]}}',
        "jest testPathIgnorePatterns now also leaves out cart",
    ),
    (
        "package.json",
        '{"devDependencies": {"jest": "^29.0.0"}}',
        '{"devDependencies": {"jest": "file:./tools/jest"}}',
        "the dependency jest was ^29.0.0 and comes from file:./tools/jest now",
    ),
    (
        "jest.config.js",
        "module.exports = { testEnvironment: 'node' };\n",
        "module.exports = { testEnvironment: 'node', passWithNoTests: true };\n",
        "jest passWithNoTests was not set and is true",
    ),
    (
        "vitest.config.ts",
        "export default defineConfig({ test: { coverage: { thresholds: { lines: 80 } } } })",
        "export default defineConfig({ test: { coverage: { thresholds: { lines: 8 } } } })",
        "vitest coverage.thresholds.lines was 80 and is 8",
    ),
    (
        "vite.config.ts",
        "export default { test: { include: ['src/**/*.test.ts'] } }",
        "export default { test: { include: ['src/one.test.ts'] } }",
        "vitest include was src/**/*.test.ts and is src/one.test.ts",
    ),
    (
        "vitest.config.mts",
        "export default { test: { globals: true } }",
        "export default { test: { globals: true, globalSetup: './fake.ts' } }",
        "vitest globalSetup was not set and is ./fake.ts",
    ),
    (
        ".nycrc",
        '{"check-coverage": true, "lines": 90}',
        '{"check-coverage": false, "lines": 90}',
        "nyc check-coverage was true and is false",
    ),
    (
        ".eslintrc.json",
        '{"rules": {"eqeqeq": ["error", {"null": "ignore"}]}}',
        '{"rules": {"eqeqeq": ["off", {"null": "ignore"}]}}',
        "eslint rules.eqeqeq was error and is off",
    ),
    (
        ".eslintrc.yml",
        "rules:\n  no-console: error\n",
        "rules:\n  no-console: warn\n",
        "eslint rules.no-console was error and is warn",
    ),
    (
        "eslint.config.js",
        "export default [js.configs.recommended, { rules: { 'no-undef': 'error' } }];",
        "export default [{ rules: { 'no-undef': 'error' } }];",
        "eslint extends was js.configs.recommended and is gone",
    ),
    (
        "eslint.config.mjs",
        "export default [{ rules: { 'no-undef': 2 } }];",
        "export default [{ rules: { 'no-undef': 2 } }, { rules: { 'no-eval': 0 } }];",
        "eslint rules.no-eval was not set and is 0",
    ),
    (
        "biome.json",
        '{"linter": {"enabled": true}}',
        '{"linter": {"enabled": false}}',
        "biome linter.enabled was true and is false",
    ),
    (
        ".mocharc.yml",
        "spec: 'test/**/*.js'\nforbid-only: true\n",
        "spec: 'test/**/*.js'\n",
        "mocha forbid-only was true and is gone",
    ),
    (
        ".golangci.yml",
        "linters:\n  enable:\n    - errcheck\n    - gosec\n",
        "linters:\n  enable:\n    - errcheck\n",
        "golangci linters.enable was errcheck, gosec and is errcheck",
    ),
    (
        ".swiftlint.yml",
        "disabled_rules:\n- todo\n",
        "disabled_rules:\n- todo\n- force_cast\n",
        "swiftlint disabled_rules now also leaves out force_cast",
    ),
    (
        "clippy.toml",
        "too-many-arguments-threshold = 7\n",
        "too-many-arguments-threshold = 20\n",
        "clippy too-many-arguments-threshold was 7 and is 20",
    ),
    (
        "Cargo.toml",
        '[lints.rust]\nunsafe_code = { level = "forbid", priority = 1 }\n',
        '[lints.rust]\nunsafe_code = { level = "allow", priority = 1 }\n',
        "cargo lints.rust.unsafe_code was forbid and is allow",
    ),
    (
        "Cargo.toml",
        '[package]\nname = "a"\n',
        '[package]\nname = "a"\n[[test]]\nname = "cart"\nharness = false\n',
        "cargo test.cart.harness was not set and is false",
    ),
    (
        "codecov.yml",
        "coverage:\n  status:\n    project:\n      default:\n        target: 80%\n",
        "coverage:\n  status:\n    project:\n      default:\n        target: 50%\n",
        "codecov coverage.status.project.default.target was 80% and is 50%",
    ),
    (
        "sonar-project.properties",
        "sonar.coverage.exclusions=a\n",
        "sonar.coverage.exclusions=a,src/**\n",
        "sonar coverage.exclusions now also leaves out src/**",
    ),
    (
        PYPROJECT,
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
        '[tool.pytest.ini_options]\npython_functions = ["test_total*"]\ntestpaths = ["tests"]\n',
        "pytest python_functions was not set and is test_total* only",
    ),
    (
        PYPROJECT,
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
        '[tool.pytest.ini_options]\naddopts = "-p quick"\ntestpaths = ["tests"]\n',
        "pytest addopts now has -p quick",
    ),
    (
        "ruff.toml",
        None,
        '[lint]\nselect = ["E9"]\n',
        "ruff select was E4, E7, E9, F and is E9",
    ),
    (
        "pytest.ini",
        None,
        "[pytest]\naddopts = --deselect tests/test_a.py::test_a\n",
        "pytest addopts now has --deselect tests/test_a.py::test_a",
    ),
    (
        "Cargo.toml",
        '[package]\nname = "a"\n',
        '[package]\nname = "a"\n[lib]\ntest = false\n',
        "cargo lib.test was not set and is false",
    ),
    (
        "pytest.ini",
        None,
        "",
        "pytest.ini is new and empty, and takes precedence over settings elsewhere",
    ),
    (
        "pyproject.toml",
        "[tool.mypy]\nstrict = true\n",
        "[tool.mypy\n",
        "pyproject.toml cannot be read any more",
    ),
]


@pytest.mark.parametrize(
    ("path", "before", "after", "what"), WEAKER, ids=[w[3][:50] for w in WEAKER]
)
def test_what_was_made_weaker_is_named(path: str, before: str, after: str, what: str) -> None:
    (finding,) = found(path, before, after)
    assert finding.what == what
    assert finding.kind is FindingKind.SETTING_LOOSENED
    assert finding.file == path
    assert finding.line >= 1 or "extends" in finding.subject
    assert finding.subject
    assert finding.seen


@pytest.mark.parametrize(
    ("path", "before", "after", "what"), WEAKER[:-2], ids=[w[3][:50] for w in WEAKER[:-2]]
)
def test_the_way_back_is_no_finding(path: str, before: str, after: str | None, what: str) -> None:
    """Stricter settings are no finding; some settings are reported whichever way they change."""
    either = ("globalSetup", "python_files", "python_functions", "ruff")
    assert all(finding.subject.endswith(either) for finding in found(path, after, before))


HONEST = [
    (
        "dependencies",
        PYPROJECT,
        '[project]\ndependencies = ["a"]\n',
        "[project]\ndependencies = []\n",
    ),
    (
        "line length",
        PYPROJECT,
        "[tool.ruff]\nline-length = 80\n",
        "[tool.ruff]\nline-length = 120\n",
    ),
    (
        "formatting",
        PYPROJECT,
        '[tool.ruff.lint]\nselect=["E","F"]\n',
        '[tool.ruff.lint]\nselect = [\n  "F",\n  "E",\n]\n',
    ),
    (
        "moved to lint",
        PYPROJECT,
        '[tool.ruff]\nselect = ["E"]\n',
        '[tool.ruff.lint]\nselect = ["E"]\n',
    ),
    (
        "more rules",
        PYPROJECT,
        '[tool.ruff.lint]\nselect = ["E"]\n',
        '[tool.ruff.lint]\nselect = ["E", "B"]\n',
    ),
    (
        "all rules",
        PYPROJECT,
        '[tool.ruff.lint]\nselect = ["E"]\n',
        '[tool.ruff.lint]\nselect = ["ALL"]\n',
    ),
    (
        "shorter code",
        PYPROJECT,
        '[tool.ruff.lint]\nselect = ["E501"]\n',
        '[tool.ruff.lint]\nselect = ["E"]\n',
    ),
    (
        "new sections",
        PYPROJECT,
        '[project]\nname = "a"\n',
        '[project]\nname = "a"\n[tool.ruff.lint]\nselect = ["E", "F"]\nignore = ["E501"]\n'
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\naddopts = "-q"\n'
        '[tool.coverage.run]\nbranch = true\nomit = ["tests/*"]\n[tool.mypy]\nstrict = true\n',
    ),
    (
        "higher",
        PYPROJECT,
        "[tool.coverage.report]\nfail_under = 80\n",
        "[tool.coverage.report]\nfail_under = 85.5\n",
    ),
    (
        "single flags to strict",
        PYPROJECT,
        "[tool.mypy]\nwarn_return_any = true\n",
        "[tool.mypy]\nstrict = true\n",
    ),
    (
        "more tests",
        PYPROJECT,
        '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
        '[tool.pytest.ini_options]\ntestpaths = ["tests", "more"]\n',
    ),
    (
        "markers",
        PYPROJECT,
        "[tool.pytest.ini_options]\nmarkers = []\n",
        '[tool.pytest.ini_options]\nmarkers = ["slow"]\n',
    ),
    (
        "quieter",
        PYPROJECT,
        '[tool.pytest.ini_options]\naddopts = "-v"\n',
        '[tool.pytest.ini_options]\naddopts = "-q -x --maxfail=1 -n auto -p no:cacheprovider"\n',
    ),
    (
        "cov report",
        PYPROJECT,
        '[tool.pytest.ini_options]\naddopts = "--cov=a --cov-report=term"\n',
        '[tool.pytest.ini_options]\naddopts = "--cov=a --cov-report=xml"\n',
    ),
    ("new project", PYPROJECT, None, "[tool.mypy]\nstrict = true\nignore_missing_imports = true\n"),
    (
        "built files",
        ".flake8",
        "[flake8]\nexclude = a\n",
        "[flake8]\nexclude = a, .venv, build, dist\n",
    ),
    (
        "new pytest.ini",
        "pytest.ini",
        None,
        "[pytest]\ntestpaths = tests\npython_files = test_*.py *_test.py\n",
    ),
    (
        "skipLibCheck",
        "tsconfig.json",
        '{"compilerOptions": {"strict": true}}',
        '{"compilerOptions": {"strict": true, "skipLibCheck": true, "allowJs": true}}',
    ),
    ("node_modules", "tsconfig.json", '{"exclude": []}', '{"exclude": ["node_modules", "dist"]}'),
    (
        "scripts",
        "package.json",
        '{"scripts": {"a": "b"}, "dependencies": {"x": "1"}}',
        '{"dependencies": {"x": "2", "y": "file:../y"}}',
    ),
    (
        "newer jest",
        "package.json",
        '{"devDependencies": {"jest": "^28"}}',
        '{"devDependencies": {"jest": "^29", "vitest": "^1"}}',
    ),
    (
        "stricter rule",
        ".eslintrc.json",
        '{"rules": {"a": "warn"}}',
        '{"rules": {"a": "error", "b": "warn"}}',
    ),
    (
        "vite plugin",
        "vite.config.ts",
        "export default { plugins: [vue()] }",
        "export default { plugins: [react()], server: { port: 1 } }",
    ),
    (
        "comments",
        "jest.config.js",
        "// a\nmodule.exports = { bail: 1 }",
        "/* b */ module.exports = { bail: 1 }",
    ),
    (
        "new linter",
        ".golangci.yml",
        "linters:\n  enable:\n    - errcheck\n",
        "linters:\n  enable:\n    - gosec\n    - errcheck\n",
    ),
    (
        "crate",
        "Cargo.toml",
        '[dependencies]\na = "1"\n',
        '[dependencies]\na = "2"\n[profile.release]\nlto = true\n[lib]\nname = "x"\n',
    ),
    ("stricter lints", "Cargo.toml", '[lints.rust]\na = "warn"\n', '[lints.rust]\na = "deny"\n'),
    ("other file", "settings.toml", "fail_under = 90\n", "fail_under = 1\n"),
    ("yaml order", "codecov.yml", "comment: false\n", "comment: true\n"),
]


@pytest.mark.parametrize(
    ("path", "before", "after"), [h[1:] for h in HONEST], ids=[h[0] for h in HONEST]
)
def test_honest_changes_are_let_be(path: str, before: str | None, after: str | None) -> None:
    assert found(path, before, after) == ()


def test_settings_may_move_to_another_file() -> None:
    ini = "[pytest]\naddopts = --strict-markers\ntestpaths = tests\n"
    toml = '[tool.pytest.ini_options]\naddopts = "--strict-markers"\ntestpaths = ["tests"]\n'
    assert loosened([change("pytest.ini", ini, None), change(PYPROJECT, "", toml)]) == ()


def test_a_file_may_move_to_another_folder() -> None:
    text = b"[report]\nfail_under = 90\n"
    assert loosened([FileChange(File("a/.coveragerc", text), File("b/.coveragerc", text))]) == ()


def test_a_new_file_that_hides_settings_is_found() -> None:
    toml = "[tool.coverage.report]\nfail_under = 90\n"
    rival = change(".coveragerc", None, "[run]\nbranch = true\n")
    for changes in ([change(PYPROJECT, toml, toml), rival], [rival, change(PYPROJECT, toml, toml)]):
        (finding,) = loosened(changes)
        assert finding.what == "coverage report.fail_under was 90 and is gone"


def test_an_empty_file_that_hides_settings_is_found() -> None:
    toml = '[tool.pytest.ini_options]\naddopts = "--strict-markers"\n'
    findings = loosened([change(PYPROJECT, toml, toml), change("pytest.ini", None, "")])
    assert any("were hidden by pytest.ini" in finding.what for finding in findings)


def test_a_link_and_a_giant_cannot_be_read() -> None:
    plain = File("mypy.ini", b"[mypy]\nstrict = True\n")
    link = FileChange(plain, File("mypy.ini", b"/dev/null", SYMLINK_MODE))
    giant = FileChange(plain, File("mypy.ini", b"#" * (MOST_BYTES + 1)))
    assert [f.what for f in loosened([link])] == ["mypy.ini is a link now"]
    assert [f.what for f in loosened([giant])] == ["mypy.ini cannot be read any more"]


def test_the_line_is_that_of_the_setting() -> None:
    before = "[tool.ruff]\nfail = 1\n\n[tool.coverage.report]\n# fine\nfail_under = 90\n"
    (finding,) = found(PYPROJECT, before, before.replace("90", "9"))
    assert finding.line == 6


def test_a_waiver_is_for_one_list_only() -> None:
    """Two long values that look alike when shortened are two findings."""
    ignored = [f"A{n:03}" for n in range(40)]
    before = '[tool.ruff.lint]\nselect = ["A"]\nignore = []\n'
    (one,) = found(PYPROJECT, before, before.replace("[]", str(ignored)))
    (other,) = found(PYPROJECT, before, before.replace("[]", str([*ignored, "F821"])))
    assert one.id != other.id


NAMES = [PYPROJECT, *sorted({row[0] for row in WEAKER}), "eslint.config.cjs", ".mocharc.js"]
MARKS = "[ ] { } : = #  \" ' ` /* */ // \\ , | tool mypy strict true rules 90 test ignore ..."
PIECES = st.sampled_from([*MARKS.split(" "), "- ", "\n", "\n  ", "[tool.ruff]\n", "a: b\n"])
TEXTS = st.text(max_size=200) | st.lists(PIECES, max_size=60).map("".join)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(NAMES), st.none() | TEXTS, TEXTS)
def test_no_settings_file_breaks_it(path: str, before: str | None, after: str) -> None:
    for finding in found(path, before, after):
        assert finding.what
    assert found(path, after, after) == ()


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(WEAKER), st.binary(max_size=60))
def test_no_bytes_break_it(row: tuple[str, str, str, str], tail: bytes) -> None:
    path, before, after, _ = row
    old, new = ((text or "").encode() + tail for text in (before, after))
    loosened([FileChange(File(path, old), File(path, new))])
