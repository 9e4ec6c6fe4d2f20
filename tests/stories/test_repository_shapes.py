"""Repositories of every shape through a whole run, home and away: `start`, `land`, `clean`."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from story_project import Project

OURS = (b"SUPERVISOR_STATE", b"COMPLETE_", b"ANALYSIS_REPORT")
AGENT = """#!/bin/sh
set -e
u=$TOPKICK_UNIT
{work}
git add -A .
git commit -q -m "$u"
"""
PATIENCE_S = 300.0
PLAIN_WORK = 'mkdir -p "$u"; echo "by $u" > "$u/done.txt"'
Files = dict[bytes, bytes | None]


@dataclass
class Shape:
    """The agents' work in a repository, and the files in each checkout; None is a removed file."""

    work: str = PLAIN_WORK
    directories: dict[str, str] = field(default_factory=lambda: {u: u for u in "abc"})
    brings: dict[str, Files] = field(default_factory=lambda: {".": done("a", "b", "c")})
    checks: dict[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()


def done(*units: str) -> Files:
    return {f"{u}/done.txt".encode(): f"by {u}\n".encode() for u in units}


Build = Callable[[Project], Shape]
SHAPES: dict[str, Build] = {}


def shape(build: Build) -> Build:
    SHAPES[build.__name__.strip("_")] = build
    return build


# --- the shapes ----------------------------------------------------------------------------


@shape
def _plain(project: Project) -> Shape:
    _init(project.root)
    return Shape()


@shape
def _submodule(project: Project) -> Shape:
    _init(project.root.parent / "library", {"lib.txt": b"library\n"})
    _init(project.root)
    _git(project.root, "submodule", "--quiet", "add", "../library", "lib")
    _git(project.root, "commit", "-q", "-m", "A library")
    return Shape(checks=dict.fromkeys("abc", "grep -q library lib/lib.txt"))


@shape
def _lfs_pointers(project: Project) -> Shape:
    if shutil.which("git-lfs"):
        pytest.skip("git-lfs is installed: this is the shape of a machine without it")
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 9\n" % (b"a" * 64)
    attributes = b"*.bin filter=lfs diff=lfs merge=lfs -text\n"
    _init(project.root, {".gitattributes": attributes, "big.bin": pointer})
    copied = 'mkdir -p "$u"; cp big.bin "$u/done.bin"'
    brings = {f"{u}/done.bin".encode(): pointer for u in "abc"}
    return Shape(copied, brings={".": brings}, checks={u: f"test -f {u}/done.bin" for u in "abc"})


@shape
def _shallow(project: Project) -> Shape:
    far = project.root.parent / "far"
    _init(far)
    for number in range(3):
        _commit(far, {"a.txt": b"%d\n" % number})
    project.root.rmdir()
    _git(far, "clone", "-q", "--depth=2", far.as_uri(), str(project.root))
    assert (project.root / ".git" / "shallow").exists()
    return Shape()


@shape
def _worktree_of_a_bare_repository(project: Project) -> Shape:
    far, bare = project.root.parent / "far", project.root.parent / "bare.git"
    _init(far)
    _git(far, "clone", "-q", "--bare", str(far), str(bare))
    project.root.rmdir()
    _git(bare, "worktree", "add", "-q", str(project.root), "main")
    return Shape()


@shape
def _linked_worktree(project: Project) -> Shape:
    far = project.root.parent / "far"
    _init(far)
    project.root.rmdir()
    _git(far, "worktree", "add", "-q", "-b", "work", str(project.root))
    return Shape()


@shape
def _unborn_branch(project: Project) -> Shape:
    _git(project.root, "init", "-q")
    return Shape()


@shape
def _unborn_branch_with_files(project: Project) -> Shape:
    _git(project.root, "init", "-q")
    (project.root / "mine.txt").write_bytes(b"mine\n")
    return Shape(checks={"a": "test -f mine.txt"}, words=("--include-dirty",))


@shape
def _dirty_and_included(project: Project) -> Shape:
    _init(project.root, {"gone.txt": b"gone\n", "run.sh": b"#!/bin/sh\n"})
    (project.root / "a.txt").write_bytes(b"changed\n")
    (project.root / "gone.txt").unlink()
    (project.root / "run.sh").chmod(0o755)
    (project.root / "mine.txt").write_bytes(b"mine\n")
    (project.root / "staged.txt").write_bytes(b"staged\n")
    _git(project.root, "add", "staged.txt")
    return Shape(checks={"a": "test -x run.sh && test -f staged.txt"}, words=("--include-dirty",))


@shape
def _detached_head(project: Project) -> Shape:
    _init(project.root)
    _commit(project.root, {"b.txt": b"second\n"})
    _git(project.root, "checkout", "-q", "--detach", "HEAD~1")
    return Shape()


@shape
def _five_siblings(project: Project) -> Shape:
    others = ("alpha", "beta", "gamma", "delta")
    for name in others:
        _init(project.root.parent / name)
    _init(project.root)
    work = 'test "$u" = docs || cd "../$u"\n' + PLAIN_WORK
    brings = {f"../{u}": done(u) for u in others}
    all_there = " && ".join(f"test -f ../{u}/{u}/done.txt" for u in others)
    checks = {u: f"test -f ../{u}/{u}/done.txt" for u in others}
    return Shape(
        work,
        {**{u: f"../{u}" for u in others}, "docs": "docs"},
        {**brings, ".": done("docs")},
        {**checks, "docs": f"{all_there} && test -f docs/done.txt"},
    )


@shape
def _ten_thousand_files(project: Project) -> Shape:
    _git(project.root, "init", "-q")
    lines = ["commit refs/heads/main", "committer S <s@localhost> 0 +0000", "data 5", "many\n"]
    for number in range(10_000):
        data = f"{number}\n"
        lines += [f"M 644 inline d{number % 100}/f{number}.txt", f"data {len(data)}", data]
    _git(project.root, "fast-import", "--quiet", feed="\n".join(lines).encode())
    _git(project.root, "reset", "-q", "--hard", "main")
    edit = 'echo more >> d7/f7.txt; git rm -q -r "d$(printf %d "\'$u")"'
    work = f'{PLAIN_WORK}\nif [ "$u" = a ]; then {edit}; fi'
    gone: Files = {f"d97/f{n}.txt".encode(): None for n in range(97, 10_000, 100)}
    return Shape(work, brings={".": {**done("a", "b", "c"), **gone, b"d7/f7.txt": b"7\nmore\n"}})


@shape
def _odd_names(project: Project) -> Shape:
    odd = [b"new\nline.txt", b"not-utf8-\xff\xfe.txt", b'tab\t"quoted".txt', b"-dash", b"\xc3\xa4"]
    _init(project.root)
    for name in odd:
        Path(os.fsdecode(os.fsencode(project.root) + b"/" + name)).write_bytes(b"odd\n")
    _git(project.root, "add", "-A")
    _git(project.root, "commit", "-q", "-m", "Odd names")
    made = r"""mkdir -p "$u"; echo "by $u" > "$u/done.txt"
name="$u/$(printf 'x\ny\377z')"
echo odd > "$name"
if [ "$u" = a ]; then git mv "$(printf 'not-utf8-\377\376.txt')" "$(printf 'moved\n\375')"; fi
if [ "$u" = b ]; then echo more >> "$(printf 'new\nline.txt')"; fi"""
    brings: Files = {f"{u}/x\ny".encode() + b"\xffz": b"odd\n" for u in "abc"}
    moved: Files = {b"not-utf8-\xff\xfe.txt": None, b"moved\n\xfd": b"odd\n"}
    edited: Files = {b"new\nline.txt": b"odd\nmore\n"}
    return Shape(made, brings={".": {**done("a", "b", "c"), **brings, **moved, **edited}})


@shape
def _case_only_rename(project: Project) -> Shape:
    _init(project.root, {"README.TXT": b"read\n" * 5, "Dir/File.txt": b"file\n" * 5})
    moves = "git mv README.TXT readme.txt"
    other = "git mv Dir tmp; git mv tmp dir"
    work = f"{PLAIN_WORK}\ncase $u in a) {moves};; b) {other};; esac"
    brings: Files = {
        **done("a", "b", "c"),
        b"README.TXT": None,
        b"readme.txt": b"read\n" * 5,
        b"Dir/File.txt": None,
        b"dir/File.txt": b"file\n" * 5,
    }
    return Shape(work, brings={".": brings})


# --- the run -------------------------------------------------------------------------------


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path, portable=False)
    settings = "[user]\n name = Story\n email = story@localhost\n[init]\n defaultBranch = main\n"
    (made.home / ".gitconfig").write_text(f'{settings}[protocol "file"]\n allow = always\n')
    yield made
    left = made.close()
    assert not left, "still alive after the story:\n" + "\n".join(left)


