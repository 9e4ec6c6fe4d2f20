"""Documents that a wake reads: new ones and those that its checks need, and no others."""

from dataclasses import replace

import pytest
from checkpoint_material import ARCHITECTURE, BRIEF, EPICS, PRD, SPEC, STATES, files, material

from topkick.team.judge.checklist import Checkpoint, RoleSpec
from topkick.team.judge.checks import BUILTIN
from topkick.team.judge.findings import ArtifactRead, StageEntry, VerdictWord
from topkick.team.judge.material import (
    LONGEST_CHARS,
    MESSAGES_READ,
    Material,
    below_session,
    gather,
    matches,
    wanted,
)
from topkick.team.judge.role_spec import read_role_spec
from topkick.team.session import RoleState, Session, read_roles, states_by_task

ALWAYS = ("team-session.json", "session.json", ".msg/meta.json")
SCOPE_1 = ("DRAFT-001", "DRAFT-002")


def spec_of(*names: str) -> RoleSpec:
    rows = "\n".join(f"| {name} | builtin | |" for name in names)
    return read_role_spec(f"## CHECKPOINT-001\n\n| Check | Kind | What |\n|---|---|---|\n{rows}\n")


def read_before(*paths: str) -> StageEntry:
    read = tuple(ArtifactRead(path, "0" * 64) for path in paths)
    return StageEntry("CHECKPOINT-001", "r.md", VerdictWord.PASS, 1.0, artifacts_read=read)


@pytest.mark.spec("CK-03")
def test_the_first_checkpoint_reads_what_its_tasks_made() -> None:
    found = wanted(SPEC, "CHECKPOINT-001", Session(), {}, SCOPE_1)
    assert found.paths == (
        *ALWAYS,
        BRIEF,
        "spec/requirements.md",
        "spec/discovery-context.json",
        "spec/discovery.md",
    )
    assert found.globs == ("wisdom/*.md", "spec/requirements/*.md")


@pytest.mark.spec("CK-03")
def test_what_was_read_before_is_left_out_unless_a_check_needs_it() -> None:
    earlier = (read_before(BRIEF),)
    plain = wanted(spec_of("role-errors"), "CHECKPOINT-001", Session(), {}, SCOPE_1, earlier)
    assert BRIEF not in plain.paths
    assert plain.globs == ("wisdom/*.md", "spec/requirements/*.md")
    terms = wanted(
        spec_of("one-term-per-concept"), "CHECKPOINT-001", Session(), {}, SCOPE_1, earlier
    )
    assert BRIEF in terms.paths
    kind = wanted(spec_of("requirements-in-scope"), "CHECKPOINT-001", Session(), {}, (), earlier)
    assert BRIEF in kind.paths
    exists = wanted(spec_of("artifact-exists"), "CHECKPOINT-001", Session(), {}, SCOPE_1, earlier)
    assert BRIEF in exists.paths


@pytest.mark.spec("CK-03")
def test_a_role_says_where_its_work_lies() -> None:
    states = {"DRAFT-001": RoleState("writer", ref="TLV4/docs/b.md")}
    found = wanted(
        spec_of("role-errors"), "CHECKPOINT-001", Session("TLV4"), states, ("DRAFT-001",)
    )
    assert found.paths == (*ALWAYS, "docs/b.md")


@pytest.mark.spec("CK-03")
@pytest.mark.parametrize(
    ("ref", "path"),
    [
        ("spec/a.md", "spec/a.md"),
        ("./spec/a.md", "spec/a.md"),
        ("<session>/spec/a.md", "spec/a.md"),
        ("/x/.workflow/.team/TLV4-x/spec/a.md", "spec/a.md"),
        (".workflow/.team/TLV4-x/spec/a.md#goals", "spec/a.md"),
        ("spec/requirements/", "spec/requirements/*.md"),
        ("spec/*.md", "spec/?.md"),
        ("../../secret", "../../secret"),
        ("/etc/passwd", "/etc/passwd"),
        ("/s/root/spec/a.md", "spec/a.md"),
        ("/s/rootless/spec/a.md", "/s/rootless/spec/a.md"),
        ("", ""),
    ],
)
def test_a_reference_is_a_path_below_the_session(ref: str, path: str) -> None:
    assert below_session(ref, "TLV4-x", "/s/root") == path


