"""Code that behaves otherwise when, where or because it is tested. Reading the clock or the
environment is no such thing; asking whether this is the build machine is."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from topkick.inspection.inventory import Mark
from topkick.inspection.languages.common.testfiles import may_not_read_tests, reads_tests
from topkick.inspection.languages.common.tokens import Clause, Token, clauses
from topkick.inspection.languages.common.truth import is_moment

# --- The words by which code asks for the environment, the clock, the host, a place or a runner.

TELLING = re.compile(
    r"CI|CONTINUOUS_INTEGRATION|GITHUB_(ACTIONS?|RUN_\w+|WORKFLOW|JOB|RUNNER\w*)|GITLAB_CI|"
    r"JENKINS\w*"
    r"|BUILDKITE|CIRCLECI|TRAVIS|APPVEYOR|TEAMCITY\w*|TF_BUILD|DRONE|CODEBUILD_BUILD_ID|RUNNER_\w+"
    r"|BITBUCKET_BUILD_NUMBER|PYTEST\w*|_?PYTEST_RAISE|JEST_WORKER_ID|VITEST\w*|NODE_TEST_CONTEXT"
    r"|PLAYWRIGHT_TEST\w*|TEST_WORKER_INDEX|XCTest\w+|XCODE_RUNNING_FOR\w*|XCInject\w*"
    r"|RUST_TEST_\w+|NEXTEST\w*|\w*TOPKICK\w*|COVERAGE_RUN|COV_CORE\w*|MAKELEVEL|MAKEFLAGS|MFLAGS"
    r"|npm_(?:lifecycle_\w+|command|execpath)|JEST\w*|TOX_\w+|NOX_\w+|UNITTEST\w*",
)
UNMISTAKABLE = re.compile(
    r"GITHUB_ACTIONS|GITLAB_CI|CONTINUOUS_INTEGRATION|PYTEST_CURRENT_TEST|PYTEST_VERSION"
    r"|PYTEST_XDIST_WORKER|JEST_WORKER_ID|VITEST_\w+|NODE_TEST_CONTEXT|XCTestConfigurationFilePath"
    r"|NEXTEST\w*|MAKELEVEL|npm_lifecycle_event"
)
WHO = re.compile(r"HOST|HOSTNAME|COMPUTERNAME|USER|USERNAME|LOGNAME")
ENVIRON = r"(?:\w*env(?:iron)?(?:ment|b)?\w*)"
READS = (
    re.compile(rf"\b{ENVIRON}\??\.?\[«(\d+)»\](?!\s*=[^=])", re.IGNORECASE),
    re.compile(
        rf"\b{ENVIRON}(?:\(\))?\.(?:get|contains_?[kK]ey|has|includes)\(«(\d+)»", re.IGNORECASE
    ),
    re.compile(r"\b(?:getenvb?|Getenv|LookupEnv|secure_getenv|var_os|option_env!|env!)\(«(\d+)»"),
    re.compile(r"\benv::(?:var|var_os)\(«(\d+)»"),
    re.compile(rf"«(\d+)»\s?(?:not )?in\b[ (]?[\w.]*{ENVIRON}", re.IGNORECASE),
)
MEMBER = re.compile(r"\benv\??\.(\w+)(?!\w|\s*=[^=])")
ENVIRONMENT = re.compile(r"=(?:process|import\.meta|Deno)\.env\b(?!\.)")
LONGEST_UNPACKED = 400
LOOKED_UP = re.compile(r"(?:\[«(\d+)»\](?!\s*=[^=])|\.get\(«(\d+)»|«(\d+)»\s?(?:not )?in\b)")
WRITES = re.compile(
    r"^(?:delete |del )|\b(?:setenv|delenv|Setenv|Unsetenv|set_var|remove_var|pop|setdefault|"
    r"stubEnv)\("
)

CLOCK = re.compile(
    r"\b(?:datetime|date|dt|_dt|Date|DateTime)\.(?:now|utcnow|today)\(|\btime\.(?:time|"
    r"time_ns|strftime"
    r"|localtime|gmtime|ctime|Now)\(|(?<![\w.])(?:today|utcnow|time_ns)\(\)|\bnew Date(?:\(\)|"
    r"(?![\w(]))"
    r"|\bDate\.now\b|(?<![\w.])Date\(\)|\bDate\.now\(|\bSystemTime::now|\b(?:Utc|Local|"
    r"OffsetDateTime)::now"
    r"|::now_utc\(|\btimezone\.now\(|\bmoment\(\)|\bdayjs\(\)|\bpendulum\.(?:now|today)\(|"
    r"\barrow\.(?:now|utcnow)\("
    r"|\bInstant\.now\(|\bTemporal\.Now\b|\bCFAbsoluteTimeGetCurrent\b|\btimeIntervalSinceNow\b"
)
FIXED = re.compile(
    r"\b(?:datetime|date|DateTime|Date|Timestamp|pendulum\.datetime|NaiveDate|struct_time)"
    r"\((?:year[=:])?(?:19|20)\d\d\b"
    r"|\bDate\((?:19|20)\d\d,|\btime\.Date\((?:19|20)\d\d\b|from_ymd(?:_opt)?\((?:19|20)\d\d"
    r"|with_ymd_and_hms\((?:19|20)\d\d|\bDate\.UTC\((?:19|20)\d\d|(?<![\w.])"
    r"1[4-9]\d{8}(?:\d{3})?(?:\d{6})?(?![\w])"
    r"|(?<![\w.])1_[4-9]\d\d_\d{3}_\d{3}(?:_\d{3})*|time\.Unix\(1[4-9]\d{8}|\byear:(?:19|20)\d\d"
)
YEAR = re.compile(
    r"(?:\.year|\.getFullYear\(\)|\.getUTCFullYear\(\)|\.Year\(\)|\.year\(\)|\.tm_year)\s*"
    r"(?:==|!=|>=|<=|>|<|===)\s*20\d\d\b|\b20\d\d\s*(?:==|!=|>=|<=|>|<)[^=].*(?:\.year|"
    r"FullYear\(\)|\.Year\(\))\b"
)
ISO_DATE = re.compile(r"^(?:19|20)\d\d[-/.]?[01]\d(?:[-/.]?[0-3]\d)?(?:[T ].*)?$")
HOST = re.compile(
    r"\bgethostname\(|\bgetfqdn\(|\bplatform\.node\(|\buname\(\)(?:\.nodename|\[1\])|"
    r"\bgetpass\.getuser\("
    r"|\bgetlogin\(|\bos\.hostname\(|\bos\.userInfo\(|\bos\.Hostname\(|\buser\.Current\(|"
    r"\bhostName\b"
    r"|\bhostname::get\(|\bwhoami::|\bNSUserName\(|\bNSFullUserName\(|\bgetuser\(\)|\bgethostname::"
)
PLACE = re.compile(
    r"\bgetcwdb?\(|\bcwd\(\)|(?<!\w)__file__\b|\b__dirname\b|\b__filename\b|"
    r"\bimport\.meta\.(?:url|dirname|filename)\b"
    r"|\bos\.Getwd\(|\bcurrent_dir\(|\bcurrentDirectoryPath\b|\bcurrent_exe\(|\bos\.Executable\("
)
METHODS = (
    r"(?:starts_?[wW]ith|ends_?[wW]ith|includes|contains|has_?[pP]refix|has_?[sS]uffix|find|"
    r"index[oO]f"
    r"|match(?:es)?|search|count|equals|eq|fullmatch)\("
)
FUNCTIONS = (
    r"(?:HasPrefix|HasSuffix|Contains|EqualFold|MatchString|fnmatch|match|search|fullmatch)\("
)
COMPARES = re.compile(
    rf"==|!=|»\s?(?:not )?in\b|\b(?:not )?in ?[(\[]«|\.{METHODS}|\b{FUNCTIONS}|\btest\("
)
ASSERTED = re.compile(
    r"(?:await )?(?:assert\b|self\.assert\w+\(|expect\(|XCTAssert\w*\(|#expect\(|"
    r"(?:debug_)?assert\w*!\("
    r"|(?:require|assert)\.\w+\()"
)
CHOICE = re.compile(r"\bif\b|\?(?!\.)")
ORDER = re.compile(
    r"==|!=|<=|>=|(?<![-=<])>(?!>)|<(?![<-])|\.(?:Before|After|Equal|Compare|isBefore|isAfter|"
    r"isSame\w*|compare|duration_since)\(|\b(?:isBefore|isAfter)\("
)
RUNNER = (
    re.compile(
        r"«(\d+)»\s?(?:not )?in\b[ (]?(?:sys\.modules|sys\.argv|modules\b|argv\b|globals|"
        r"\w*sys\.modules)"
    ),
    re.compile(r"\b(?:sys\.)?modules(?:\.get\(|\[)«(\d+)»(?!\]\s*=[^=])"),
    re.compile(r"\bfind_spec\(«(\d+)»"),
    re.compile(r"\b(?:hasattr|getattr)\(sys,«(\d+)»"),
    re.compile(r"\bNSClassFromString\(«(\d+)»"),
    re.compile(r"\bobjc_getClass\(«(\d+)»"),
    re.compile(r"\bflag\.Lookup\(«(\d+)»"),
)
RUNNER_NAME = re.compile(
    r"(?i)_?pytest[\w.]*|py\.test|unittest(?:\.\w+)*|_?called_from_test|nose2?|"
    r"XCTest\w*|test\.\w+|coverage"
)
RUNNER_WORDS = re.compile(
    r"\btesting\.Testing\(\)|\btypeof(?: |\()(?:jest|vi|vitest|describe|it|test|expect|mocha|"
    r"beforeEach|jasmine)\b"
    r"|\bimport\.meta\.vitest\b|\bcfg!\((?:not\()?test\b|\bglobalThis\.(?:jest|vitest|"
    r"describe|__vitest\w*|__jest\w*)\b"
    r"|\bXCTestCase\.self\b|\bglobal\.(?:jest|describe)\b|\bsys\.gettrace\(\)|\b_called_from_test\b"
)
CALLERS = re.compile(
    r"\binspect\.stack\(|\bcurrentframe\(|\b_getframe\(|\bextract_stack\(|"
    r"\bruntime\.Callers?\(|\bcallStackSymbols\b|\.stack\b|\bsys\.argv\b|\bos\.Args\b|"
    r"\bprocess\.argv\b|\bargv\[0\]|\benv::args\(|\barguments\b"
)
TEST_WORD = re.compile(
    r"(?i)py\.?test|unittest|(?:^|[^a-z])tests?(?:$|[^a-z])|test_|_test|jest|vitest|mocha|xctest"
)
ASSIGNED = re.compile(
    r"^(?:(?:const|let|var|static|final|pub|mut|if|elif|while|private|public) )*\(?(\w+)(?:,"
    r"\w+)?(?::[^=]{1,80})?(?::=|=)(?!=)(.*)$",
    re.DOTALL,
)
MOST_NAMES = 100
NEVER = re.compile(r"(?!)")
COMMON_PLACES = frozenset(
    ("site-packages", "dist-packages", "node_modules", "__main__", "/", "\\", ".", "")
)


@dataclass(frozen=True, slots=True)
class Known:
    """What stands for the clock, a fixed date, the host or a place, as far as one file says."""

    clock: re.Pattern[str]
    fixed: re.Pattern[str]
    host: re.Pattern[str]
    place: re.Pattern[str]


def conditions(tokens: Iterable[Token], path: str = "") -> tuple[Mark, ...]:
    """`path`: the file's, so that it can be told whether it should know of the tests."""
    pieces = list(clauses(tokens))
    known = _known(pieces)
    marks = [
        Mark(piece.line, piece.text, name) for piece in pieces for name in _names(piece, known)
    ]
    marks += (Mark(it.line, it.text, "environment") for it in _unpacked(pieces))
    if path and may_not_read_tests(path):
        marks += (Mark(it.line, it.text, "reads-tests") for it in pieces if reads_tests(it))
    return tuple(dict.fromkeys(marks))


