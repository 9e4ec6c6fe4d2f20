"""Ways by which a repository's settings or content make the git program run something else.

Each trap touches the canary through `program`; `springs` is a line for the shell at which plain
git falls into it, so that a trap which is none does not count.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HOOKS = (
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
)


@dataclass(frozen=True)
class Ground:
    """A repository to plant in; `program` is an executable that touches the canary."""

    top: Path
    git_dir: Path
    program: Path
    main: Path

    def set(self, section: str, *lines: str, file: str = "config") -> None:
        with (self.git_dir / file).open("a") as config:
            config.write(f"[{section}]\n" + "".join(f"\t{line}\n" for line in lines))

    def attributes(self, line: str) -> None:
        for place in (self.git_dir / "info" / "attributes", self.top / ".gitattributes"):
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"{line}\n")

    def hooks(self, place: Path) -> None:
        place.mkdir(exist_ok=True)
        for name in HOOKS:
            (place / name).unlink(missing_ok=True)
            (place / name).symlink_to(self.program)

    def executable(self, place: Path) -> None:
        place.unlink(missing_ok=True)
        place.symlink_to(self.program)


@dataclass(frozen=True)
class Trap:
    plant: Callable[[Ground], None]
    springs: str
    environ: tuple[str, ...] = ()


TRAPS: dict[str, Trap] = {}
CHANGE = "echo x >> a.txt; "
FILL = "printf 'protocol=https\\nhost=h\\n\\n' | git credential fill"


def trap(springs: str, *environ: str) -> Callable[[Callable[[Ground], None]], None]:
    def put(plant: Callable[[Ground], None]) -> None:
        TRAPS[plant.__name__.strip("_")] = Trap(plant, springs, environ)

    return put


def _setting(name: str, section: str, *lines: str, springs: str, attributes: str = "") -> None:
    def plant(ground: Ground) -> None:
        ground.set(section, *(line.replace("PROGRAM", str(ground.program)) for line in lines))
        if attributes:
            ground.attributes(attributes)

    TRAPS[name] = Trap(plant, springs)


_setting("fsmonitor", "core", "fsmonitor = PROGRAM", springs="git status")
_setting("editor", "core", "editor = PROGRAM", springs="git commit --allow-empty")
_setting("sequence_editor", "sequence", "editor = PROGRAM", springs="git rebase -i --root")
_setting("ssh_command", "core", "sshCommand = PROGRAM", springs="git ls-remote ssh://h/x")
_setting("git_proxy", "core", "gitProxy = PROGRAM", springs="git ls-remote git://h/x")
_setting("credential_helper", "credential", "helper = !PROGRAM", springs=FILL)
_setting("ask_pass", "core", "askPass = PROGRAM", springs=FILL)
_setting("alias", "alias", *(f"{w} = !PROGRAM" for w in ("hello", "clone", "fetch", "reset")),
         springs="git hello")  # fmt: skip
_setting("trailer", 'trailer "x"', "command = PROGRAM", "key = X", "ifmissing = add",
         springs="echo | git interpret-trailers")  # fmt: skip
_setting("diff_external", "diff", "external = PROGRAM", springs=f"{CHANGE} git diff")
_setting("diff_command", 'diff "x"', "command = PROGRAM",
         springs=f"{CHANGE} git diff", attributes="* diff=x")  # fmt: skip
_setting("textconv", 'diff "x"', "textconv = PROGRAM",
         springs=f"{CHANGE} git diff", attributes="* diff=x")  # fmt: skip
_setting("filter_clean", 'filter "x"', "clean = PROGRAM",
         springs=f"{CHANGE} git add a.txt", attributes="* filter=x")  # fmt: skip
_setting("filter_smudge", 'filter "x"', "smudge = PROGRAM",
         springs="rm a.txt; git checkout a.txt", attributes="* filter=x")  # fmt: skip
_setting("filter_process", 'filter "x"', "process = PROGRAM",
         springs="rm a.txt; git checkout a.txt", attributes="* filter=x")  # fmt: skip
_setting("filter_called_lfs", 'filter "lfs"', "smudge = PROGRAM", "clean = PROGRAM",
         springs="rm a.txt; git checkout a.txt", attributes="* filter=lfs")  # fmt: skip
_setting(
    "merge_driver", 'merge "x"', "driver = PROGRAM", attributes="* merge=x",
    springs="git checkout -qb one; sed -i 1s/o/1/ a.txt; git commit -qam x; git checkout -qb two "
    "HEAD~1; sed -i 9s/o/2/ a.txt; git commit -qam y; git merge one",
)  # fmt: skip


@trap("git commit --allow-empty -m x")
def _hooks(ground: Ground) -> None:
    ground.hooks(ground.git_dir / "hooks")


@trap("git commit --allow-empty -m x")
def _hooks_elsewhere(ground: Ground) -> None:
    ground.hooks(ground.git_dir / "more-hooks")
    ground.set("core", f"hooksPath = {ground.git_dir / 'more-hooks'}")


@trap("git checkout -q -b other")
def _hooks_in_the_tree(ground: Ground) -> None:
    ground.hooks(ground.top / ".husky")
    ground.set("core", "hooksPath = .husky")


@trap("git commit --allow-empty -m x")
def _signing(ground: Ground) -> None:
    ground.set("gpg", f"program = {ground.program}")
    ground.set("user", "signingKey = x")
    for section in ("commit", "tag", "merge", "push"):
        ground.set(section, "gpgSign = true")


@trap("git status")
def _include(ground: Ground) -> None:
    ground.set("core", f"fsmonitor = {ground.program}", file="more")
    ground.set("include", "path = more")


@trap("git status")
def _worktree_settings(ground: Ground) -> None:
    ground.set("extensions", "worktreeConfig = true")
    ground.set("core", "repositoryFormatVersion = 1")
    ground.set("core", f"fsmonitor = {ground.program}", file="config.worktree")


@trap("git fetch MAIN")
def _other_addresses(ground: Ground) -> None:
    ground.set("protocol", "allow = always")
    ground.set('protocol "ext"', "allow = always")
    ground.set(f'url "ext::{ground.program} "', "insteadOf = /")


@trap("git fetch origin; git fetch MAIN")
def _upload_pack(ground: Ground) -> None:
    for name in ("origin", "topkick-source", ground.main, ground.main / ".git"):
        words = (f"url = {ground.main}", f"uploadpack = {ground.program}")
        ground.set(f'remote "{name}"', *words, f"receivepack = {ground.program}")


@trap("git fetch -q MAIN; git -c fetch.negotiationAlgorithm=default fetch -q MAIN")
def _alternate_refs(ground: Ground) -> None:
    ground.set("core", f"alternateRefsCommand = {ground.program}")
    ground.set("uploadpack", f"packObjectsHook = {ground.program}")
    lender = ground.git_dir / "lender"
    if ground.top != ground.main and not lender.exists():
        (lender / "objects").mkdir(parents=True)
        (lender / "refs").mkdir()
        (lender / "HEAD").write_text("ref: refs/heads/main\n")
        alternates = ground.git_dir / "objects" / "info" / "alternates"
        alternates.write_text(f"{lender / 'objects'}\n")


@trap("GIT_ALLOW_PROTOCOL=ext git submodule update --init")
def _modules_by_a_program(ground: Ground) -> None:
    address = f"ext::{ground.program} x"
    (ground.top / ".gitmodules").write_text(
        f'[submodule "lib"]\n\tpath = lib\n\turl = {address}\n\tupdate = checkout\n'
    )
    ground.set('protocol "ext"', "allow = always")
    ground.set('submodule "lib"', f"url = {address}", "active = true", "update = checkout")


@trap(
    "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),lib; "
    "GIT_ALLOW_PROTOCOL=file git submodule update --init"
)
def _modules_updated_by_a_program(ground: Ground) -> None:
    (ground.top / ".gitmodules").write_text('[submodule "lib"]\n\tpath = lib\n\turl = ./.git\n')
    ground.set('protocol "file"', "allow = always")
    ground.set('submodule "lib"', "url = MAIN".replace("MAIN", str(ground.main)), "active = true",
               f"update = !{ground.program}")  # fmt: skip


@trap("git status", "PATH")
def _programs_in_the_tree(ground: Ground) -> None:
    for directory in (ground.top, ground.top.parent, ground.git_dir):
        for name in ("git", "git-lfs", "git-upload-pack", "ssh", "true", "cat", "false"):
            ground.executable(directory / name)


@trap(f"{CHANGE} git diff", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_PROXY_COMMAND", "GIT_EDITOR")
def _environment(ground: Ground) -> None:
    """Nothing to plant: the caller's own variables."""


def environment_of(trap: Trap, program: Path) -> dict[str, str]:
    found = {name: str(program) for name in trap.environ}
    if "PATH" in found:
        found["PATH"] = f".{os.pathsep}{os.pathsep}{os.environ['PATH']}"
    return found
