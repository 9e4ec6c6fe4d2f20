"""The words by which code asks for the environment, the clock, the host, a place or a runner."""

import re

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
