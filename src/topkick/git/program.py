"""Run the git program for what libgit2 cannot do, with every way to run other programs turned off.

Law 7: content and configuration of a tree that agents can write to must never be executed. Hooks,
fsmonitor, pagers, editors, askpass, credential helpers, signing, ssh commands and remote helpers
could each execute something, so all of them are off. The user's settings are not read either, so
that a run does the same on every machine. Filters and merge drivers have names that the repository
chooses and cannot be turned off; so git is never run with settings that an agent may have written.
libgit2 is used there.

A command that `reaches` a remote needs the user's keys. It uses the user's settings, credential
helpers and ssh, but runs in one of topkick's own repositories and gets the remote's address as an
argument.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2

from topkick.engine.errors import TopkickError

LIMIT_S = 600.0
SHOWN_CHARS = 800
_OFF = {
    "advice.detachedHead": "false",
    "commit.gpgSign": "false",
    "core.alternateRefsCommand": "true",
    "core.askPass": "",
    "core.editor": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "credential.helper": "",
    "diff.external": "",
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "merge.gpgSign": "false",
    "merge.verifySignatures": "false",
    "protocol.allow": "never",
    "protocol.file.allow": "always",
    "receive.fsckObjects": "true",
    "safe.directory": "*",
    "submodule.recurse": "false",
    "tag.gpgSign": "false",
    "transfer.fsckObjects": "true",
    "uploadpack.packObjectsHook": "",
}
_REACHES = {"protocol.https.allow": "always", "protocol.ssh.allow": "always"}
_THEIR_OWN = ("core.askPass", "core.sshCommand", "credential.helper")


class GitFailed(TopkickError):
    """The git program failed."""


def git(
    *words: str,
    at: Path,
    git_dir: Path | None = None,
    settings: Mapping[str, str] | None = None,
    timeout_s: float = LIMIT_S,
    reaches: bool = False,
) -> str:
    """Run git and return its output; raise GitFailed with git's own message if it fails."""
    off = {**_OFF, **(settings or {})}
    if reaches:
        off = {key: off[key] for key in off if key not in _THEIR_OWN} | _REACHES
    done = _run(words, at, git_dir, off, timeout_s, _reaching() if reaches else _environment())
    if done.returncode != 0:
        raise GitFailed(_reason(words[0], at, done.stderr or done.stdout))
    return done.stdout.decode("utf-8", "surrogateescape")


def _reason(verb: str, at: Path, output: bytes) -> str:
    """Put git's last line first: that line says why, and some screens show only one line."""
    said = output.decode("utf-8", "replace").strip()[-SHOWN_CHARS:].splitlines() or [
        "no reason given"
    ]
    return "\n".join([f"`git {verb}` failed: {said[-1]}", *said[:-1], f"(in {at})"])


def _run(
    words: Sequence[str],
    at: Path,
    git_dir: Path | None,
    settings: Mapping[str, str],
    timeout_s: float,
    env: Mapping[str, str],
) -> "subprocess.CompletedProcess[bytes]":
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    place = [] if git_dir is None else [f"--git-dir={git_dir}"]
    try:
        return subprocess.run(
            ["git", "--no-pager", *options, *place, *words],
            cwd=at,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitFailed(
            f"git is not on PATH, so `git {words[0]}` was not run. Install git."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise GitFailed(
            f"`git {words[0]}` did not end within {timeout_s:.0f} s in {at}, so topkick ended it."
        ) from error


def program_path() -> str:
    """Return PATH without relative entries, which might lead into an agent's tree."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())


def _environment() -> dict[str, str]:
    """Return an environment without the caller's GIT_* variables and without the user's
    settings.
    """
    return {
        "PATH": program_path(),
        "HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "GIT_ALLOW_PROTOCOL": "file",  # overrides what a repository's settings allow
        "GIT_ASKPASS": "false",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "false",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_SEQUENCE_EDITOR": "false",
        "GIT_SSH_COMMAND": "false",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _reaching() -> dict[str, str]:
    """Return an environment with the user's keys and settings, in which git never prompts."""
    ours = _environment()
    for name in ("HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_SSH_COMMAND"):
        del ours[name]
    theirs = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    ssh = os.environ.get("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
    return {**theirs, **ours, "GIT_ALLOW_PROTOCOL": "file:https:ssh", "GIT_SSH_COMMAND": ssh}


# --- file names that are not valid text --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """A path for libgit2, which accepts names that are not UTF-8 only as bytes."""

    path: str

    def __fspath__(self) -> bytes:
        return os.fsencode(self.path)


# --- the author of merges and of saved work ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Signed:
    name: str
    email: str

    def now(self) -> pygit2.Signature:
        return pygit2.Signature(self.name or "topkick", self.email or "topkick@localhost")
