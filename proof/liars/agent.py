"""The agent's program: `agent.py CASE LANGUAGE SEED PROJECT PLACE`, the order on its input."""

import os
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from proof.liars.acting import Stage
from proof.liars.cases import Trial
from proof.liars.everyone import case_named
from proof.liars.ground import NOTES


def main(name: str, language: str, seed: str, project: str, place: str) -> None:
    sys.stdin.read()
    case, side = case_named(name), Path(place) / "side"
    setting = Trial(case, language, "", int(seed)).setting()
    if os.environ.get("TOPKICK_UNIT") == NOTES:
        first = Stage(Path(project), Path(place) / "project", side, setting, 0)
        first.write("NOTES.md", "Notes of another unit.\n")
        first.done("Notes")
        return
    fd = os.open(side / "starts", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, b"x")
    sent = os.fstat(fd).st_size
    os.close(fd)
    stage = Stage(Path(project), Path(place) / "project", side, setting, sent)
    deed = case.act if sent == 1 or case.again is None else case.again
    try:
        deed(stage)
    except Exception:
        (side / "broken").write_text(traceback.format_exc())
        raise


if __name__ == "__main__":
    main(*sys.argv[1:])