@pytest.mark.spec("GT-06")
@pytest.mark.parametrize("name", SHAPES)
def test_a_whole_run(alone: Project, name: str) -> None:
    built = SHAPES[name](alone)
    _write_plan(alone, built)
    tops = {place: (alone.root / place).resolve() for place in built.brings}
    before = {place: _picture(top) for place, top in tops.items()}
    said = _says(alone, "start", "--yes", "--foreground", "--isolation", "clone", *built.words)
    branch = _branch(said)
    for place, top in tops.items():
        assert _picture(top) == before[place], "the run changed the user's checkout"
        on_it = _git(top, "ls-tree", "-r", "-z", "--name-only", branch).split(b"\0")
        wanted = {p for p, data in built.brings[place].items() if data is not None}
        assert wanted <= set(on_it)
    _says(alone, "land", "--yes")
    for place, top in tops.items():
        _is_landed(top, before[place].files, built.brings[place], branch)
    _says(alone, "clean", "--yes")
    _nothing_is_left(alone)
    for top in tops.values():
        _git(top, "fsck", "--no-dangling", "--no-progress")


def _says(project: Project, *words: str) -> str:
    process = project.begin(*words)
    said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, said
    return said


def _is_landed(top: Path, before: dict[bytes, bytes], brings: Files, branch: str) -> None:
    expected = {**before, **brings}
    found = _files(top)
    assert found == {path: data for path, data in expected.items() if data is not None}
    left = _git(top, "status", "--porcelain", "-z", "--untracked-files=no")
    assert left == b""
    assert _git(top, "diff", "--stat", branch, "HEAD") == b""