def _unpacked(pieces: list[Clause]) -> Iterator[Clause]:
    """`const { CI } = process.env`, which is cut at its braces."""
    for names, source in pairwise(pieces):
        if ENVIRONMENT.match(source.code) and len(names.code) < LONGEST_UNPACKED:
            given = (it.partition(":")[0].partition("=")[0].strip() for it in names.code.split(","))
            if any(map(TELLING.fullmatch, given)):
                yield Clause(names.line, f"{{{names.code}}}{source.code}"[:160], names.strings)


def _known(pieces: list[Clause]) -> Known:
    whole = "\n".join(piece.code for piece in pieces)
    has_clock, has_host, has_place = (bool(it.search(whole)) for it in (CLOCK, HOST, PLACE))
    if not (has_clock or has_host or has_place):
        return Known(NEVER, NEVER, NEVER, NEVER)
    clock: set[str] = set()
    fixed: set[str] = set()
    host: set[str] = set()
    place: set[str] = set()
    for piece in pieces:
        found = ASSIGNED.match(piece.code)
        if found is None or COMPARES.search(found[2]):
            continue
        name, value = found[1], found[2]
        if has_clock and CLOCK.search(value) and not _is_call_of_other(value):
            clock.add(name)
        elif has_clock and (FIXED.search(value) or _is_date(piece, value)):
            fixed.add(name)
        elif has_host and HOST.search(value):
            host.add(name)
        elif has_place and PLACE.search(value) and not piece.strings:
            place.add(name)
    return Known(
        _or(CLOCK, clock) if has_clock else NEVER,
        _or(FIXED, fixed) if has_clock else NEVER,
        _or(HOST, host) if has_host else NEVER,
        _or(PLACE, place) if has_place else NEVER,
    )