@pytest.mark.parametrize(
    ("place", "path", "fits"),
    [
        ("a/*.md", "a/b.md", True),
        ("a/*.md", "a/b/c.md", False),
        ("a/**/*.md", "a/b/c.md", True),
        ("a/**/*.md", "a/c.md", True),
        ("a/?.md", "a/b.md", True),
        ("a/?.md", "a/bb.md", False),
        ("a.md", "axmd", False),
        ("a/*.md", "a/b.mdx", False),
    ],
)
@pytest.mark.spec("CK-03")
def test_a_star_stays_in_its_directory(place: str, path: str, fits: bool) -> None:
    assert matches(place, path) is fits


@pytest.mark.spec("CK-10")
def test_what_is_missing_is_told_by_its_path() -> None:
    assert material().missing == ()
    assert material(without=(EPICS,)).missing == (EPICS,)
    assert material(states=(), without=(EPICS,)).missing == ("spec/epics/*.md or spec/epics.md",)
    assert (
        material("CHECKPOINT-001", SCOPE_1, STATES[:3], without=(ARCHITECTURE, EPICS)).missing == ()
    )


@pytest.mark.spec("CK-10")
def test_an_artifact_that_leads_out_is_missing_and_never_read() -> None:
    states = (*STATES[:3], replace(STATES[3], data='{"task_id": "DRAFT-003", "ref": "../../x"}'))
    found = material(states=states, files_more={"../../x": "secret"}, without=(ARCHITECTURE,))
    assert "../../x" in found.missing
    assert "../../x" not in found.documents
    states_ = states_by_task(states)
    asked = wanted(SPEC, "CHECKPOINT-002", found.session, states_, ("DRAFT-003",))
    assert "../../x" not in (*asked.paths, *asked.globs)


@pytest.mark.spec("CK-03")
def test_only_what_was_wanted_is_a_document() -> None:
    found = material("CHECKPOINT-001", SCOPE_1, STATES[:3], files_more={"spec/other.md": "x"})
    assert set(found.documents) == {BRIEF, PRD, "spec/discovery.md"}
    assert found.kinds == {BRIEF: "brief", PRD: "requirements", "spec/discovery.md": "discovery"}
    assert set(found.wisdom) == {"wisdom/decisions.md"}


@pytest.mark.spec("CK-03")
def test_no_more_than_the_last_thirty_messages() -> None:
    messages = tuple(replace(STATES[0], number=n) for n in range(1, 100))
    found = material(messages=messages)
    assert [m.number for m in found.messages] == list(range(70, 100))
    assert MESSAGES_READ == 30


@pytest.mark.spec("CK-03")
def test_a_document_that_is_too_long_is_told_to_be_read_in_part() -> None:
    found = material(files_more={EPICS: "x" * (LONGEST_CHARS + 1)})
    assert len(found.documents[EPICS]) == LONGEST_CHARS
    assert found.missing == (f"{EPICS} (too long, read in part)",)


@pytest.mark.spec("CK-03")
def test_a_task_has_its_own_state_and_not_the_newest_of_its_role() -> None:
    roles = read_roles('{"role_state": {"writer": {"task_id": "DRAFT-004", "ref": "new.md"}}}')
    given = Material(Session(), roles, states_by_task(STATES[:2]))
    assert given.states()["DRAFT-001"].ref == BRIEF
    assert given.states()["DRAFT-004"].ref == "new.md"


@pytest.mark.spec("CK-12")
def test_a_checkpoint_that_nobody_described_needs_the_scope_alone() -> None:
    empty = RoleSpec("supervisor", "CHECKPOINT", (Checkpoint("CHECKPOINT-001", "", ()),), (), ())
    assert wanted(empty, "CHECKPOINT-001", Session(), {}, ("X-1",)).paths == ALWAYS
    given = gather(empty, "CHECKPOINT-001", Material(Session(), scope=("X-1",)), files())
    assert given.documents == {}


def test_every_check_says_what_it_reads() -> None:
    known = {"scope", "upstream", "states", "session", "bus", "wisdom"}
    kinds = {row.kind for row in SPEC.artifacts}
    for check in BUILTIN.values():
        assert {name.partition(".")[0] for name in check.reads} <= known | kinds, check.name
