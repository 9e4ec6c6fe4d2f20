"""One look: at the tree before an order, or at the work after it."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pygit2

from topkick.checks.model import (
    CheckOutcome,
    CheckResult,
    Counted,
    Evidence,
    Finding,
    Ground,
    Integration,
    Outside,
    Where,
)
from topkick.checks.request import LookRequest
from topkick.checks.tool_marks import tools_of
from topkick.checks.worker import findings
from topkick.checks.worker.agent_output import said
from topkick.checks.worker.commands import Commands
from topkick.checks.worker.detected_gate import detected_in
from topkick.checks.worker.places import CheckPlace, layout_for, place_for
from topkick.checks.worker.plan_changes import without_named_plan
from topkick.engine.errors import TopkickError
from topkick.engine.io.files import read_plain
from topkick.git.clone.local_files import PROGRESS
from topkick.git.clone.unit_tree import Trees, changed_in_main
from topkick.git.isolation import Tip
from topkick.git.landing.fetch_commits import opened_main
from topkick.git.locks import free_clone
from topkick.git.read.changes import changes_between, head_at, opened
from topkick.git.read.repository import UNBORN, GitTree, branch_of, read_tree
from topkick.inspection.tampering.syntax_checks import first_error, syntax_checks
from topkick.inspection.test_counts.runners import is_test_command
from topkick.plan_format.progress_file import claimed
from topkick.runner.process.tree import SignalPipe
from topkick.sprint.check_wording import SYNTAX
from topkick.sprint.needs.model import Noted
from topkick.sprint.needs.progress_notes import needs_listed, types_defined
from topkick.text import escape

MOST_PROGRESS_BYTES = 1 << 18
MOST_BEFORE = 50


class NotSaved(TopkickError):
    """Uncommitted work cannot be saved, and the next order could destroy it (N4)."""


class Looking:
    """Runs commands first, then reads git, so that files which checks leave in the tree are
    seen.
    """

    def __init__(self, look: LookRequest, group: str | None, bell: SignalPipe) -> None:
        self._look = look
        self._group = group
        self._bell = bell
        self._trees = Trees(look.ours) if look.ours is not None else None

    def look(self) -> Ground | Evidence:
        look = self._look
        if self._trees is not None:
            self._trees.make_ready(look.setup, look.own_files, self._set_up)
        return self._before() if look.before else self._after()

    def _set_up(self, command: str) -> str:
        with place_for(self._look, Where.PLACE, self._group, self._bell) as place:
            done = place.commands.run(command)
        return "" if done.passed else done.excerpt or done.outcome.value

    def _tree(self, base: str | None, *, whole: bool = False) -> GitTree | None:
        look = self._look
        without = findings.not_counted(look)
        tree = read_tree(Path(look.directory), base, whole=whole, without=without)
        return without_named_plan(tree, look)

    # --- before an order -------------------------------------------------------------------

    def _before(self) -> Ground:
        look = self._look
        for clone in self._trees.clones() if self._trees is not None else ():
            free_clone(clone.at / ".git")
        met = self._caught_up() if look.catch_up else Integration()
        ground = self._survey(look.entry, look.checks, look.where)
        tree = self._tree(look.base)
        ground = replace(ground, progress=self._progress(look.sprint))
        if met.conflicts:
            ground = replace(ground, conflicts=met.conflicts, tip=met.tip)
        return replace(self._standing_on(ground, tree), salvaged=self._salvaged(tree))

    def _caught_up(self) -> Integration:
        """Merge other units' work; on a conflict the tree stays as it is."""
        if self._trees is None:
            return Integration()
        self._salvaged(self._tree(None))
        return self._trees.catch_up()

    def _survey(self, entry: tuple[str, ...], checks: tuple[str, ...], where: Where) -> Ground:
        """Run the entry criteria first; if one fails, nothing else is checked."""
        with place_for(self._look, Where.PLACE, self._group, self._bell) as here:
            found = here.commands.run_all(entry)
        if not checks or any(not r.passed for r in found):
            return Ground(entry=found)
        with place_for(self._look, where, self._group, self._bell) as place:
            return self._surveyed(found, place, checks)

    def _surveyed(
        self, entry: tuple[CheckResult, ...], place: CheckPlace, checks: tuple[str, ...]
    ) -> Ground:
        results = place.commands.run_all(checks)
        return Ground(
            entry=entry,
            passing=tuple(r.command for r in results if r.passed),
            counts=tuple(Counted(r.command, r.counts) for r in results if r.counts is not None),
            tools=self._tools(place, checks),
            cannot=tuple(r for r in results if r.outcome is CheckOutcome.CANNOT_RUN),
        )

    def _tools(self, place: CheckPlace, commands: tuple[str, ...]) -> tuple[str, ...]:
        env = place.commands.env
        return tools_of(commands, env.get("PATH", os.defpath), env.get("HOME", ""))

    def _standing_on(self, ground: Ground, tree: GitTree | None) -> Ground:
        if tree is None:
            return ground
        repo = opened(Path(self._look.directory))
        branch = branch_of(repo) if repo is not None else ""
        return replace(ground, head=tree.head, uncommitted=tree.uncommitted, branch=branch)

    def _ground_ahead(self, ahead: Ground, tree: GitTree | None) -> Ground:
        sprint = self._look.ahead.sprint if self._look.ahead is not None else ""
        return replace(self._standing_on(ahead, tree), progress=self._progress(sprint))

    # --- after an order --------------------------------------------------------------------

    def _after(self) -> Evidence:
        look = self._look
        seen, ahead = self._checked()
        if look.commit:
            return replace(seen, head=look.commit)
        tree = self._tree(look.base, whole=look.whole)
        claim, report = said(look)
        return replace(
            seen,
            head=seen.head or (tree.head if tree is not None else None),
            commits=tree.commits if tree is not None else (),
            substance=tree is not None and tree.substance,
            uncommitted=tree.uncommitted if tree is not None else (),
            claim=claim,
            ahead=None if ahead is None else self._ground_ahead(ahead, tree),
            report=report,
            salvaged=self._salvaged(tree),
            elsewhere=self._elsewhere(),
            progress=self._progress(look.sprint),
            gate=self._gate(),
            noted=tuple(self._noted()),
            outside=_outside(look, tree),
        )

    def _gate(self) -> tuple[str, ...]:
        look = self._look
        layout = layout_for(look) if look.manifests_in and look.where is not Where.PLACE else None
        return detected_in(layout, look.manifests_in) if layout is not None else ()

    def _checked(self) -> tuple[Evidence, Ground | None]:
        look = self._look
        where = look.where if look.checks or look.always or look.syntax else Where.PLACE
        with place_for(look, where, self._group, self._bell) as place:
            results = place.commands.run_all(look.checks)
            always = place.commands.run_all(look.always)
            seen = Evidence(results, always, place.commit or None, where=place.where)
            seen = replace(seen, tree=place.tree, syntax=self._syntax(place))
            seen = replace(seen, heads=self._heads(place))
            seen = self._held_against(seen, place)
            ahead = look.ahead if _all_pass(seen) else None
            is_here = ahead is not None and ahead.where is where and not ahead.entry
            if ahead is not None and is_here and not seen.earlier:
                return seen, self._surveyed((), place, ahead.exit)
        return seen, None if ahead is None else self._survey(ahead.entry, ahead.exit, ahead.where)

    def _heads(self, place: CheckPlace) -> tuple[Tip, ...]:
        """Return the checked commits in all repositories of a unit with clones of its own."""
        if self._trees is None or not self._trees.clones():
            return ()
        return place.heads or self._trees.heads()

    def _syntax(self, place: CheckPlace) -> tuple[CheckResult, ...]:
        """Parse the touched files with the tools that are installed, one process per language
        (GT-05).
        """
        if not self._look.syntax:
            return ()
        files = touched_files(self._look, place.commit)
        results = self._parsed(place.commands, tuple(files))
        if all(r.passed for r in results):
            return results
        old = self._broken_before(place.commands, files)
        return self._parsed(place.commands, tuple(f for f in files if f not in old))

    def _parsed(self, commands: Commands, files: tuple[str, ...]) -> tuple[CheckResult, ...]:
        path = commands.env.get("PATH", os.defpath)
        checks = syntax_checks(files, lambda program: shutil.which(program, path=path) is not None)
        results = commands.run_all(checks)
        ran = (r for r in results if r.outcome is not CheckOutcome.CANNOT_RUN)
        return tuple(replace(r, criterion=SYNTAX, got=first_error(r.excerpt)) for r in ran)

    def _broken_before(
        self, commands: Commands, files: Mapping[str, bytes | None]
    ) -> frozenset[str]:
        """Return files that could not be parsed before the order: another dialect, or a
        template.
        """
        before = [(n, data) for n, data in files.items() if data is not None and n[:2] != ".."]
        with tempfile.TemporaryDirectory(prefix="topkick-") as scratch:
            there = replace(commands, cwd=Path(scratch))
            for name, data in before[:MOST_BEFORE]:
                (there.cwd / name).parent.mkdir(parents=True, exist_ok=True)
                (there.cwd / name).write_bytes(data)
            names = [name for name, _ in before[:MOST_BEFORE]]
            return frozenset(n for n in names if not _passes(self._parsed(there, (n,))))

    def _progress(self, sprint: str) -> str:
        """Read the progress from the tree that the agent worked in."""
        text = _text_of(Path(self._look.directory) / PROGRESS) if sprint else ""
        return claimed(text, sprint) if text else ""

    def _noted(self) -> Iterator[Noted]:
        """Yield what progress files list; a missing file says nothing, an empty list says that all
        is well.
        """
        for file in self._look.progress_of:
            text = _text_of(Path(self._look.project) / file.directory / PROGRESS)
            if text:
                defined = types_defined(text) if file.alone else ()
                needs = needs_listed(escape.redact(text, self._look.secrets))
                yield Noted(file.unit, needs, defined)

    def _held_against(self, seen: Evidence, place: CheckPlace) -> Evidence:
        """Add what the change did to tests and checks, where there is git (VF-03)."""
        look = self._look
        head = look.commit or place.commit or head_at(Path(look.directory))
        if not head or look.compare.base is None:
            return replace(seen, findings=tuple(self._counted(seen, place, ())))
        found = findings.inspected(look, head, self._missions())
        settled, earlier = self._settled(found, seen, place)
        known = (*found.findings, *settled)
        return replace(
            seen,
            findings=(*known, *self._counted(seen, place, known)),
            earlier=earlier,
            unread=found.unread,
        )

    def _counted(
        self, seen: Evidence, place: CheckPlace, known: tuple[Finding, ...]
    ) -> tuple[Finding, ...]:
        look, results = self._look, (*seen.results, *seen.always)
        tools = self._tools(place, look.checks)
        return (*findings.fewer_tests(look, results, known), *findings.other_tools(look, tools))

    def _settled(
        self, found: findings.Inspected, seen: Evidence, place: CheckPlace
    ) -> tuple[tuple[Finding, ...], tuple[CheckResult, ...]]:
        """Run the tests that were rewritten or replaced, as they were, against the new code."""
        open_ones = [f for f in found.suspicions if not f.permitted]
        tests = tuple(r.command for r in seen.results if r.counts or is_test_command(r.command))
        if not open_ones or not _all_pass(seen):
            return found.suspicions, ()
        if place.where is Where.PLACE or not tests or not found.earlier:
            return findings.confirmed(
                found.suspicions, "no check can tell whether that is right"
            ), ()
        place.restore(found.earlier)
        earlier = place.commands.run_all(tests)
        if all(r.passed for r in earlier):
            return tuple(f for f in found.suspicions if f.permitted), earlier
        return findings.confirmed(
            found.suspicions, "as it was, it fails with the new code"
        ), earlier

    def _missions(self) -> tuple[tuple[Path, str], ...]:
        clones = self._trees.clones() if self._trees is not None else ()
        return tuple((Path(opened_main(clone).path), clone.tip) for clone in clones)

    # --- uncommitted work ------------------------------------------------------------------

    def _salvaged(self, tree: GitTree | None) -> str:
        """Save uncommitted work, which may be gone after the next order (N4)."""
        if self._trees is None or tree is None or not tree.uncommitted:
            return ""
        if not self._look.salvage_as:
            return ""
        ours = self._look.ours
        whose = f" of {ours.unit}" if ours is not None and ours.unit else ""
        told = f"Uncommitted work{whose} in {self._look.inside or 'the project'}"
        try:
            return self._trees.salvage(self._look.salvage_as, self._look.inside, told)
        except (pygit2.GitError, OSError) as trouble:
            raise NotSaved(
                f"Uncommitted work in {self._look.directory} cannot be saved: {trouble}.\n"
                "Until it is saved, no agent gets an order there. Make room or commit it, then: "
                "topkick resume"
            ) from trouble

    def _elsewhere(self) -> tuple[str, ...]:
        """Return changes in the user's checkout, which a unit with its own clones should not
        touch.
        """
        if self._look.ours is None or not self._look.since_us:
            return ()
        return changed_in_main(self._look.ours, self._look.since_us / 1e6)


