"""Pull requests by a scripted `gh` on PATH, and pushes to a real bare repository."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from repositories import commit, git, repository

from topkick.checks.request import Trip
from topkick.engine.effects import Came, Propose, Upshot
from topkick.git.program import GitFailed
from topkick.git.remote.pull_request import open_pull_request, repository_of

pytestmark = pytest.mark.spec("EP-14")
URL = "https://example.test/o/r/pull/7"
GH = """#!/bin/sh
cd "{at}"
echo "$*" >> said
case "$*" in
*list*) cat pulls ;;
*create*) cat > body; test ! -f broken || {{ echo "no rights" >&2; exit 1; }}
    tip=$(git -C bare.git rev-parse topkick/t-1)
    printf '[{{"url": "{url}", "state": "OPEN", "headRefOid": "%s"}}]' $tip > pulls
    echo Creating; echo {url} ;;
esac
"""
SSH = """#!/bin/sh
for last; do :; done
exec sh -c "$(echo "$last" | sed "s#'.*'#'{at}/bare.git'#")"
"""


class Forge:
    """A checkout with a worker's branch; `gh` and `ssh` lead to a bare repository beside it."""

    def __init__(self, at: Path) -> None:
        self.at, self.root = at, at / "project"
        repository(self.root)
        git(self.root, "remote", "add", "origin", "ssh://git@example.test/o/r.git")
        git(self.root, "checkout", "-q", "-b", "topkick/t-1")
        self.tip = commit(self.root, "work.txt", "work\n")
        git(self.root, "checkout", "-q", "main")
        subprocess.run(["git", "init", "-q", "--bare", at / "bare.git"], check=True)
        (at / "pulls").write_text("[]")
        (at / "bin").mkdir()
        for name, text in (("gh", GH), ("ssh", SSH)):
            (at / "bin" / name).write_text(text.format(at=at, url=URL))
            (at / "bin" / name).chmod(0o755)

    def propose(self, tip: str = "", draft: bool = False) -> Upshot:
        proposal = Propose("topkick/t-1", tip or self.tip, "One", "It works.\n", draft)
        return open_pull_request(Trip("x", str(self.root), str(self.at / "state"), proposal))

    def said(self, word: str) -> list[str]:
        path = self.at / "said"
        return [x for x in path.read_text().splitlines() if word in x] if path.exists() else []

    def pushed(self) -> str:
        return git(self.at / "bare.git", "rev-parse", "topkick/t-1")


@pytest.fixture
def forge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Forge:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return Forge(tmp_path)


def test_the_branch_is_pushed_and_one_is_opened_once(forge: Forge) -> None:
    assert forge.propose(draft=True) == Upshot(Came.DONE, URL)
    assert forge.pushed() == forge.tip
    assert (forge.at / "body").read_text() == "It works.\n"
    (opened,) = forge.said("create")
    assert opened == (
        "pr create --repo example.test/o/r --head topkick/t-1 --title One --body-file - --draft"
    )
    assert forge.propose() == Upshot(Came.DONE, URL)
    assert forge.said("create") == [opened]
    assert not forge.said("merge")


def test_one_that_is_open_gets_the_newer_commit(forge: Forge) -> None:
    forge.propose()
    git(forge.root, "checkout", "-q", "topkick/t-1")
    newer = commit(forge.root, "more.txt", "more\n")
    assert forge.propose(newer) == Upshot(Came.DONE, URL)
    assert forge.pushed() == newer
    assert len(forge.said("create")) == 1


def test_one_of_this_very_commit_is_taken_whatever_became_of_it(forge: Forge) -> None:
    merged = {"url": URL, "state": "MERGED", "headRefOid": forge.tip}
    (forge.at / "pulls").write_text(json.dumps([merged]))
    assert forge.propose() == Upshot(Came.DONE, URL)
    (forge.at / "pulls").write_text(json.dumps([{**merged, "headRefOid": "0" * 40}]))
    forge.propose()
    assert len(forge.said("create")) == 1, "an old one that was merged is not this one's"


def test_a_branch_that_was_begun_anew_is_not_forced(forge: Forge) -> None:
    forge.propose()
    (forge.at / "pulls").write_text("[]")
    git(forge.root, "checkout", "-q", "-B", "topkick/t-1", "main")
    other = commit(forge.root, "other.txt", "other\n")
    with pytest.raises(GitFailed, match="`git push` failed"):
        forge.propose(other)
    assert forge.pushed() == forge.tip


def test_what_gh_says_against_it_is_told(forge: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    (forge.at / "broken").touch()
    with pytest.raises(GitFailed, match="`gh pr create` failed: no rights"):
        forge.propose()
    (forge.at / "pulls").write_text("You are not logged in")
    with pytest.raises(
        GitFailed, match="gh printed no list of pull requests: You are not logged in"
    ):
        forge.propose()
    (forge.at / "bin/gh").unlink()
    monkeypatch.setenv("PATH", str(forge.at / "bin"))
    with pytest.raises(GitFailed, match="`gh` is not on PATH"):
        forge.propose()


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://example.test/o/r.git", "example.test/o/r"),
        ("https://user@example.test/o/r", "example.test/o/r"),
        ("git@example.test:o/r.git", "example.test/o/r"),
        ("ssh://git@example.test:2222/o/r.git", "example.test/o/r"),
    ],
)
def test_the_repository_is_named_by_the_remotes_address(address: str, place: str) -> None:
    assert repository_of(address) == place
    with pytest.raises(GitFailed, match="where gh cannot open pull requests"):
        repository_of("/srv/git/r.git")
