"""Syntax checks over touched files: red on a file's own errors, never on what is elsewhere."""

import shutil
import subprocess
from pathlib import Path

import pytest

from topkick.inspection.tampering.syntax_checks import MOST_FILES, advice, syntax_checks

pytestmark = pytest.mark.spec("GT-05")

GOOD = {
    "a.py": "import nowhere\nfrom . import other\nasync def f(): return await g()\n",
    "types.py": "raise SystemExit('a module of the tree must not be run')\n",
    "b.js": "const x = require('nowhere'); return;\n",
    "esm.js": "import x from 'nowhere';\nexport const y = await x;\n",
    "esm.mjs": "import x from 'nowhere';\nexport const y = await x;\n",
    "jsx.js": "export const a = () => <div>{b}</div>;\n",
    "c.rs": "mod missing;\nuse nope::Thing;\nasync fn a( ) { unknown(1) ;}\n",
    "old.rs": "fn a() { let async = 1; let dyn = async; }\n",
    "D.java": "package x.y;\nimport no.such.Thing;\nclass Other { Thing t = 1; }\n",
    "e.json": '{"a": [1, 2]}\n',
    "tsconfig.json": '{\n  // with "quotes"\n  "a": "http://x/*y*/", /* b */\n  "c": [1,],\n}\n',
    "f.toml": '[a]\nb = "c"\n',
    "g.go": "package x\n\nfunc a() { unknown( 1 ) }\n",
    "h.swift": "import Nowhere\nfunc a() { unknown(1) }\n",
    "i.ts": "import { X } from './nowhere';\nexport const a: X<string> = unknown;\n",
    "j.tsx": "export const a = <div>{b}</div>;\n",
}
BAD = {
    "a.py": "def f(:\n    pass\n",
    "nul.py": "a = 1\0\n",
    "b.js": "const = 1;\n",
    "conflict.js": "<<<<<<< HEAD\nconst a = 1;\n=======\n",
    "esm.mjs": "import x from;\n",
    "c.rs": "fn a( {\n",
    "D.java": "class D { void f( { }\n",
    "e.json": '{"a": 1,, "b": 2}\n',
    "package.json": '{"a": 1,}\n',
    "f.toml": "[a\n",
    "g.go": "package x\n\nfunc a( {\n",
    "h.swift": "func a( {\n",
    "i.ts": "let a: = 1;\n",
    "j.tsx": "const a = <div>;\n",
}
TOOLS = {
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".rs": "rustfmt",
    ".java": "javac",
    ".json": "python3",
    ".toml": "python3",
    ".go": "gofmt",
    ".swift": "swiftc",
    ".ts": "tsc",
    ".tsx": "tsc",
}
ODD = ("-{}", "--help-{}", "a b/{}", "it's/{}", "$(touch owned)/{}", "ü/{}")


def _has(program: str) -> bool:
    return shutil.which(program) is not None


def _ask_for(tool: str) -> None:
    """Skip the test if the tool is missing: few machines have the tools of all languages."""
    if not _has(tool):
        pytest.skip(f"{tool} is not installed: its syntax check is not tried here")


