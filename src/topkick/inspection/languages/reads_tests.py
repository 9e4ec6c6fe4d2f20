"""Code of a product that looks at its own tests: whether they are there, and what they expect."""

import re

from topkick.inspection.languages.testfiles import is_test_file
from topkick.inspection.languages.tokens import Clause

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