def _nothing_is_left(project: Project) -> None:
    trees = project.home / ".local" / "state" / "topkick" / "trees"
    assert trees.is_dir(), "the trees were elsewhere"
    assert [p for p in trees.rglob("*") if not p.is_dir() or p.name == ".git"] == []


def _branch(said: str) -> str:
    (line,) = [line for line in said.splitlines() if line.startswith("Work is on ")]
    return line.removeprefix("Work is on ").partition(".")[0]


# --- making and looking --------------------------------------------------------------------


def _write_plan(project: Project, built: Shape) -> None:
    agent = project.scripts / "agent.sh"
    agent.write_text(AGENT.format(work=built.work))
    agent.chmod(0o755)
    (project.root / "topkick.toml").write_text(
        f'agent = "sh"\nritual = false\n[agents.sh]\ncommand = ["{agent}"]\n'
    )
    *first, last = built.directories
    lines = ["# EXECUTION_PLAN.md — Shapes", "", "## Work Units", ""]
    lines += ["| Work Unit | Directory | Sprints | Dependencies |", "|---|---|---|---|"]
    for unit, directory in built.directories.items():
        needs = ", ".join(first) if unit == last else "none"
        lines.append(f"| {unit} | {directory} | 1 | {needs} |")
    for unit in built.directories:
        check = built.checks.get(unit, f"test -f {unit}/done.txt")
        if unit == last:
            check += "".join(f" && {built.checks.get(u, f'test -f {u}/done.txt')}" for u in first)
        lines += ["", f"## {unit}", "", "### Sprint 1: One", "", "**Exit criteria**:", ""]
        lines += ["```sh", check, "```"]
    (project.root / "EXECUTION_PLAN.md").write_text("\n".join(lines) + "\n")


def _init(at: Path, files: dict[str, bytes] | None = None) -> None:
    at.mkdir(exist_ok=True)
    _git(at, "init", "-q", "-b", "main")
    _commit(at, {"a.txt": b"one\n" * 20, **(files or {})})


def _commit(at: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(data)
    _git(at, "add", "-A")
    _git(at, "commit", "-q", "-m", f"Write {', '.join(files)}")


def _git(at: Path, *words: str, feed: bytes = b"") -> bytes:
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1"}
    settings = ("user.name=S", "user.email=s@localhost", "protocol.file.allow=always")
    options = [word for setting in settings for word in ("-c", setting)]
    ran = subprocess.run(
        ["git", *options, "-c", "init.defaultBranch=main", *words],
        cwd=at, env=env, input=feed, capture_output=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"git {' '.join(words)}: {ran.stderr.decode(errors='replace')}"
    return ran.stdout


@dataclass
class Picture:
    head: bytes
    index: bytes | None
    files: dict[bytes, bytes]


def _picture(top: Path) -> Picture:
    git_dir = Path(os.fsdecode(_git(top, "rev-parse", "--absolute-git-dir").strip()))
    index = git_dir / "index"
    held = index.read_bytes() if index.exists() else None
    return Picture((git_dir / "HEAD").read_bytes(), held, _files(top))


def _files(top: Path) -> dict[bytes, bytes]:
    found = {}
    start = os.fsencode(top)
    for directory, below, names in os.walk(start):
        below[:] = [name for name in below if name != b".git"]
        for name in names:
            path = os.path.join(directory, name)
            if not name.startswith(OURS):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, start)] = file.read()
    return found
