"""The figures of tools/house.py, counted on small trees whose answer is known."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools import house, house_runs

ROOT = Path(__file__).parents[2]
AS_ADA = ("-c", "user.name=Ada", "-c", "user.email=ada@localhost")


@dataclass(frozen=True)
class Holder:
    """A record with a union in it, and with a class that is in no union."""

    either: house_runs.Use | house.SourceFile
    alone: Path | None = None


def tree(place: Path, **files: str) -> tuple[house.SourceFile, ...]:
    """Write modules, `a__b` for `top/a/b.py`, with an `__init__` in every package."""
    for name, text in files.items():
        path = place / "src" / "top" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)
    return house.read_tree(place)


def test_modules_are_counted_where_they_are(tmp_path: Path) -> None:
    files = tree(tmp_path, one="x = 1\n", part__two="\n\n", part__three="")
    assert house.package_sizes(files) == {"top": 1, "top/part": 2}
    assert sum(file.lines for file in files) == 3
    assert house.long_files(files, most=1) == {"top/part/two.py": 2}


def test_a_public_class_name_counts_once_per_module(tmp_path: Path) -> None:
    files = tree(
        tmp_path,
        one="class Plan: ...\nclass _Hidden: ...\nclass Alone:\n    class Inner: ...\n",
        part__two="class Plan: ...\nclass _Hidden: ...\nclass Inner: ...\n",
    )
    assert house.classes_used_twice(files) == {"Plan": ("top.one", "top.part.two")}


def test_gerunds_are_module_names_but_for_listed_nouns(tmp_path: Path) -> None:
    files = tree(tmp_path, judging="", planning="", git_reading="", rings="", naming__it="")
    assert house.gerunds(files) == ("top.git_reading", "top.judging")


def test_every_form_of_import_counts_as_one_importer_each(tmp_path: Path) -> None:
    files = tree(
        tmp_path,
        leaf="",
        part__leaf="NAME = 1\n",
        part__near="from . import leaf\nfrom .leaf import NAME\nimport top.leaf\n",
        user="def f():\n    from top.part import leaf, near\n    from top import leaf as other\n",
        self_user="import top.self_user\n",
    )
    by = house.importers(files)
    assert by["top.leaf"] == {"top.part.near", "top.user"}
    assert by["top.part.leaf"] == {"top.part.near", "top.user"}
    assert by["top.part.near"] == {"top.user"}
    assert by["top.self_user"] == by["top.user"] == frozenset()


@pytest.mark.parametrize(
    ("line", "switches"),
    [
        ("mission.policy != SPRINT", 1),
        ("view.mission.policy == standing.SPRINT", 1),
        ("kind == 'epic'", 1),
        ("project.kind in (TEAM, JUDGE)", 1),
        ("project.kind == 'wool'", 0),
        ("node == SPRINT", 0),
        ("x = SPRINT", 0),
    ],
)
def test_a_switch_compares_a_kind_of_supervisor(tmp_path: Path, line: str, switches: int) -> None:
    assert len(house.kind_switches(tree(tmp_path, one=f"{line}\n"))) == switches


def test_a_match_on_the_kind_is_one_switch(tmp_path: Path) -> None:
    text = "match kind:\n    case 'epic':\n        pass\n    case 'kanban':\n        pass\n"
    assert house.kind_switches(tree(tmp_path, one=text)) == ("top.one:1",)
    assert not house.kind_switches(tree(tmp_path, one=text.replace("match kind", "match node")))


def test_citations_are_covered_by_entries_of_the_page(tmp_path: Path) -> None:
    text = (
        '"""Rule GT-01, and GT-01 again (S6)."""\nx = "ST-02: no U2, UTF-8 or ISO-8859"  # VF-03\n'
    )
    files = tree(tmp_path, one=text)
    assert house.cited_rules(files) == {"GT-01": 2, "S6": 1, "ST-02": 1, "VF-03": 1}
    assert house.uncovered_citations(tmp_path, files).total() == 5
    page = tmp_path / "docs" / "reference" / "rules.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Rules\n\n- **GT-01** A gate, as ST-02 says.\n\n### S6: one\n| VF-03 | x |\n")
    assert house.uncovered_citations(tmp_path, files) == {"ST-02": 1}


def test_the_names_of_records_are_those_that_the_codec_writes() -> None:
    names = house_runs.journaled(ROOT)
    assert {"RunDispatched", "Decided", "Stop"} <= names.keys()  # kinds
    assert "Mission" not in names


def test_a_class_in_a_record_is_written_by_name_only_in_a_union() -> None:
    written = {cls.__name__ for cls in house_runs.written_classes([house_runs.Use])}
    assert written == {"Use"}
    inside = set(house_runs.written_classes([Holder]))
    assert inside == {Holder, house_runs.Use, house.SourceFile}


def test_a_file_is_run_only_by_functions_called_after_its_import(tmp_path: Path) -> None:
    """`used` is called, `loaded` runs a function of its own while it is imported."""
    package = tmp_path / "src" / "topkick"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text("from topkick import used, loaded\nused.act()\n")
    (package / "used.py").write_text("def act(): ...\n")
    (package / "loaded.py").write_text("def act(): ...\nact()\n")
    environment = house_runs.Environment(tmp_path, tmp_path)
    pid = environment.topkick(tmp_path)
    uses = list(environment.uses())
    assert {use.file for use in uses if use.how == "run"} == {"topkick/used.py"}
    assert house_runs.told(uses, pid) == "1 of 4 loaded"


def test_two_trees_are_printed_side_by_side() -> None:
    printed = house.table({"old": {"modules": 12, "lines": 90}, "new": {"modules": 7}})
    assert printed.splitlines() == ["         old  new", "modules  12   7", "lines    90"]


def test_a_commit_is_measured_without_touching_the_tree(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    tree(repository, one="", part__two="")
    for words in (["init", "-q"], ["add", "."], [*AS_ADA, "commit", "-qm", "Two modules"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    tree(repository, three="")
    exported = house.export(repository, "HEAD", tmp_path / "exported")
    assert house.package_sizes(house.read_tree(exported)) == {"top": 1, "top/part": 1}
    assert house.package_sizes(house.read_tree(repository)) == {"top": 2, "top/part": 1}


def test_a_commit_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="Git cannot export"):
        house.export(ROOT, "no-such-commit", tmp_path)
