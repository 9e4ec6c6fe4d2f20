"""The project: a repository for the plan, and one for each package in it."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

AGENT = Path(__file__).with_name("agent.py")
IMPORTS = {
    "parser": "the standard library only",
    "validation-profiles": "the standard library only",
    "wcag-algs": "the standard library only",
    "validation": "the standard library and `ValidationProfiles`",
    "biblioteca": "the standard library, `Parser`, `Validation`, `ValidationProfiles`, `WcagAlgs`",
}
LAYERS = {"parser": 0, "validation-profiles": 0, "wcag-algs": 0, "validation": 1, "biblioteca": 2}
DEPENDS = {
    "validation": ("validation-profiles",),
    "biblioteca": ("parser", "validation-profiles", "wcag-algs", "validation"),
}
WHOLE = {
    "parser": 14,
    "validation-profiles": 7,
    "wcag-algs": 10,
    "validation": 16,
    "biblioteca": 11,
}
SMALL = {"parser": 2, "validation-profiles": 1, "wcag-algs": 1, "validation": 2, "biblioteca": 1}


@dataclass(frozen=True, slots=True)
class Made:
    root: Path
    home: Path
    sprints: Mapping[str, int]

    def run(
        self, *words: str, timeout_s: float, path: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run topkick; programs are searched in `path` first."""
        environ = {
            "PATH": f"{path or self.home}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }
        return subprocess.run(
            [sys.executable, "-m", "topkick", *words],
            cwd=self.root,
            env=environ,
            text=True,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )


def make(place: Path, sprints: Mapping[str, int]) -> Made:
    made = Made(place / "project", place / "home", sprints)
    made.home.mkdir(parents=True)
    made.root.mkdir()
    for package in sprints:
        (made.root / package).mkdir()
        (made.root / package / "README.md").write_text(f"# {package}\n")
        _commit(made.root / package)
    (made.root / "EXECUTION_PLAN.md").write_text(plan(sprints))
    (made.root / "topkick.toml").write_text(_settings(sprints))
    (made.root / ".gitignore").write_text("".join(f"/{package}/\n" for package in sprints))
    _commit(made.root)
    return made


def _commit(where: Path) -> None:
    for words in (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", "A Person"],
        ["config", "user.email", "person@example.org"],
        ["add", "-A"],
        ["commit", "-q", "-m", "Begin"],
    ):
        subprocess.run(["git", *words], cwd=where, check=True, capture_output=True)


def _settings(sprints: Mapping[str, int]) -> str:
    gate = [_tests(package) for package in sprints]
    return (
        'agent = "scripted"\nritual = false\n\n[agents.scripted]\n'
        f"command = {json.dumps([sys.executable, str(AGENT)])}\n\n"
        f"[gate]\ncommand = {json.dumps(gate)}\n"
    )


def _tests(package: str, pattern: str = "test_*.py") -> str:
    return f"python3 -m unittest discover -q -s {package}/tests -p '{pattern}'"


def plan(sprints: Mapping[str, int]) -> str:
    """Return a plan in the style of such supervisors."""
    lines = ["# EXECUTION_PLAN.md — Five packages", "", "## Work Units", ""]
    lines += ["| Work Unit | Directory | Sprints | Layer | Dependencies |", "|---|---|---|---|---|"]
    for package, count in sprints.items():
        needs = ", ".join(DEPENDS.get(package, ())) or "none"
        lines.append(f"| {package} | {package} | {count} | {LAYERS[package]} | {needs} |")
    lines += ["", "## Allowed Imports Per Package", "", "| Package | May Import |", "|---|---|"]
    lines += [f"| {package} | {IMPORTS[package]} |" for package in sprints]
    for package, count in sprints.items():
        lines += ["", f"## {package}"]
        for number in range(1, count + 1):
            check = _tests(package, f"test_{number}_*.py")
            lines += ["", f"### Sprint {number}: Part {number}", "", "**Tasks**:"]
            lines += [f"1. Create the types of part {number}, each with a test.", ""]
            lines += ["**Exit criteria**:", "", "```sh", check, "```"]
    return "\n".join(lines) + "\n"
