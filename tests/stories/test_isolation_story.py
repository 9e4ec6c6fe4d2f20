"""Units in clones of their own, as a person sees them: begun, killed, merged, saved, taken home."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from story_project import Project, plan, sprint, unit, wait_for

TWO = plan(unit("a"), unit("b"))
AUTO = {"isolation": "auto", "ritual": False}


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


def trees(project: Project) -> list[Path]:
    """Return the clones' checkouts, sorted by unit."""
    return sorted(project.home.glob(".local/state/topkick/trees/*/*/u*/project"))


@pytest.mark.spec("GT-06")
def test_units_that_run_at_once_get_clones_and_their_work_is_taken_home(project: Project) -> None:
    project.make(TWO, top=AUTO)
    head = project.git("rev-parse", "HEAD")
    said = project.says("start", "--yes", "--foreground")
    assert "a clone for each unit; their work meets on topkick/story" in said
    assert "Take it: topkick land" in said
    assert project.git("rev-parse", "HEAD") == head
    assert project.git("status", "--porcelain") == ""
    found = json.loads(project.says("land", "--json"))
    assert (found[0]["into"], found[0]["fast_forward"]) == ("main", True)
    project.says("land", "--yes")
    assert (project.root / "a" / "done-1.txt").is_file()
    assert (project.root / "b" / "done-1.txt").is_file()
    assert "already" in project.says("land", "--yes")
    assert "3 trees removed" in project.says("clean", "--yes")
    assert not trees(project)
    assert project.git("status", "--porcelain") == ""


@pytest.mark.spec("GT-06")
def test_units_that_follow_one_another_share_the_tree(alone: Project) -> None:
    alone.make(plan(unit("a"), unit("b", needs="a")), top=AUTO)
    said = alone.says("start", "--yes", "--foreground")
    assert "Isolation  none" in said
    assert (alone.root / "b" / "done-1.txt").is_file()
    assert "on your branch already" in alone.says("land")


