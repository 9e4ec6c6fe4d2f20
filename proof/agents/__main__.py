"""`python -m proof.agents`: topkick drives the real programs through every case; a table of it."""

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from proof.agents.matrix import CASES, Case, cases_for
from proof.agents.supervised import Project
from topkick.fake_model import ModelServer

ROOT = Path(__file__).resolve().parent.parent.parent
KINDS = ("claude", "codex")


@dataclass(frozen=True, slots=True)
class Cell:
    kind: str
    case: str
    conclusion: str
    wrong: str
    took_s: float


def main(words: Sequence[str] | None = None) -> int:
    args = _arguments(words)
    kinds = args.agents.split(",")
    try:
        programs = {kind: _installed(kind) for kind in kinds}
    except subprocess.CalledProcessError:
        print("NOT RUN: the real programs could not be installed (see above).")
        return 0 if args.if_installable else 1
    wanted = [
        (kind, case)
        for kind in kinds
        for case in cases_for(kind)
        if not args.only or case.name in args.only.split(",")
    ]
    with ModelServer() as server, ThreadPoolExecutor(args.jobs) as pool:
        made = [pool.submit(_try, kind, programs[kind], case, server) for kind, case in wanted]
        try:
            cells = [_told(future.result()) for future in made]
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            return 130
        leaks = server.leaks()
    print(_table(cells, kinds))
    wrong = [cell for cell in cells if cell.wrong]
    for cell in wrong:
        print(f"\n{cell.kind}, {cell.case}:\n{cell.wrong}")
    for leak in leaks:
        print(f"A key was sent: {leak}")
    print(f"{len(cells)} cases, {len(wrong)} wrong, {len(leaks)} keys that left")
    return 1 if wrong or leaks else 0


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.agents", description=__doc__)
    parser.add_argument("--agents", default=",".join(KINDS), help="some of: " + ", ".join(KINDS))
    parser.add_argument("--only", default="", help="these cases, separated by commas")
    parser.add_argument(
        "--if-installable", action="store_true", help="no failure where they cannot be installed"
    )
    parser.add_argument("--jobs", type=int, default=2, help="cases at the same time")
    return parser.parse_args(words)


def _installed(kind: str) -> str:
    words = [sys.executable, str(ROOT / "tools" / "install_agents"), "--only", kind]
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return said.strip().partition(" ")[2]


def _try(kind: str, program: str, case: Case, server: ModelServer) -> Cell:
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True) as place:
        project = Project(Path(place).resolve(), kind, program, server, case.plan, case.wishes)
        wrong = ""
        try:
            case.play(project)
        except (AssertionError, subprocess.TimeoutExpired):
            wrong = f"{traceback.format_exc(limit=-2)}\n{project.log()}"
        finally:
            reports, conclusion = project.reports(), project.conclusion()
            project.clear()
    expected = case.expected.get(kind, "")
    if expected and conclusion != expected:
        said = reports[0].get("said", "") if reports else ""
        wrong = f"concluded '{conclusion}' ({said}), not '{expected}'\n{wrong}"
    return Cell(kind, case.name, conclusion, wrong, time.monotonic() - began_s)


def _told(cell: Cell) -> Cell:
    mark = "WRONG" if cell.wrong else "ok"
    told = f"{cell.kind:7} {cell.case:20} {cell.conclusion:20} {mark} {cell.took_s:.1f} s"
    sys.stderr.write(f"{told}\n")
    return cell


def _table(cells: Sequence[Cell], kinds: Sequence[str]) -> str:
    found = {(cell.kind, cell.case): cell for cell in cells}
    lines = [f"{'case':<20}" + "".join(f"{kind:<24}" for kind in kinds)]
    for case in CASES:
        row = [found.get((kind, case.name)) for kind in kinds]
        if not any(row):
            continue
        shown = ("" if c is None else c.conclusion + (" WRONG" if c.wrong else "") for c in row)
        lines.append(f"{case.name:<20}" + "".join(f"{text:<24}" for text in shown))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
