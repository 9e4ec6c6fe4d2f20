"""Commands that tell whether files can be parsed, for the tools that are present.

Each fails on a syntax error of a file it is given, and never for want of another file or of a
dependency; a language without such a tool (C, C++) is left to the gate.
"""

import re
import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

MOST_FILES = 100  # in one command
_SKIPPED_FOLDERS = frozenset(  # not ours, or wrong on purpose
    {"node_modules", "vendor", "third_party", ".venv", "venv", "fixtures", "__fixtures__"}
    | {"testdata", "__snapshots__"}
)
_TEMPLATE_SIGNS = ("{{", "{%")

# `py_compile` without the bytecode that it leaves in the tree; -I: no module of the tree is run
_PYTHON = """\
import sys, traceback
bad = 0
for name in sys.argv[1:]:
    try:
        compile(open(name, 'rb').read(), name, 'exec', dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        bad = 1
        line = getattr(error, 'lineno', None) or 1
        print('%s:%d: %s' % (name, line, getattr(error, 'msg', error)))
        traceback.print_exception(type(error), error, None, file=sys.stdout)
sys.exit(bad)"""
# comments and last commas are let pass: many tools take them in their .json files
_JSON = r"""\
import json, re, sys
bad = 0
token = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.S)
comma = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.S)
kept = lambda match: match[1] or ''
for name in sys.argv[1:]:
    try:
        raw = open(name, 'rb').read()
        text = raw.decode(json.detect_encoding(raw))
        strict = name.rpartition('/')[2] in ('package.json', 'package-lock.json', 'composer.json')
        text.strip() and json.loads(text if strict else comma.sub(kept, token.sub(kept, text)))
    except (ValueError, RecursionError) as error:
        bad = 1
        print(name + ': ' + str(error))
sys.exit(bad)""".removeprefix("\\\n")
_TOML = """\
import sys
try:
    import tomllib
except ImportError:
    sys.exit(0)
bad = 0
for name in sys.argv[1:]:
    try:
        tomllib.loads(open(name, 'rb').read().decode('utf-8').replace('\\r\\n', '\\n'))
    except (ValueError, RecursionError) as error:
        bad = 1
        print(name + ': ' + str(error))
sys.exit(bad)"""
# JSX in a .js file is no error of the file; a module in a .js file is one to an older node
_NODE = (
    'out=$(node --check "$f" 2>&1) || case $out in '
    "*\"Unexpected token '<'\"*) ;; "
    '*"outside a module"*|*"Unexpected token \'export\'"*|*"await is only valid"*) '
    'node --input-type=module --check - < "$f" || bad=1 ;; '
    "*) printf '%s\\n' \"$out\"; bad=1 ;; esac"
)
# Read from stdin it looks for no other module, and from outside of the tree rustup takes no
# toolchain that the tree names; an edition that takes the file is the right one. Where rustup has
# no rustfmt, the check cannot run: 127.
_RUST = (
    "parses() { (cd / && rustfmt --config-path /dev/null --emit stdout --edition $1) "
    '< "$f" 2>&1 >/dev/null; }; parses 2021 >/dev/null || parses 2024 >/dev/null || '
    'parses 2015 >/dev/null || { echo "$f:"; parses 2021; bad=1; }'
)
_RUST_GUARD = "(cd / && rustfmt --version) >/dev/null 2>&1 || exit 127; "
# Of what tsc says, only what its parser says: names and modules are other files' business.
_TSC_PARSER = (
    "1002|1003|1005|1010|1012|1109|1110|1126|1127|1128|1129|1130|1131|1132|1134|1135|1136|1137"
    "|1138|1139|1141|1144|1145|1146|1160|1161|1178|1179|1180|1185|1351|1352|1381|1382|1389|1434"
    "|1435|1440|1442|1443|17002|17008|17014"
)
_TSC = "--noEmit --skipLibCheck --noResolve --jsx preserve --target esnext --pretty false"
_JAVAC_PARSE = (
    "javac -proc:none -implicit:none -XDshould-stop.ifNoError=PARSE"
    " -XDshould-stop.ifError=PARSE -XDshouldStopPolicyIfNoError=PARSE"
)


@dataclass(frozen=True, slots=True)
class _Language:
    """The table's command for it, and how its files are checked here, "" where they are not."""

    suffixes: tuple[str, ...]
    example: str
    programs: tuple[str, ...] = ()
    form: str = ""  # {files}, {program}; a form with "$f" is run for each file


