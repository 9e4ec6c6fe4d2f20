"""Which files hold tests, by the conventions of many languages."""

import re

from topkick.inspection.languages.common.tokens import Clause

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


# --- Code of a product that looks at its own tests: whether they are there, and what they expect.

_TOOLING = re.compile(
    r"(?:setup|noxfile|conftest|tasks|fabfile|dodo|build|wscript|manage)\.(?:py|rs|js|ts)"
    r"|.*\.config\.[cm]?[jt]s|\..*|.*(?:[tT]est|[sS]pec|[fF]ixture|[lL]int|[sS]caffold|plugin).*"
    r"|(?:[gG]runt|[gG]ulp|[jJ]ake)file.*|Package\.swift|magefile\.go"
)
_TOOL_FOLDERS = frozenset(
    ("scripts", "script", "tools", "tool", "ci", "build", "hack", "devtools", "xtask", ".github",
     "tests", "test", "testing", "spec", "docs", "examples", "benches", "benchmarks", "proof")
)  # fmt: skip
_WORD = re.compile(r"[\w./-]{1,200}")
_CODE = re.compile(r"\w\.(?:py|[cm]?[jt]sx?|go|rs|swift|sh|bats|rb|java|kt|php|exs?)$")
_FOLDER = re.compile(r"(?:\.{0,2}/)*(?:[\w-]+/)*(?:tests?|__tests__|specs?)/?")
_INSIDE = re.compile(r"(?:.*/)?(?:tests?|__tests__|specs?)/.+")
_LOOKS = re.compile(
    r"\b(?:isdir|isfile|exists|lexists|listdir|scandir|i?glob|rglob|walk|is_dir|is_file|iterdir"
    r"|existsSync|readdir(?:Sync)?|stat(?:Sync)?|lstat|readFile(?:Sync)?|access(?:Sync)?|open"
    r"|read_text|read_bytes|Stat|ReadDir|ReadFile|Open|read_dir|read_to_string|metadata"
    r"|fileExists|contentsOfDirectory|getsource|include_str!|include_bytes!|spec_from_file_location"
    r"|run_path)\("
)
_WRITES = re.compile(
    r"\b(?:write\w*|mkdir|touch|create\w*|copy\w*|render\w*|rename\w*|remove|unlink|save\w*|generate\w*"
    r"|emit|scaffold\w*|print\w*|log\w*|add_argument|startswith|endswith|fnmatch|match)\("
    r"|#\[path"
)


def may_not_read_tests(path: str) -> bool:
    """Whether it is neither a test nor a tool that has to do with tests."""
    *folders, name = path.split("/")
    is_tool = _TOOLING.fullmatch(name) or any(it.lower() in _TOOL_FOLDERS for it in folders)
    return not is_tool and not is_test_file(path)


def reads_tests(piece: Clause) -> bool:
    """`open("tests/test_cart.py")`, `os.path.isdir("tests")`, `here / "test_cart.py"`."""
    if not piece.strings or piece.code == "«0»" or _WRITES.search(piece.code):
        return False
    paths = [it for it in piece.strings if _WORD.fullmatch(it)]
    if any(_CODE.search(it) and is_test_file(it) for it in paths):
        return True
    if not _LOOKS.search(piece.code):
        return False
    return any(_FOLDER.fullmatch(it) or _INSIDE.fullmatch(it) for it in paths)