def _is_date(piece: Clause, value: str) -> bool:
    return _has_date(piece) and "(" not in value.partition("«")[0][:-1]


def _or(pattern: re.Pattern[str], names: set[str]) -> re.Pattern[str]:
    if not names:
        return pattern
    kept = sorted(re.escape(name) for name in names if name != "_")[:MOST_NAMES]
    shown = "|".join(kept) or "(?!)"
    return re.compile(rf"{pattern.pattern}|(?<![\w.])(?:{shown})(?!\w|\(|=(?!=))")


def _is_call_of_other(value: str) -> bool:
    """`job = Job(started=time.time())` is no clock."""
    found = CLOCK.search(value)
    return found is not None and bool(re.match(r"[\w.]+\((?!\))", value[: found.start()]))


def _names(piece: Clause, known: Known) -> Iterator[str]:
    if ASSERTED.match(piece.code) and not CHOICE.search(piece.code):
        return  # what a test expects decides nothing
    if _asks_environment(piece):
        yield "environment"
    if _asks_runner(piece):
        yield "runner"
    if _asks_clock(piece, known):
        yield "clock"
    if _is_asked(piece, known.host, _is_host) or _asks_who(piece):
        yield "host"
    if _is_asked(piece, known.place, _is_path_piece):
        yield "place"