_LANGUAGES = (
    _Language(
        (".swift",),
        "swift -frontend -typecheck File.swift",
        ("swiftc",),
        'swiftc -frontend -parse "$f" || bad=1',
    ),
    _Language(
        (".ts", ".tsx", ".mts", ".cts"),
        "tsc --noEmit --skipLibCheck File.ts",
        ("tsc",),
        f"! tsc {_TSC} {{files}} | grep -E 'error TS({_TSC_PARSER}):'",
    ),
    _Language((".js", ".mjs", ".cjs"), "node --check file.js", ("node",), _NODE),
    _Language(
        (".py", ".pyi"),
        "python -m py_compile file.py",
        ("python3", "python"),
        f"{{program}} -I -c {shlex.quote(_PYTHON)} {{files}}",
    ),
    # `go vet` of one file misses the rest of its package; gofmt only parses
    _Language((".go",), "go vet file.go", ("gofmt",), "gofmt -l -e {files} >/dev/null"),
    _Language((".rs",), "rustc --crate-type lib --emit metadata file.rs", ("rustfmt",), _RUST),
    _Language((".java",), "javac -proc:none File.java", ("javac",), f"{_JAVAC_PARSE} {{files}}"),
    _Language((".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp"), "gcc -fsyntax-only file.c"),
    _Language(
        (".json",),
        "",
        ("python3", "python"),
        f"{{program}} -I -c {shlex.quote(_JSON)} {{files}}",
    ),
    _Language(
        (".toml",),
        "",
        ("python3", "python"),
        f"{{program}} -I -c {shlex.quote(_TOML)} {{files}}",
    ),
)


_ALL_SUFFIXES = tuple(suffix for language in _LANGUAGES for suffix in language.suffixes)


def syntax_checks(files: Sequence[str], has: Callable[[str], bool]) -> tuple[str, ...]:
    """Commands for a shell at the tree's top; `files` are there, named from it, `has` a program."""
    ours = [file for file in dict.fromkeys(files) if _is_checkable(file)]
    return tuple(command for language in _LANGUAGES for command in _of(language, ours, has))


_PLACE = re.compile(
    r"^(?:\./)?(?P<file>[^\s:(][^:(]*\.\w+)(?:[:(](?P<line>\d+))?(?:[:,]\d+)?\)?:?\s*(?P<what>.*)$"
)
_MESSAGE = re.compile(r"^(?:\w*Error|error)\b[^:]*: (?P<what>.+)$", re.MULTILINE)


def first_error(output: str) -> str:
    """`file:line: message` of the first error that one of these commands printed, if it did."""
    for line in output.splitlines():
        found = _PLACE.match(line)
        if found is None or not found["file"].endswith(_ALL_SUFFIXES):
            continue
        said = _MESSAGE.search(output)
        what = found["what"] or (said["what"] if said is not None else "")
        return ": ".join(p for p in (":".join(filter(None, found.group(1, 2))), what) if p)
    return ""


def advice(suffixes: Collection[str]) -> str:
    """For an agent's order: the command that checks syntax, a line for each language."""
    lines = (one.example for one in _LANGUAGES if not _known(suffixes).isdisjoint(one.suffixes))
    return "\n".join(line for line in lines if line)


def _known(suffixes: Collection[str]) -> set[str]:
    return {f".{suffix.lower().removeprefix('.')}" for suffix in suffixes}


def _is_checkable(file: str) -> bool:
    if "\n" in file or "\0" in file or file.startswith("/"):
        return False
    if any(sign in file for sign in _TEMPLATE_SIGNS):
        return False
    return _SKIPPED_FOLDERS.isdisjoint(file.split("/")[:-1])


def _of(language: _Language, files: list[str], has: Callable[[str], bool]) -> Iterator[str]:
    mine = [file for file in files if file.endswith(language.suffixes)]
    program = next((one for one in language.programs if has(one)), "") if mine else ""
    if not program:
        return
    for start in range(0, len(mine), MOST_FILES):
        names = " ".join(shlex.quote(f"./{file}") for file in mine[start : start + MOST_FILES])
        yield _command(language.form, program, names)


def _command(form: str, program: str, names: str) -> str:
    if '"$f"' not in form:
        return form.replace("{program}", program, 1).replace("{files}", names)
    guard = _RUST_GUARD if program == "rustfmt" else ""
    return f"{guard}bad=0; for f in {names}; do {form}; done; exit $bad"
