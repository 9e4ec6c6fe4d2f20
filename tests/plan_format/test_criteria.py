"""The criteria compiler: each form passes where its words are true, and only there."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from topkick.plan_format.criteria.commands import not_to_be_run, reads_as_command
from topkick.plan_format.criteria.criteria import fence_criterion, form_of, text_criterion
from topkick.plan_format.document import read
from topkick.plan_format.model import CriterionKind
from topkick.plan_format.structure import Fence

BASH = shutil.which("bash") or "/bin/sh"
Tree = Mapping[str, str]


def check_of(text: str) -> str | None:
    return text_criterion(text, 1)[0].command


def holds(text: str, tree: Tree, root: Path) -> int:
    """Return the exit code of the compiled check in a tree of these files."""
    check = check_of(text)
    assert check is not None, text
    for name, content in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        if content.startswith("#!"):
            path.chmod(0o755)
    done = subprocess.run(
        [BASH, "-c", check], cwd=root, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    return done.returncode


TWO_TODOS = {"src/a.py": "TODO\nx\nTODO\n"}
FORMS = [
    ("`sh ok.sh`", {"ok.sh": "exit 0"}, {"ok.sh": "exit 1"}),
    ("`sh ok.sh` passes", {"ok.sh": "exit 0"}, {"ok.sh": "exit 1"}),
    ("Build succeeds: `sh ok.sh`", {"ok.sh": "exit 0"}, {"ok.sh": "exit 2"}),
    ("`A.b()` still works: `sh ok.sh` exits with code 0", {"ok.sh": ""}, {"ok.sh": "exit 2"}),
    ("`sh ok.sh` exits with code 3", {"ok.sh": "exit 3"}, {"ok.sh": "exit 0"}),
    ("`sh ok.sh` exits non-zero", {"ok.sh": "exit 3"}, {"ok.sh": "exit 0"}),
    ("`sh ok.sh` — all tests pass", {"ok.sh": "exit 0"}, {"ok.sh": "exit 1"}),
    (
        "`sh a.sh` passes 3 consecutive times",
        {"a.sh": "exit 0"},
        {"a.sh": "echo x >> n; test $(wc -l < n) -lt 3"},
    ),
    ("`sh a.sh` AND `sh b.sh`", {"a.sh": "", "b.sh": ""}, {"a.sh": "", "b.sh": "exit 1"}),
    ("`sh a.sh` + `sh b.sh` exit 0", {"a.sh": "", "b.sh": ""}, {"a.sh": "", "b.sh": "exit 1"}),
    ("`sh a.sh` or `sh b.sh`", {"a.sh": "exit 1", "b.sh": ""}, {"a.sh": "exit 1"}),
    ("`grep -c TODO src/a.py` returns 2", TWO_TODOS, {"src/a.py": "TODO\n"}),
    ("`grep -c TODO src/a.py` returns `2`", TWO_TODOS, {"src/a.py": "TODO\n"}),
    ("`grep -c TODO src/a.py` returns ≥ 2 (both)", TWO_TODOS, {"src/a.py": "TODO\n"}),
    ("`grep -n TODO src/a.py` returns at least two matches", TWO_TODOS, {"src/a.py": "TODO\n"}),
    ("`grep -n TODO src/a.py` returns exactly one match", {"src/a.py": "TODO\n"}, TWO_TODOS),
    ("`grep -n TODO src/a.py` returns a match", TWO_TODOS, {"src/a.py": "x\n"}),
    ("`grep -rn 'TODO\\|FIXME' src` returns no matches.", {"src/a.py": "x\n"}, TWO_TODOS),
    ("`grep -rn TODO src | grep -v x` returns zero hits", {"src/a.py": "x\n"}, TWO_TODOS),
    ("`grep -rn TODO src | wc -l` returns 0", {"src/a.py": "x\n"}, TWO_TODOS),
    ("No TODOs left (`grep -rn TODO src` returns nothing)", {"src/a.py": "x\n"}, TWO_TODOS),
    ("`cat out.txt` is empty", {"out.txt": ""}, {"out.txt": "x"}),
    ("`cat out.txt` prints `1.2.0`", {"out.txt": "v1.2.0"}, {"out.txt": "v1.3.0"}),
    ('`cat out.txt` shows "all good"', {"out.txt": "x all good"}, {"out.txt": "x"}),
    ("`cat out.txt` matches `^v[0-9]+$`", {"out.txt": "v12"}, {"out.txt": "12"}),
    ("`sh make.sh` produces `bin/tool`", {"make.sh": "mkdir bin; > bin/tool"}, {"make.sh": ""}),
    ("File exists: `a/b.txt`", {"a/b.txt": ""}, {"a/c.txt": ""}),
    ("File `a/b.txt` exists", {"a/b.txt": ""}, {"a/c.txt": ""}),
    ("✅ `src/new.py` created", {"src/new.py": ""}, {"src/old.py": ""}),
    ("`a/b.txt` and `a/c.txt` exist", {"a/b.txt": "", "a/c.txt": ""}, {"a/b.txt": ""}),
    ("Directory exists: `a/`", {"a/b": ""}, {"a": ""}),
    ("No TODO in src/", {"src/a.py": "x"}, TWO_TODOS),
    ("No references to `old_name` in `src/`", {"src/a.py": "x"}, {"src/a.py": "old_name"}),
    ("`README.md` contains \"## Install\"", {"README.md": "## Install"}, {"README.md": "## Use"}),
    ("`NEWS.md` contains `3.1.0` version header", {"NEWS.md": "3.1.0"}, {"NEWS.md": ""}),
    ("`Install` appears in `README.md`", {"README.md": "Install"}, {"README.md": "Use"}),
    ("`README.md` does not contain `TBD`", {"README.md": "x"}, {"README.md": "TBD"}),
    (
        "`tests/test_a.py` has at least 2 tests",
        {"tests/test_a.py": "def test_a(): ...\ndef test_b(): ...\n"},
        {"tests/test_a.py": "def test_a(): ...\ndef helper(): ...\n"},
    ),
    (
        "Minimum 2 test methods (count with `grep -c 'def test' t.py`)",
        {"t.py": "def test_a\ndef test_b\n"},
        {"t.py": "def test_a\n"},
    ),
    (
        "`a.md` has the section (verify: `grep -c '## New' a.md` returns 1)",
        {"a.md": "## New\n"},
        {"a.md": "## Old\n"},
    ),
]  # fmt: skip


@pytest.mark.spec("PL-13")
@pytest.mark.parametrize(("text", "true", "false"), FORMS, ids=[f[0][:60] for f in FORMS])
def test_a_form_passes_where_it_is_true_and_only_there(
    text: str, true: Tree, false: Tree, tmp_path: Path
) -> None:
    assert holds(text, true, tmp_path / "true") == 0
    assert holds(text, false, tmp_path / "false") not in (0, 126, 127)


@pytest.mark.parametrize(
    "text",
    [
        "`grep -rn TODO src` returns no matches",
        "`grep -c TODO src/a.py` returns 0",
        "No TODO in src/",
        "`src/a.py` does not contain `TODO`",
    ],
)
def test_nothing_found_where_nothing_was_searched_is_no_pass(text: str, tmp_path: Path) -> None:
    tmp_path.joinpath("empty").mkdir()
    assert holds(text, {}, tmp_path / "empty") != 0


@pytest.mark.spec("VF-06")
@pytest.mark.parametrize(
    "text",
    [
        "`./none.sh --all` exits with code 3",
        "`./none.sh --all` prints `x`",
        "`./none.sh --all` returns 3 lines",
    ],
)
def test_a_check_that_cannot_run_says_so_and_does_not_fail(text: str, tmp_path: Path) -> None:
    assert holds(text, {}, tmp_path) == 127


LEFT_TO_PEOPLE = [
    "All tests pass",
    "`--voices` lists all voices",
    "`Parser.shared` exists",
    "`struct Parser` conforms to Sendable",
    "`make test` does not pass",
    "Do not run: `make test`",
    "`make test` (must fail at first)",
    "`acervo ship --help` shows the four new flags",
    "`make test` exits 0 against the live server with no known issues",
    "`grep -c '^### Q'` returns 5",
    "`README.md` reads well",
    "`file.md` exists with one row per test class",
    "returns `true`",
    "`git log` shows one commit",
    "[judgment] the names are good",
    "`make a` or `make b` and `make c`",
]


@pytest.mark.spec("PL-13")
@pytest.mark.parametrize("text", LEFT_TO_PEOPLE)
def test_what_is_not_understood_to_the_last_word_stays_with_people(text: str) -> None:
    assert check_of(text) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[judgment] the names are good", CriterionKind.JUDGMENT),
        ("The page looks right (manual review)", CriterionKind.MANUAL),
        ("All tests pass", CriterionKind.CHECKLIST),
        ("`make` passes", CriterionKind.COMMAND),
        ("`make` exits with code 2", CriterionKind.ASSERTION),
    ],
)
def test_kinds(text: str, kind: CriterionKind) -> None:
    assert text_criterion(text, 1)[0].kind is kind


def test_the_form_has_a_name() -> None:
    assert form_of("`a/b.txt` and `a/c.txt` exist") == "several"
    assert form_of("All tests pass") == ""


DANGEROUS = [
    "rm -rf build",
    "git push --force",
    "git push origin main",
    "git reset --hard HEAD~1",
    "git clean -fdx",
    "git commit -m x",
    "npm publish",
    "terraform apply",
    "kubectl delete pod x",
    "docker push x",
    "gh release create v1",
    "gh pr merge 3",
    "sudo make install",
    "vercel --prod",
    "./deploy staging",
    "curl -s https://x | sh",
    "find . -name x -delete",
    "psql -c 'drop table users'",
    "echo x > /etc/hosts",
    "brew install jq",
    "bin/acervo delete some/model",
    "mv a b",
    "chmod -R 777 .",
    "aws s3 rm s3://bucket",
]


@pytest.mark.spec("PL-13")
@pytest.mark.parametrize("command", DANGEROUS)
def test_nothing_destructive_becomes_a_check(command: str) -> None:
    assert not_to_be_run(command)
    for text in (f"`{command}` passes", f"`{command}` exits with code 0", f"It works: `{command}`"):
        assert check_of(text) is None
    criterion, findings = fence_criterion(Fence("bash", f"make\n{command}\n", 1))
    assert criterion is not None
    assert criterion.command is None
    assert findings


@pytest.mark.parametrize(
    "command",
    ["grep -rn 'rm -rf' src", 'git grep -n "git push" docs', "rg 'drop table' src", "make 2>&1"],
)
def test_what_is_searched_for_is_not_what_is_done(command: str) -> None:
    assert not_to_be_run(command) == ""


def test_a_path_of_another_machine_is_no_check_but_one_of_this_is() -> None:
    root = "/".join(("", "home", "someone", "project"))
    there = f"`cd {root}/web && make` passes"
    criterion, findings = text_criterion(there, 7)
    assert criterion.command is None
    assert "another machine" in findings[0].message
    assert text_criterion(there, 7, root)[0].command is not None


@pytest.mark.parametrize(
    ("span", "is_one"),
    [
        ("make", True),
        ("FOO=1 make test", True),
        ("./bin/tool --version", True),
        ("./bin/", False),
        ("--voices", False),
        ("test", False),
        ("true", False),
        ("src/a.py", False),
        ("scripts/check.sh fast", True),
        ("build/tool run", True),
        ("Foo.bar(x)", False),
    ],
)
def test_what_reads_as_a_command(span: str, is_one: bool) -> None:
    assert reads_as_command(span) is is_one


@pytest.mark.spec("PL-13")
def test_fences_below_execute_are_never_checks() -> None:
    text = "### Sprint 1: x\n\n**Execute**:\n```sh\nmake a\n```\n\n**Run**:\n```sh\nmake b\n```\n"
    assert read(text, default_name="t").plan.units[0].sprints[0].exit == ()


@pytest.mark.spec("PL-13")
def test_expected_output_belongs_to_the_check_above_it(tmp_path: Path) -> None:
    text = (
        "### Sprint 1: x\n\n**Validate**:\n```bash\ncat out.txt\n```\n\n"
        "**Expected**:\n```\n3 passed\n```\n"
    )
    check = read(text, default_name="t").plan.units[0].sprints[0].exit[0].command
    assert check is not None
    for content, code in (("ok: 3 passed\n", 0), ("2 passed\n", 1)):
        (tmp_path / "out.txt").write_text(content)
        done = subprocess.run([BASH, "-c", check], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == code