def _write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def _run(root: Path, files: list[str]) -> tuple[list[int], str]:
    runs = [
        subprocess.run(
            ["sh", "-c", command],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        for command in syntax_checks(files, _has)
    ]
    return [run.returncode for run in runs], "".join(run.stdout for run in runs)


def _of(tool: str, files: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in files.items() if TOOLS[Path(name).suffix] == tool}


@pytest.mark.parametrize("tool", sorted(set(TOOLS.values())))
def test_files_that_parse_pass_without_their_project(tmp_path: Path, tool: str) -> None:
    _ask_for(tool)
    good = _of(tool, GOOD)
    for name, text in good.items():
        _write(tmp_path, name, text)
    codes, output = _run(tmp_path, list(good))
    assert set(codes) == {0}, output
    left = {path.name for path in tmp_path.iterdir()}
    assert left == set(good), "a check leaves nothing behind"


@pytest.mark.parametrize("tool", sorted(set(TOOLS.values())))
def test_each_file_with_a_syntax_error_is_shown(tmp_path: Path, tool: str) -> None:
    _ask_for(tool)
    good = {f"good/{name}": text for name, text in _of(tool, GOOD).items()}
    bad = {f"bad/{name}": text for name, text in _of(tool, BAD).items()}
    for name, text in {**good, **bad}.items():
        _write(tmp_path, name, text)
    codes, output = _run(tmp_path, [*good, *bad])
    assert not {0, 126, 127}.intersection(codes), output
    assert all(name in output for name in bad), output
    assert "good/" not in output


def test_odd_names_are_files_and_nothing_else(tmp_path: Path) -> None:
    names = [odd.format(name) for odd in ODD for name in ("a.py", "e.json", "f.toml")]
    names += [odd.format("b.js") for odd in ("-{}", "it's $(touch owned)/{}")]
    names = [name for name in names if _has(TOOLS[Path(name).suffix])]
    for name in names:
        _write(tmp_path, name, next(GOOD[key] for key in GOOD if name.endswith(key)))
    codes, output = _run(tmp_path, names)
    assert set(codes) == {0}, output
    for name in names:
        _write(tmp_path, name, next(BAD[key] for key in BAD if name.endswith(key)))
    codes, output = _run(tmp_path, names)
    assert 0 not in codes
    assert all(name in output for name in names), output
    assert not (tmp_path / "owned").exists()


def test_the_tree_chooses_no_program(tmp_path: Path) -> None:
    _ask_for("rustfmt")
    _write(tmp_path, "a.rs", "fn a() {}\n")
    _write(tmp_path, "rustfmt.toml", "max_width = 'no number'\n")
    _write(tmp_path, "rust-toolchain.toml", f'[toolchain]\npath = "{tmp_path}/mine"\n')
    _write(tmp_path, "mine/bin/rustfmt", f"#!/bin/sh\ntouch {tmp_path}/owned\nexit 1\n")
    (tmp_path / "mine/bin/rustfmt").chmod(0o755)
    assert _run(tmp_path, ["a.rs"])[0] == [0]
    assert not (tmp_path / "owned").exists()


def test_nothing_to_check() -> None:
    everything = list(GOOD)
    assert syntax_checks([], lambda _: True) == ()
    assert syntax_checks(everything, lambda _: False) == ()
    left_out = ["README.md", "a.c", "b.h", "Makefile", "x.yaml", "py", ".py/x", "a\n.py"]
    left_out += ["node_modules/a.js", "tests/fixtures/bad.py", "{{name}}/a.py", "/etc/a.py"]
    assert syntax_checks(left_out, lambda _: True) == ()


def test_many_files_are_few_commands() -> None:
    files = [f"{n}.py" for n in range(2 * MOST_FILES + 1)]
    commands = syntax_checks([*files, *files], lambda program: program == "python")
    assert [command.count(".py") for command in commands] == [MOST_FILES, MOST_FILES, 1]
    assert all(command.startswith("python -I ") for command in commands)


def test_each_language_has_its_command() -> None:
    commands = syntax_checks(list(GOOD), lambda _: True)
    starts = ["swiftc", "! tsc", "node", "python3", "gofmt", "rustfmt", "javac", "python3"]
    for command, word in zip(commands, [*starts, "python3"], strict=True):
        assert word in command


def test_a_proxy_without_its_tool_is_a_check_that_cannot_run(tmp_path: Path) -> None:
    (tmp_path / "rustfmt").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "rustfmt").chmod(0o755)
    (command,) = syntax_checks(["a.rs"], lambda program: program == "rustfmt")
    run = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env={"PATH": str(tmp_path)}, check=False
    )
    assert run.returncode == 127


def test_advice_is_the_table() -> None:
    assert advice([]) == ""
    assert advice([".md", ".toml"]) == ""
    assert advice(["py", ".PY"]) == "python -m py_compile file.py"
    table = (
        "swift -frontend -typecheck File.swift\n"
        "tsc --noEmit --skipLibCheck File.ts\n"
        "node --check file.js\n"
        "python -m py_compile file.py\n"
        "go vet file.go\n"
        "rustc --crate-type lib --emit metadata file.rs\n"
        "javac -proc:none File.java\n"
        "gcc -fsyntax-only file.c"
    )
    assert advice([".c", ".java", ".rs", ".go", ".py", ".js", ".tsx", ".ts", ".swift"]) == table