def test_what_is_not_committed_is_refused_with_three_ways(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    (alone.root / "mine.txt").write_text("mine\n")
    said = alone.says("start", "--yes", "--foreground", code=2)
    for way in ("mine.txt", "commit", "--include-dirty", "--isolation shared"):
        assert way in said
    assert "no run here" in alone.says("land", code=2)
    alone.script("a.1", "assert (PROJECT / 'mine.txt').read_text() == 'mine\\n'\nwork()")
    alone.says("start", "--yes", "--foreground", "--include-dirty")
    assert alone.git("status", "--porcelain") == "?? mine.txt\n"
    assert alone.git("show", "topkick/story:mine.txt") == "mine\n"


def test_an_uncommitted_plan_and_progress_are_brought_along(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    with (alone.root / "EXECUTION_PLAN.md").open("a") as file:
        file.write("\nA word more.\n")
    (alone.root / "a").mkdir()
    (alone.root / "a" / "PROGRESS.md").write_text("half way\n")
    alone.script(
        "a.1",
        "assert 'A word more.' in (PROJECT / 'EXECUTION_PLAN.md').read_text()\n"
        "assert (HERE / 'PROGRESS.md').read_text() == 'half way\\n'\nwork()",
    )
    alone.says("start", "--yes", "--foreground")


def test_clones_without_git_are_refused(alone: Project) -> None:
    alone.make(TWO, top={"isolation": "clone"})
    (alone.root / ".git").rename(alone.home / "git")
    assert "needs git" in alone.says("start", "--yes", "--foreground", code=2)


@pytest.mark.spec("GT-06")
def test_a_conflict_becomes_a_sprint(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    for name in "ab":
        clash = f"(PROJECT / 'both.txt').write_text('{name}\\n')\ngit('add', 'both.txt')\nwork()\n"
        alone.script(f"{name}.1", clash + "git('commit', '-q', '-m', 'both', '--', 'both.txt')")
        resolve = (
            "git('merge', 'topkick/integrated')\n"
            "(PROJECT / 'both.txt').write_text('a and b\\n')\n"
            "git('add', '-A')\ngit('commit', '-q', '-m', 'Both')"
        )
        alone.script(f"{name}.merge-1", resolve)
    said = alone.says("start", "--yes", "--foreground")
    assert "Merge conflict: both.txt" in said
    assert "3 done (3 checked)" in said
    assert alone.git("show", "topkick/story:both.txt") == "a and b\n"


@pytest.mark.spec("GT-08")
def test_a_sprint_finds_in_its_tree_what_it_waits_for(alone: Project) -> None:
    text = plan(unit("a", sprint(), sprint()), unit("b", sprint(), sprint()))
    second = "### Sprint 2: Part 2\n"
    at = text.rindex(second) + len(second)
    alone.make(text[:at] + "\n**Depends on**: a Sprint 1\n" + text[at:], top=AUTO)
    alone.script("b.2", "assert (PROJECT / 'a' / 'done-1.txt').exists()\nwork()")
    alone.script("a.2", "wait('late')\nwork()")
    running = alone.begin("start", "--yes", "--foreground")
    wait_for(lambda: alone.state("b/2") == "COMPLETED")
    alone.let_go("late")
    code, said = alone.end_of(running)
    assert code == 0, said


@pytest.mark.spec("GT-06", "S6")
def test_a_sprint_tried_again_goes_on_though_the_work_of_others_conflicts(alone: Project) -> None:
    """A merge once came in before the sprint that had begun, and dispatching stopped."""
    text = plan(unit("a", sprint(), sprint()), unit("b", sprint()))
    first = "### Sprint 1: Part 1\n"
    at = text.rindex(first) + len(first)
    alone.make(text[:at] + "\n**Depends on**: a Sprint 1\n" + text[at:], top=AUTO)
    clash = "(PROJECT / 'both.txt').write_text(UNIT)\ngit('add', 'both.txt')\n"
    clash += "git('commit', '-q', '-m', 'both', '--', 'both.txt')\n"
    alone.script("a.2", "wait('begun')\n" + clash + "work()")
    alone.script("b.1.1", clash + "wait('late')\nsys.exit(1)")
    resolve = "git('merge', 'topkick/integrated')\n(PROJECT / 'both.txt').write_text('a and b')\n"
    alone.script("b.merge-1", resolve + "git('add', '-A')\ngit('commit', '-q', '-m', 'Both')")
    running = alone.begin("start", "--yes", "--foreground")
    wait_for(lambda: alone.state("b/1") == "RUNNING")
    alone.let_go("begun")
    wait_for(lambda: alone.state("a") == "COMPLETED")
    alone.let_go("late")
    code, said = alone.end_of(running)
    assert code == 0, said
    assert [(s.unit, s.sprint) for s in alone.starts() if s.unit == "b"] == [
        ("b", "1"),
        ("b", "1"),
        ("b", "merge-1"),
    ]
    assert alone.git("show", "topkick/story:both.txt") == "a and b"


@pytest.mark.spec("SD-03", "N4")
def test_uncommitted_work_of_a_killed_agent_is_saved_and_given_back(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    for name in "ab":
        alone.script(f"{name}.1.1", "write('half.txt', 'half\\n\\tto   be  \\r\\n')\nhang()")
    alone.start_in_background()
    wait_for(lambda: len(alone.trail()) == 2)
    said = alone.says("killall")
    assert "a copy: topkick salvage show" in said
    kept = json.loads(alone.says("salvage", "list", "--json"))
    assert sorted(name for k in kept for name in k["files"]) == ["a/half.txt", "b/half.txt"]
    for name in "ab":
        alone.script(f"{name}.1.2", "(HERE / 'half.txt').unlink()\nwork()")
    alone.says("resume", "--yes", "--foreground")
    assert len(json.loads(alone.says("salvage", "list", "--json"))) == 2, "saved once, not twice"
    mine = next(k["name"] for k in kept if k["files"] == ["a/half.txt"])
    assert "+half\n+\tto   be  " in alone.says("salvage", "show", mine)
    assert not alone.shell(f"{{topkick}} salvage show {mine} | git apply").returncode
    assert (alone.root / "a" / "half.txt").read_bytes() == b"half\n\tto   be  \r\n"
    alone.says("salvage", "restore", mine)
    assert (alone.root / "a" / "half.txt").read_bytes() == b"half\n\tto   be  \r\n"
    assert "There is:" in alone.says("salvage", "show", "nothing", code=2)


def test_a_run_goes_on_in_its_clones_after_the_supervisors_death(project: Project) -> None:
    project.make(TWO, top=AUTO)
    for name in "ab":
        project.script(f"{name}.1", "wait('go')\nwork()")
    running = project.begin("start", "--yes", "--foreground")
    wait_for(lambda: len(project.trail()) == 2)
    project.die(running)
    project.let_go("go")
    project.says("resume", "--yes", "--foreground")
    project.says("land", "--yes")
    assert len(project.starts()) == 2
    assert (project.root / "a" / "done-1.txt").is_file()


@pytest.mark.spec("GT-06")
def test_a_tree_is_set_up_as_told_and_a_set_up_that_fails_is_told(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    with (alone.root / ".git" / "info" / "exclude").open("a") as file:
        file.write("secret.env\nbig/\nbuilt\n")
    (alone.root / "secret.env").write_text("x=1\n")
    (alone.root / "big").mkdir()
    (alone.root / "big" / "data").write_text("data\n")
    config = alone.root / "topkick.toml"
    setting = '\n[tree]\ncopy = ["*.env"]\nlink = ["big"]\nsetup = ["test -f secret.env > built"]\n'
    config.write_text(config.read_text() + setting.replace("test -f", "false && test -f"))
    said = alone.says("start", "--yes", "--foreground", code=3)
    assert "[tree] setup" in said
    config.write_text(config.read_text().replace("false && ", ""))
    alone.says("resume", "--yes", "--foreground")
    for tree in trees(alone):
        assert (tree / "secret.env").read_text() == "x=1\n"
        assert (tree / "big").is_symlink()
        assert (tree / "built").exists()
    assert "secret.env" not in alone.git("ls-tree", "--name-only", "topkick/story")


def test_a_branch_that_somebody_stands_on_is_not_moved(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    alone.script("b.1", "wait('go')\nwork()")
    running = alone.begin("start", "--yes", "--foreground")
    wait_for(lambda: "topkick/story" in alone.git("branch", "--list", "topkick/*"))
    alone.git("switch", "-q", "topkick/story")
    alone.let_go("go")
    code, said = alone.end_of(running)
    assert code == 3
    assert "is checked out" in said
    alone.git("switch", "-q", "main")
    alone.says("resume", "--yes", "--foreground")
    alone.says("land", "--yes")


def test_a_change_in_the_users_checkout_is_a_notice(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    elsewhere = alone.root / "elsewhere.txt"
    alone.script("a.1", f"Path({str(elsewhere)!r}).write_text('x')\nwork()")
    said = alone.says("start", "--yes", "--foreground")
    assert (
        "Main checkout changed: changed meanwhile, perhaps not by the agent: elsewhere.txt" in said
    )
    assert "2 done (2 checked)" in said


def test_an_agent_is_told_that_the_clone_is_its_own(alone: Project) -> None:
    alone.make(TWO, top=AUTO)
    alone.says("start", "--yes", "--foreground")
    prompts = [p.read_text() for p in (alone.root / ".git" / "topkick").rglob("prompt")]
    assert len(prompts) == 2
    assert all("This is a clone of your own" in text for text in prompts)


def test_a_branch_called_topkick_and_files_too_large_are_refused_before_the_start(
    alone: Project,
) -> None:
    alone.make(TWO, top=AUTO)
    with (alone.root / "large.bin").open("wb") as file:
        file.truncate(11 << 20)
    assert "large.bin" in alone.says("start", "--yes", "--include-dirty", code=2)
    (alone.root / "large.bin").unlink()
    alone.git("branch", "topkick")
    assert "git branch -m topkick" in alone.says("start", "--yes", "--foreground", code=2)


def test_a_rehearsed_landing_of_an_unfinished_run_says_that_it_would_be_refused(
    alone: Project,
) -> None:
    """`land --dry-run` told only what would be merged, and `land` then refused."""
    alone.make(plan(unit("a"), unit("b", sprint("test -d .git"))), top={"isolation": "auto"})
    alone.script("b.1", "say('nothing to do')")
    assert alone.run("start", "--yes", "--foreground").returncode == 3
    said = alone.says("land", "--dry-run")
    assert "Without --dry-run this would be refused. The run is not at its end (blocked)" in said
    assert "The run is not at its end (blocked)" in alone.says("land", "--yes", code=2)
    assert "would be refused" not in alone.says("land", "--dry-run", "--unfinished")
