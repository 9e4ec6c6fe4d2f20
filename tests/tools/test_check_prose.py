"""The linter of prose: every rule catches its bad example and passes its good one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import check_prose  # noqa: E402
from prose_rules import GRAMMAR, PHRASES, Grammar, Phrase, Where  # noqa: E402

RULES: tuple[Phrase | Grammar, ...] = (*PHRASES, *GRAMMAR)
BAD = "Nobody reads the file."


def rules_hit(docstring: str) -> list[str]:
    source = f'def work() -> None:\n    """{docstring}"""\n'
    return [hit.rule for hit in check_prose.in_python("src/topkick/a.py", source)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_catches_its_bad_example(rule: Phrase | Grammar) -> None:
    assert rule.id in rules_hit(rule.bad)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_good_example_breaks_no_rule_at_all(rule: Phrase | Grammar) -> None:
    assert rules_hit(rule.good) == []


def test_the_ids_of_rules_are_unique() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(
    ("source", "hits"),
    [
        ("# The run is gone\n# on with here.\n", [(1, "go-on-with")]),
        ("x = 1  # nobody reads it\n", [(1, "nobody-somebody")]),
        ("# A number\n# whose value is 1\n", []),
        ("x = 'a # nobody'\n", []),
        ("print('it comes '\n  'to rest')\n", [(1, "come-to-rest")]),
        ("print(f'{1} comes to rest')\n", [(1, "come-to-rest")]),
        ("print('nobody reads messages for this rule')\n", []),
        ('"""A module.\n\nIt is `gone on with`\nall the same.\n"""\n', [(4, "all-the-same")]),
        ("@property\ndef name() -> str:\n    '''The name.'''\n", []),
        ("class Name:\n    '''The name of a run.'''\n", []),
        ("def name() -> str:\n    '''The name of a run.'''\n", [(2, "no-verb")]),
    ],
)
def test_a_hit_has_the_line_of_its_words(source: str, hits: list[tuple[int, str]]) -> None:
    found = check_prose.in_python("src/topkick/a.py", source)
    assert [(hit.line, hit.rule) for hit in found] == hits


def test_messages_that_tests_quote_are_passed_over() -> None:
    assert not list(check_prose.in_python("tests/a.py", "print('it comes to rest')\n"))


def test_code_in_a_page_is_passed_over() -> None:
    text = "`all the same`\n\n```\nall the same\n```\nIt runs all the same.\n"
    assert [hit.line for hit in check_prose.in_text("docs/a.md", text, 1, Where.PAGE)] == [6]


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("src/topkick/engine/a/b.py", "src/topkick/engine"),
        ("src/topkick/__main__.py", "src/topkick"),
        ("tests/golden/a/b.txt", "tests/golden"),
        ("tests/engine/test_a.py", "tests"),
        ("README.md", "README.md"),
    ],
)
def test_the_package_of_a_file(path: str, package: str) -> None:
    assert check_prose.package_of(path) == package


# --- the ratchet ---------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for package in ("one", "two"):
        (tmp_path / "src/topkick" / package).mkdir(parents=True)
    write(tmp_path, "one", BAD)
    write(tmp_path, "two", BAD)
    (tmp_path / "tools").mkdir()
    assert run(tmp_path, "--reset").returncode == 0
    return tmp_path


def write(project: Path, package: str, *docstrings: str) -> None:
    path = project / "src/topkick" / package / "a.py"
    functions = (f'def f{n}(): \n    """{text}"""\n' for n, text in enumerate(docstrings))
    path.write_text("".join(functions))


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOLS / "check_prose.py"), "--root", str(project), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def allowed(project: Path) -> dict[str, int]:
    return dict(json.loads((project / "tools/prose_allowed.json").read_text()))


def test_the_number_of_hits_that_is_allowed_passes(project: Path) -> None:
    assert allowed(project) == {"src/topkick/one": 1, "src/topkick/two": 1}
    assert run(project).returncode == 0


def test_one_more_hit_fails_and_is_named(project: Path) -> None:
    write(project, "one", BAD, BAD)
    done = run(project)
    assert done.returncode == 1
    assert "src/topkick/one/a.py:4: nobody-somebody: Nobody reads the file. -> name" in done.stderr
    assert "src/topkick/two/a.py" not in done.stderr
    assert run(project, "--update").returncode == 1
    assert allowed(project)["src/topkick/one"] == 1


def test_fewer_hits_fail_until_the_number_is_lowered(project: Path) -> None:
    write(project, "one", "No process reads the file.")
    done = run(project)
    assert done.returncode == 1
    assert "--update" in done.stderr
    assert run(project, "--update").returncode == 0
    assert allowed(project) == {"src/topkick/two": 1}
    assert run(project).returncode == 0


def test_a_move_between_packages_is_followed(project: Path) -> None:
    write(project, "one")
    write(project, "two", BAD, BAD)
    assert run(project).returncode == 1
    assert run(project, "--update").returncode == 0
    assert allowed(project) == {"src/topkick/two": 2}
