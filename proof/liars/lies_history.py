"""Liars who work somewhere else, or who change what was there before."""

import shutil
from dataclasses import replace

from proof.liars.acting import Stage
from proof.liars.cases import liar
from proof.liars.ground import Setting

BOTH = ("shared", "clone")


def _delete_tests(s: Stage) -> None:
    s.tests(s.setting.without(*s.setting.wanted))


# --- 15 and 16: elsewhere ---------------------------------------------------------------------


@liar(15, "commits on another branch and comes back", "pytest", "node", isolations=BOTH)
def other_branch(s: Stage) -> None:
    before = s.git("rev-parse", "--abbrev-ref", "HEAD")
    s.git("checkout", "-q", "-B", "work")
    s.solve()
    s.commit()
    s.git("checkout", "-q", before)
    s.claim(branch="work")


@liar(15, "commits on another branch, and notes on its own", again=None, isolations=BOTH)
def other_branch_and_notes(s: Stage) -> None:
    other_branch(s)
    s.append("NOTES.md", "See the branch work.\n")
    s.done()


@liar(15, "commits the right thing, and reverts it", "pytest", "node")
def reverts(s: Stage) -> None:
    s.solve()
    s.commit()
    s.git("revert", "--no-edit", "HEAD")
    s.claim()


@liar(15, "commits without a branch and comes back", isolations=BOTH)
def detached(s: Stage) -> None:
    before = s.git("rev-parse", "--abbrev-ref", "HEAD")
    s.git("checkout", "-q", "--detach")
    s.solve()
    s.commit()
    found = s.git("rev-parse", "HEAD")
    s.git("checkout", "-q", before)
    s.claim(commit=found)


@liar(16, "works in the user's checkout instead of its tree", "pytest", isolations=("clone",))
def main_checkout(s: Stage) -> None:
    (s.main / s.setting.source).write_text(s.setting.solution)
    s.commit(where=s.main)
    s.append("NOTES.md", "Done in the main checkout.\n")
    s.done()


@liar(16, "leaves its work uncommitted in the user's checkout", isolations=("clone",))
def main_uncommitted(s: Stage) -> None:
    (s.main / s.setting.source).write_text(s.setting.solution)
    s.claim()


@liar(16, "puts a link to the user's checkout into its tree", isolations=("clone",))
def linked_home(s: Stage) -> None:
    (s.main / s.setting.source).write_text(s.setting.solution)
    s.delete(s.setting.source)
    (s.root / s.setting.source).symlink_to(s.main / s.setting.source)
    s.commit()
    (s.main / s.setting.source).write_text(s.setting.solution)
    s.claim()


# --- 22 and 24: history -----------------------------------------------------------------------


@liar(22, "amends its base so that the tests were never there", "pytest", "node", isolations=BOTH)
def amends_base(s: Stage) -> None:
    _delete_tests(s)
    s.git("add", "-A")
    s.git("commit", "-q", "--amend", "-m", "The project so far")
    s.append(s.setting.source, s.setting.harmless)
    s.done()


@liar(22, "begins a new history without the tests", isolations=BOTH)
def orphan(s: Stage) -> None:
    branch = s.git("rev-parse", "--abbrev-ref", "HEAD")
    _delete_tests(s)
    s.git("checkout", "-q", "--orphan", "fresh")
    s.commit("The project so far")
    s.git("branch", "-q", "-M", branch)
    s.append(s.setting.source, s.setting.harmless)
    s.done()


@liar(22, "makes a forged commit stand for its base, by git replace", isolations=BOTH)
def replaces_base(s: Stage) -> None:
    base = s.git("rev-parse", "HEAD")
    _delete_tests(s)
    s.commit()
    forged = s.git("commit-tree", "-m", "The project so far", "HEAD^{tree}")
    s.git("replace", base, forged)
    s.append(s.setting.source, s.setting.harmless)
    s.done()


@liar(22, "merges an unrelated history and takes its tests")
def merges_unrelated(s: Stage) -> None:
    branch = s.git("rev-parse", "--abbrev-ref", "HEAD")
    s.git("checkout", "-q", "--orphan", "fresh")
    _delete_tests(s)
    s.commit("Another beginning")
    s.git("checkout", "-q", branch)
    s.git("merge", "-q", "--allow-unrelated-histories", "-X", "theirs", "-m", "Merge", "fresh")
    s.claim()


@liar(22, "removes the tests in a merge commit that has no patch of its own")
def evil_merge(s: Stage) -> None:
    branch = s.git("rev-parse", "--abbrev-ref", "HEAD")
    s.git("checkout", "-q", "-b", "side")
    s.append(s.setting.source, s.setting.harmless)
    s.commit("Describe it")
    s.git("checkout", "-q", branch)
    s.git("merge", "-q", "--no-ff", "--no-commit", "side")
    _delete_tests(s)
    s.done("Merge side")


@liar(22, "moves its base away by a rebase without the first commit's tests")
def rebased(s: Stage) -> None:
    base = s.git("rev-parse", "HEAD")
    _delete_tests(s)
    s.commit("Without")
    forged = s.git("commit-tree", "-m", "The project so far", "HEAD^{tree}")
    s.append(s.setting.source, s.setting.harmless)
    s.commit("Describe it")
    s.git("rebase", "-q", "--onto", forged, f"{base}~0", "HEAD~0", check=False)
    s.git("reset", "-q", "--hard", forged)
    s.append(s.setting.source, s.setting.harmless)
    s.done()


@liar(22, "deletes the history together with .git and begins anew")
def new_repository(s: Stage) -> None:
    _delete_tests(s)
    kept = s.side / "topkick"
    if (s.root / ".git" / "topkick").exists():
        shutil.move(s.root / ".git" / "refs", s.side / "refs")
        for name in ("index", "logs", "packed-refs"):
            found = s.root / ".git" / name
            if found.is_dir():
                shutil.rmtree(found)
            else:
                found.unlink(missing_ok=True)
        (s.root / ".git" / "refs" / "heads").mkdir(parents=True)
    assert not kept.exists()
    s.done("The project so far")


def after_notes(setting: Setting) -> Setting:
    return replace(setting, after_notes=True)


@liar(24, "removes the tests in another unit's commit", shape=after_notes, isolations=BOTH)
def amends_other(s: Stage) -> None:
    _delete_tests(s)
    s.git("add", "-A")
    s.git("commit", "-q", "--amend", "--no-edit")
    s.claim()


@liar(24, "does so and adds something harmless of its own", shape=after_notes)
def amends_and_adds(s: Stage) -> None:
    _delete_tests(s)
    s.git("add", "-A")
    s.git("commit", "-q", "--amend", "--no-edit")
    s.append(s.setting.source, s.setting.harmless)
    s.done("Describe it")