def _outside(look: LookRequest, tree: GitTree | None) -> Outside | None:
    if tree is None or not tree.outside:
        return None
    return Outside(look.inside or ".", tree.outside, tree.outside_files)


def _text_of(progress_file: Path) -> str:
    try:
        data = read_plain(progress_file, MOST_PROGRESS_BYTES)
    except OSError:
        return ""
    return data.decode("utf-8", "replace")


def _all_pass(seen: Evidence) -> bool:
    return all(r.passed for r in (*seen.results, *seen.always, *seen.syntax))


def _passes(results: tuple[CheckResult, ...]) -> bool:
    return all(r.passed for r in results)


def touched_files(look: LookRequest, commit: str) -> Mapping[str, bytes | None]:
    """Return the unit's changed files that still exist, by path from the project's root, with their
    earlier content.
    """
    directory = Path(look.directory)
    repo, base = opened(directory), look.compare.base or look.base
    head = commit or head_at(directory)
    if repo is None or not base or head in ("", UNBORN):
        return {}
    changes = changes_between(repo, base if base in repo else UNBORN, head)
    top, root = Path(repo.workdir).resolve(), Path(look.project).resolve()
    plain = [(c.after, c.before) for c in changes if c.after is not None and c.after.is_plain]
    return {
        os.path.relpath(top / after.path, root): before.data if before is not None else None
        for after, before in plain
        if (top / after.path).is_relative_to(directory.resolve())
    }
