"""Which files hold tests, by the conventions of many languages."""

import re

FOLDERS = frozenset(("tests", "test", "__tests__", "spec", "specs", "testing", "e2e", "cypress"))
FOLDER_ENDS = ("Tests", "Test", ".Tests", ".Test", "Specs", "UITests", "_test", "_tests")
NO_TESTS = frozenset(
    ("conftest.py", "__init__.py", "setup.js", "setup.ts", "mod.rs", "rig.py", "spec_helper.rb",
     "rails_helper.rb", "test_helper.rb", "test_helper.exs", "jest.setup.js", "vitest.setup.ts",
     "setupTests.js", "setupTests.ts", "TestHelper.php", "__main__.py")
)  # fmt: skip
ASIDE = frozenset(
    ("fixtures", "fixture", "testdata", "__mocks__", "__snapshots__", "__fixtures__", "data",
     "node_modules", "vendor", "golden", "support", "snapshots", "resources", "helpers")
)  # fmt: skip
NAMES = re.compile(
    r"test_.+\.py|.+_test\.py|tests?\.py|test.*\.py"
    r"|.+[._-](?:test|spec|tests|specs|cy|e2e)\.(?:[cm]?[jt]sx?|vue|svelte)|test\.[cm]?[jt]sx?"
    r"|test[-_].+\.[cm]?[jt]sx?"
    r"|.+_test\.go|tests?\.rs|.+_tests?\.rs|test_.+\.rs"
    r"|.*(?:Tests?|Specs?|TestCase|XCTests)\.swift"
    r"|(?:Test.+|.+(?:Tests?|TestCase|ITs?|Spec|Suite))\.(?:java|kt|kts|scala|groovy|cs|vb|fs|"
    r"php|m|mm)"
    r"|.+_spec\.rb|.+_test\.rb|test_.+\.rb|.+_test\.exs?|.+_test\.dart|"
    r".+_(?:unit)?test\.(?:cc|cpp|cxx|c)"
    r"|test_.+\.(?:cc|cpp|cxx|c|jl|R|r|sh|bats|lua|ml|zig)|test-.+\.[rR]|.+_test\.(?:zig|clj|"
    r"cljs|ml|erl|lua|sh|jl)"
    r"|.+_SUITE\.erl|.+\.bats|.+Spec\.(?:hs|scala|js|ts)|.+Test\.(?:hs|elm|ps1)|"
    r".+\.Tests\.ps1|.+\.t|.+\.feature"
    r"|.+_spec\.(?:lua|cr)|.+Test\.cls"
)
CODE = re.compile(
    r"py|[cm]?[jt]sx?|go|rs|swift|java|kts?|scala|groovy|cs|vb|fs|php|rb|exs?|dart|cc|cpp|cxx|c|mm?"
    r"|jl|r|sh|bats|lua|mli?|zig|clj[sc]?|erl|hs|elm|ps1|t|feature|cr|cls|vue|svelte|nim|d|pl|"
    r"pas|f90",
    re.IGNORECASE,
)
OUTSIDE = re.compile(
    r"(?:^|/)(?:src/)?(?:test|androidTest|integrationTest|it|testFixtures)/(?:java|kotlin|"
    r"scala|groovy)/"
)


def is_test_file(path: str) -> bool:
    """Whether a runner looks for tests in it, or it lies where the tests are."""
    *folders, name = path.split("/")
    stem, dot, ending = name.rpartition(".")
    if name in NO_TESTS or not dot or not stem or not CODE.fullmatch(ending):
        return False
    if name.endswith(".d.ts") or any(folder in ASIDE - {"data", "support"} for folder in folders):
        return False
    if NAMES.fullmatch(name) and not _is_config(name):
        return True
    if OUTSIDE.search(path):
        return True
    if any(folder in ("data", "support") for folder in folders):
        return False
    return any(folder in FOLDERS or folder.endswith(FOLDER_ENDS) for folder in folders)


def _is_config(name: str) -> bool:
    return bool(re.fullmatch(r"(?:jest|vitest|playwright|cypress|karma)\.config\..+", name))


def is_collected(path: str) -> bool:
    """Whether the usual runner of its language finds it by its name or place alone."""
    *folders, name = path.split("/")
    if name.endswith(".py"):
        return bool(re.fullmatch(r"test_.+\.py|.+_test\.py|tests\.py|test\.py", name))
    if name.endswith(".go"):
        return name.endswith("_test.go") and not name.startswith(("_", "."))
    if re.search(r"\.[cm]?[jt]sx?$", name):
        by_name = re.search(r"(?:^|[._-])(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$", name)
        return bool(by_name) or "__tests__" in folders or "test" in folders or "tests" in folders
    return is_test_file(path)