def _is_asked(piece: Clause, words: re.Pattern[str], is_one: Callable[[str], bool]) -> bool:
    """Whether it is compared with a text directly: `read(here / "a.json") == "b"` is not."""
    if words is NEVER or not words.search(piece.code):
        return False
    if is_one is _is_host and re.match(r"(?:match|switch)\b", piece.code):
        return True
    between, what = r"[\w.()\[\]!?&:]*", rf"(?:{words.pattern})"
    shapes = (
        rf"«(\d+)»\s?(?:not )?in\b[ (]?[\w.(]*?{what}",
        rf"{what}{between}(?:===?|!==?)«(\d+)»",
        rf"«(\d+)»(?:===?|!==?)[\w.(]*?{what}",
        rf"{what}{between}\s?(?:not )?in ?[(\[]«(\d+)»",
        rf"{what}{between}\.{METHODS}«(\d+)»",
        rf"\b{FUNCTIONS}[\w.(]*?{what}{between},«(\d+)»",
        rf"\b{FUNCTIONS}«(\d+)»,[\w.(]*?{what}",
        rf"«(\d+)»\.test\({what}",
    )
    numbers = (int(it) for shape in shapes for it in re.findall(shape, piece.code))
    texts = [piece.strings[number] for number in numbers if number < len(piece.strings)]
    return any(map(is_one, texts))


