"""The scripted agent: one type and its test per sprint, a progress file, and needs of other
packages.

topkick starts it as a program; its task is in the environment and on stdin.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

NEEDS = {  # (package, sprint): what it lists from then on
    ("parser", "2"): "`Contrast` of wcag-algs: a local protocol stands in for it",
    ("validation", "1"): "`Rule` of validation-profiles",
}
TWICE = "BoundingBox"
ALSO_DEFINES = {("parser", "1"), ("wcag-algs", "1")}
FOUND_LATER = "`TextChunk` of parser: a local type stands in for it"


def git(where: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=where, check=True, capture_output=True)


def write_sprint(package: str, sprint: str) -> None:
    here = Path(package)
    for folder in ("sources", "tests"):
        (here / folder).mkdir(parents=True, exist_ok=True)
    word = "".join(part.capitalize() for part in package.split("-"))
    made = [f"{word}Type{sprint}"] + [TWICE] * ((package, sprint) in ALSO_DEFINES)
    for name in made:
        (here / "sources" / f"{name}.py").write_text(f"class {name}:\n    size = {len(name)}\n")
        (here / "tests" / f"test_{sprint}_{name}.py").write_text(_test(name))
    progress = here / "PROGRESS.md"
    needs = _needs(progress.read_text() if progress.exists() else "")
    needs = [n for n in needs if not n.startswith("`Rule`")]  # its order said to import it
    if (package, sprint) in NEEDS:
        needs.append(NEEDS[package, sprint])
    progress.write_text(_progress(package, sprint, here, needs))
    git(here, "add", "-A")
    git(here, "commit", "-q", "-m", f"Sprint {sprint}: {', '.join(made)}")


def _test(name: str) -> str:
    return (
        "import pathlib\nimport sys\nimport unittest\n\n"
        "sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'sources'))\n\n\n"
        f"class Test{name}(unittest.TestCase):\n    def test_size(self):\n"
        f"        from {name} import {name}\n"
        f"        self.assertEqual({name}.size, {len(name)})\n"
    )


def _needs(text: str) -> list[str]:
    section = text.partition("## Cross-Package Needs")[2]
    return [
        line[2:] for line in section.splitlines() if line.startswith("- ") and "(none)" not in line
    ]


def _progress(package: str, sprint: str, here: Path, needs: list[str]) -> str:
    sources = sorted(p.relative_to(here).as_posix() for p in (here / "sources").glob("*.py"))
    tests = sorted(p.relative_to(here).as_posix() for p in (here / "tests").glob("*.py"))
    done = [f"- Sprint {n}: Part {n} - 1 types, 1 tests" for n in range(1, int(sprint) + 1)]
    parts = [
        f"# {package} Progress",
        "",
        "## Current State",
        f"- Last completed sprint: {sprint}",
        "- Build status: passing",
        f"- Total test count: {len(tests)}",
        "",
        "## Completed Sprints",
        *done,
        "",
        "## Files Created (cumulative)",
        "### Sources",
        *(f"- {name}" for name in sources),
        "### Tests",
        *(f"- {name}" for name in tests),
        "",
        "## Cross-Package Needs",
        *([f"- {need}" for need in needs] or ["- (none)"]),
    ]
    return "\n".join(parts) + "\n"


def reconcile(order: str) -> None:
    """Take the noted need off the list, and list one more on the way."""
    noted = re.search(r"^> (.*)$", order, re.MULTILINE)
    commit = re.search(r"`(Reconciliation Pass \d+, Sprint \d+): ", order)
    assert noted is not None, order
    assert commit is not None, order
    both = re.match(r"(\w+) is defined by (\S+) and by (\S+)", noted[1])
    package = both[3] if both else re.search(r"\*?noted, in (\S+)/PROGRESS.md", order)[1]  # type: ignore[index]
    here = Path(package)
    progress = here / "PROGRESS.md"
    text = progress.read_text()
    if both:  # adapted: the name stays for its users, and is derived from the other one
        kept = here / "sources" / f"{both[1]}.py"
        kept.write_text(f"{kept.read_text()}    made_from = '{both[2]}'\n")
        text = "".join(line for line in text.splitlines(True) if f"/{both[1]}.py" not in line)
    else:
        text = text.replace(f"- {noted[1]}\n", "- (none)\n" if len(_needs(text)) == 1 else "")
        (here / "sources" / "reconciled.py").write_text(f"WITH = {noted[1]!r}\n")
    progress.write_text(text)
    git(here, "add", "-A")
    git(here, "commit", "-q", "-m", f"{commit[1]}: {noted[1][:40]}")
    if "Pass 1, Sprint 1" in commit[1]:
        other = Path("wcag-algs")
        listed = (other / "PROGRESS.md").read_text().replace("- (none)\n", f"- {FOUND_LATER}\n")
        (other / "PROGRESS.md").write_text(listed)
        git(other, "add", "-A")
        git(other, "commit", "-q", "-m", f"{commit[1]}: what came up")


def main() -> None:
    order = sys.stdin.read()
    unit, sprint = os.environ["TOPKICK_UNIT"], os.environ["TOPKICK_SPRINT"]
    if unit.startswith("Reconciliation"):
        reconcile(order)
    else:
        if "CROSS-UNIT NEEDS" in order:
            print("told of an import that the plan allows")
        write_sprint(unit, sprint)


if __name__ == "__main__":
    main()
