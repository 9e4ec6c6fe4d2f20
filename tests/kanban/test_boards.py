"""Kanban boards and tasks as files: the built-in Manager, work items, and real ones read."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topkick.kanban import views as kanban_page
from topkick.kanban.files import first_task, new_board, new_task, next_number, read_items, slug
from topkick.kanban.manager import Desk, Managed, is_made_for, manage
from topkick.kanban.model import read_board, read_task
from topkick.text.task_file import TaskFile

HERE = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("TOPKICK_CORPUS", HERE.parent / "shared" / "corpus"))
BOARD = "tasks/0-kanban-lexer.md"
NOW = "2026-01-02T03:04:05+00:00"
DESIGN = "tasks/1-design.md"
BUILD = "tasks/2-build.md"
ITEMS = """work_items:
  - description: "Emit INDENT: one per level"
    files: [src/lexer.py]
    related_domains: ["Lexers"]
    dependencies: []
    priority: high
    notes: |
      A stack of columns.
  - description: Use the tokens in the parser
    files:
      - src/parser.py
    related_domains: [Parsers]
    dependencies: [0]
    priority: critical
"""


def made(title: str, **more: object) -> str:
    fields = {"assignee": "Implementor", "kind": "implement", "priority": "medium"}
    return new_task(title, board=BOARD, created=NOW, description=title, **{**fields, **more})  # type: ignore[arg-type]


def logged(text: str, status: str, **values: str) -> str:
    file = TaskFile.read(text)
    for key, value in values.items():
        file = file.with_value(key, value)
    return file.text + f"\n### [{NOW}] What was done | {status}\n**F:** facts\n"


def designed(status: str = "ok", items: str = ITEMS, **values: str) -> str:
    text = first_task("Lexer", "Blocks by indentation.", BOARD, NOW)
    return logged(text.replace("work_items: []\n", items), status, **values)


def managed(files: dict[str, str], done: str, board: str = "") -> Managed:
    """One turn of the Manager; `files` are then as it leaves them."""
    files.setdefault(BOARD, board or new_board("Lexer", "", done, NOW))
    known = read_board(BOARD, files[BOARD]).tasks
    unlisted = sorted(path for path, text in files.items() if is_made_for(BOARD, text))
    tasks = {path: files[path] for path in dict.fromkeys((*known, *unlisted)) if path in files}
    number = next_number(path.rpartition("/")[2] for path in files)
    found = manage(Desk(BOARD, files[BOARD], tasks, number, NOW), done)
    files.update(found.files)
    return found


def board_of(*tasks: str) -> str:
    text = new_board("Lexer", "", tasks[0], NOW)
    return TaskFile.read(text).with_items("tasks", tasks).text


# --- the built-in Manager --------------------------------------------------------------------


@pytest.mark.spec("KB-09")
def test_a_design_is_reviewed_and_becomes_tasks():
    files = {DESIGN: designed()}
    assert managed(files, DESIGN).next_task == DESIGN
    task = read_task(DESIGN, files[DESIGN])
    assert (task.state, task.role, task.type) == ("review", "Architect", "review")
    files[DESIGN] = logged(files[DESIGN], "ok")
    found = managed(files, DESIGN)
    first, second = found.tasks[1:]
    assert read_task(DESIGN, files[DESIGN]).state == "done"
    assert read_task(second, files[second]).dependencies == (first,)
    assert found.next_task == first  # the second is more urgent, and waits for it
    board = read_board(BOARD, files[BOARD])
    assert (board.current, board.phase, board.tasks) == (first, "execute", found.tasks)
    assert "A stack of columns." in files[first]


@pytest.mark.spec("KB-09")
def test_what_was_built_goes_to_the_architect_and_is_then_done():
    files = {BUILD: logged(made("Build"), "ok")}
    assert managed(files, BUILD).next_task == BUILD
    assert read_board(BOARD, files[BOARD]).sub_phase == "review"
    files[BUILD] = logged(files[BUILD], "ok")
    found = managed(files, BUILD)
    assert (found.status, found.next_task) == ("ok", None)
    board = read_board(BOARD, files[BOARD])
    assert (board.is_complete, board.phase, board.current) == (True, "complete", None)
    assert "workflow_complete" in files[BOARD]


@pytest.mark.spec("KB-09")
def test_a_blocker_is_explored_first_and_then_the_task_goes_on():
    files = {BUILD: logged(made("Build"), "blocked")}
    found = managed(files, BUILD)
    explore = found.next_task
    assert explore not in (None, BUILD)
    task = read_task(explore, files[explore])
    assert (task.type, task.priority, task.role) == ("exploration", "critical", "Architect")
    assert read_task(BUILD, files[BUILD]).state == "escalated"
    assert "blocker_detected" in files[BOARD]
    files[explore] = logged(files[explore], "ok")
    assert managed(files, explore).next_task == BUILD
    again = read_task(BUILD, files[BUILD])
    assert (again.state, again.role, again.type) == ("todo", "Implementor", "implement")


@pytest.mark.spec("KB-09")
def test_an_escalation_is_reviewed_and_its_prerequisites_come_first():
    files = {BUILD: logged(made("Build"), "escalate")}
    review = managed(files, BUILD).next_task
    assert review is not None
    assert "escalation_for_review" in files[BOARD]
    files[review] = logged(files[review].replace("work_items: []\n", ITEMS), "ok")
    found = managed(files, review)
    needed = found.tasks[-2:]
    assert set(needed) <= set(read_task(BUILD, files[BUILD]).dependencies)
    assert found.next_task == needed[0]
    assert "escalation_prerequisites_created" in files[BOARD]


@pytest.mark.spec("KB-09")
def test_an_item_that_says_too_little_is_explored_before_it_is_built():
    files = {DESIGN: designed(items="work_items:\n  - description: Make it fast\n", state="done")}
    found = managed(files, DESIGN)
    explore, build = (t for t in found.tasks if t != DESIGN)
    assert read_task(build, files[build]).dependencies == (explore,)
    assert found.next_task == explore
    assert "inadequate_information" in files[BOARD]


@pytest.mark.spec("KB-09")
def test_what_touches_the_architecture_is_designed_first():
    rows = ("- description: Change the core types", "  files: [a]", "  related_domains: [x]")
    items = "\n".join(("work_items:", *rows, ""))
    files = {DESIGN: designed(items=items, state="done")}
    found = managed(files, DESIGN)
    task = read_task(found.tasks[-1], files[found.tasks[-1]])
    assert (task.role, task.type) == ("Architect", "design")


@pytest.mark.spec("KB-09")
def test_the_next_is_by_priority_and_then_first_come():
    names = [f"tasks/{n}-x.md" for n in range(1, 5)]
    files = {
        BOARD: board_of(*names),
        names[0]: logged(made("One", kind="review", assignee="Architect"), "ok"),
        names[1]: made("Two"),
        names[2]: made("Three", priority="high"),
        names[3]: made("Four", priority="high"),
    }
    assert managed(files, names[0]).next_task == names[2]


@pytest.mark.spec("KB-09")
def test_without_a_work_log_nothing_is_changed_and_it_is_an_error():
    files = {BUILD: made("Build")}
    found = managed(files, BUILD)
    assert (found.status, found.next_task, found.files) == ("error", BUILD, ())


@pytest.mark.spec("KB-09")
def test_what_waits_for_nobody_knows_what_is_told():
    waits = made("Later", dependencies=("tasks/99-gone.md",))
    first = logged(made("One", kind="review"), "ok")
    files = {BOARD: board_of("tasks/1-a.md", "tasks/2-b.md")}
    files |= {"tasks/1-a.md": first, "tasks/2-b.md": waits}
    found = managed(files, "tasks/1-a.md")
    assert (found.status, found.next_task) == ("blocked", None)
    assert "tasks/2-b.md" in found.message


@pytest.mark.spec("KB-08")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        (DESIGN, designed()),
        (DESIGN, designed(state="done")),
        (BUILD, logged(made("Build"), "ok")),
        (BUILD, logged(made("Build"), "blocked")),
        (BUILD, logged(made("Build"), "escalate")),
    ],
    ids=["design", "design done", "built", "blocked", "escalated"],
)
def test_killed_between_two_files_it_comes_to_the_same_end(path: str, text: str):
    """The Manager is asked again with the same words, and finds half of its work done."""
    start = {BOARD: new_board("Lexer", "", path, NOW), path: text}
    whole = dict(start)
    found = managed(whole, path)
    for written in range(len(found.files) + 1):
        files = {**start, **dict(found.files[:written])}
        again = managed(files, path)
        assert (again.status, again.next_task) == (found.status, found.next_task)
        assert _told(files) == _told(whole)


def _told(files: dict[str, str]) -> dict[str, tuple[object, ...]]:
    """Return the content of the task files without the names of new files."""
    tasks = [read_task(path, text) for path, text in files.items() if path != BOARD]
    return {t.title: (t.role, t.type, t.state, len(t.dependencies), t.priority) for t in tasks}


@pytest.mark.spec("KB-01")
def test_a_persons_words_on_the_board_stay():
    words = "\n## Notes\nDo not touch *this*, please.  \n\n- and | this\n"
    files = {BOARD: new_board("Lexer", "Mine", BUILD, NOW) + words}
    files[BUILD] = logged(made("Build"), "ok") + words
    managed(files, BUILD)
    assert files[BOARD].endswith(words)
    assert files[BUILD].endswith(words)
    assert "## Request\nMine\n" in files[BOARD]


# --- the forms -------------------------------------------------------------------------------


def test_work_items_in_both_forms_of_lists():
    one, two = read_items(ITEMS)
    assert (one.description, one.files) == ("Emit INDENT: one per level", ("src/lexer.py",))
    assert (two.files, two.after, two.priority) == (("src/parser.py",), ("0",), "critical")
    assert read_items("work_items: []") == ()


@given(st.text(alphabet=" -:[]'\"\n|>abdkn_`#", max_size=200))
def test_no_text_is_too_strange_for_items_boards_and_tasks(text: str):
    read_items(text)
    read_task("t.md", text)
    assert TaskFile.read(text).text == text
    list(kanban_page.lines(read_board(BOARD, text), (), (), 80))


def test_numbers_are_shared_and_names_are_plain():
    assert next_number(["0-kanban-a.md", "12-b.md", "notes.md"]) == 13
    assert next_number([]) == 0
    assert slug("Explore: the DSL's  types!") == "explore-the-dsls-types"
    assert slug("¿?") == "untitled"


# --- real ones -------------------------------------------------------------------------------


@pytest.mark.spec("KB-01")
def test_real_boards_and_tasks_are_read_shown_and_written_back_byte_for_byte():
    files = sorted((CORPUS / "kanban").rglob("*.md"))
    if not files:
        pytest.skip(f"no collection of real boards at {CORPUS}, so this proves nothing here")
    for path in files:
        raw = path.read_bytes()
        text = raw.decode("utf-8", "surrogateescape")
        file = TaskFile.read(text)
        for key in file.keys:
            value = file.get(key)
            same = file.with_items(key, file.items(key))
            same = same.with_value(key, value) if value is not None else same
            assert same.text.encode("utf-8", "surrogateescape") == raw, (path.name, key)
        task = read_task(path.name, text)
        board = read_board(path.name, text)
        assert list(kanban_page.lines(board, (task,), board.tasks, 80))
    runnable = [p for p in files if read_board(p.name, p.read_text("utf-8", "replace")).readable]
    assert len(runnable) >= len(files) // 10