def _is_host(text: str) -> bool:
    return bool(re.search(r"\w\w", text)) and not re.fullmatch(r"localhost|[\d.:]+", text)


def _is_path_piece(text: str) -> bool:
    return text not in COMMON_PLACES and not text.startswith((".", "file:"))


def _right_of_assignment(code: str) -> str:
    found = ASSIGNED.match(code)
    return found[2] if found else code


def _asks_environment(piece: Clause) -> bool:
    if "«" not in piece.code and "env" not in piece.code.lower():
        return False
    if WRITES.search(piece.code):
        return False
    for name in _variables(piece):
        if TELLING.fullmatch(name):
            return True
        if name in ("NODE_ENV", "APP_ENV", "RAILS_ENV", "MIX_ENV", "ENVIRONMENT", "FLASK_ENV"):
            return _is_compared_with_test(piece)
    if re.search(r"\.startswith\(«|\.startsWith\(«", piece.code):
        return any(
            text in ("PYTEST", "PYTEST_", "GITHUB_", "JENKINS_", "VITEST") for text in piece.strings
        )
    return any(
        UNMISTAKABLE.fullmatch(piece.strings[int(number)])
        for groups in LOOKED_UP.findall(piece.code)
        for number in groups
        if number and int(number) < len(piece.strings)
    )


def _variables(piece: Clause) -> Iterator[str]:
    if "env" not in piece.code.lower() and "var_os" not in piece.code:
        return
    for pattern in READS:
        for number in pattern.findall(piece.code):
            if int(number) < len(piece.strings):
                yield piece.strings[int(number)]
    yield from MEMBER.findall(piece.code)


def _is_compared_with_test(piece: Clause) -> bool:
    return bool(COMPARES.search(piece.code)) and any(
        text in ("test", "testing", "ci") for text in piece.strings
    )


def _asks_who(piece: Clause) -> bool:
    """`os.environ["USER"] == "runner"`."""
    names = [name for name in _variables(piece) if WHO.fullmatch(name)]
    found = re.search(r"[)\]\w](?:===?|!==?)«(\d+)»", piece.code) if names else None
    return found is not None and bool(piece.strings[int(found[1])])


def _asks_runner(piece: Clause) -> bool:
    if RUNNER_WORDS.search(piece.code):
        return True
    for pattern in RUNNER:
        for number in pattern.findall(piece.code):
            if int(number) < len(piece.strings) and RUNNER_NAME.fullmatch(
                piece.strings[int(number)]
            ):
                return True
    if not (CALLERS.search(piece.code) and COMPARES.search(piece.code)):
        return False
    return any(TEST_WORD.search(text) for text in piece.strings)


def _asks_clock(piece: Clause, known: Known) -> bool:
    if known.clock is NEVER:
        return False
    code = _right_of_assignment(piece.code)
    if not known.clock.search(code) or not ORDER.search(code):
        return False
    if known.fixed.search(code) or YEAR.search(code) or _has_date(piece):
        return True
    return is_moment(code)


def _has_date(piece: Clause) -> bool:
    return any(ISO_DATE.match(text) for text in piece.strings)
