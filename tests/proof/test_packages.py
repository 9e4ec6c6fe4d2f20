"""Five packages in five repositories, to the end, reconciled and proposed: at reduced size."""

import json
import subprocess
from pathlib import Path

import pytest

from proof.packages.layout import SMALL, Made, make
from proof.packages.looking import wrong_with

PATIENCE_S = 300


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Left as it is after its run."""
    found = make(tmp_path_factory.mktemp("packages"), SMALL)
    done = found.run("start", "--yes", "--foreground", timeout_s=PATIENCE_S)
    wrong = wrong_with(found, done)
    assert not wrong, "\n".join([*wrong, done.stdout[-3000:], done.stderr])
    return found


@pytest.mark.spec("RP-05", "RP-06", "RP-01")
def test_needs_are_noted_told_on_and_reconciled(made: Made) -> None:
    told = json.loads(made.run("status", "--json", timeout_s=60).stdout)
    assert [u["name"] for u in told["units"]][-2:] == ["Reconciliation 1", "Reconciliation 2"]
    again = made.run("verify", "parser/1", timeout_s=120)
    assert again.returncode == 0, again.stdout + again.stderr
    order = made.run("plan", "prompt", "validation/2", timeout_s=60).stdout
    assert "ALLOWED IMPORTS for validation" in order


@pytest.mark.spec("RP-06")
def test_each_package_is_proposed_by_a_branch_and_a_pull_request(
    made: Made, tmp_path: Path
) -> None:
    shown = made.run("land", "--pr", "--each", "--json", timeout_s=60)
    proposals = json.loads(shown.stdout)
    assert [p["unit"] for p in proposals] == list(SMALL)
    for package in SMALL:
        at = tmp_path / f"{package}.git"
        subprocess.run(["git", "init", "-q", "--bare", at], check=True)
        words = ["git", "remote", "add", "origin", str(at)]
        subprocess.run(words, cwd=made.root / package, check=True)
    refused = made.run("land", "--pr", "--open", "--yes", timeout_s=60)
    assert refused.returncode == 2
    assert "`gh` is not on PATH" in refused.stderr

    said = tmp_path / "said"
    gh = made.home / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(f'#!/bin/sh\necho "$PWD $*" >> {said}\ncat >> {said}\n')
    gh.chmod(0o755)
    opened = made.run("land", "--pr", "--open", "--yes", timeout_s=60, path=str(gh.parent))
    assert opened.stdout.splitlines()[-1] == f"PRs created for: {', '.join(SMALL)}"
    assert said.read_text().count("pr create --title Five packages: ") == len(SMALL)
    for proposal in proposals:
        bare = tmp_path / f"{proposal['unit']}.git"
        words = ["git", "rev-parse", proposal["branch"]]
        found = subprocess.run(words, cwd=bare, check=True, capture_output=True, text=True)
        assert found.stdout.strip() == proposal["commit"]
