"""`python -m proof.agents.record`: runs the real programs and writes their streams as fixtures."""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from proof.agents.cases import CASES, Case
from proof.agents.scrub import KEPT_TEXT, Scrub
from proof.agents.stage import Recording, Stage, unknown_events
from topkick.fake_model import ModelServer

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "tests" / "fixtures" / "streams"
HIDDEN_ENV = ("HOME", "PATH", "TMPDIR", "LANG")


def main() -> int:
    options = _parser().parse_args()
    try:
        with ModelServer() as server:
            for kind in options.agents.split(","):
                _record_all(kind, options.only, options.to, server)
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted; what was recorded is kept\n")
        return 130
    return 0


def _record_all(kind: str, only: str, to: Path, server: ModelServer) -> None:
    program = _installed(kind)
    version = tomllib.loads((ROOT / "proof/agents/versions.toml").read_text())[kind]["version"]
    place = to / f"{kind}-{version}"
    place.mkdir(parents=True, exist_ok=True)
    wanted = [case for case in CASES[kind] if not only or case.name in only.split(",")]
    for case in wanted:
        with tempfile.TemporaryDirectory(prefix="stage-", ignore_cleanup_errors=True) as temporary:
            stage = Stage(Path(temporary).resolve(), kind, str(program), server)
            recording = stage.record(case)
            scrub = Scrub(stage.home, stage.repo, program)
        _write(place, kind, version, case, recording, scrub)
        if case.name == "happy":
            strange = Case("unknown-events", "finished", note="made from happy, not recorded")
            _write(place, kind, version, strange, unknown_events(recording), scrub)


def _installed(kind: str) -> Path:
    words = [sys.executable, str(ROOT / "tools" / "install_agents"), "--only", kind]
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Path(said.strip().partition(" ")[2])


def _write(
    place: Path, kind: str, version: str, case: Case, recording: Recording, scrub: Scrub
) -> None:
    (place / f"{case.name}.jsonl").write_text(scrub.stream(recording.stdout), "utf-8")
    env = {k: v for k, v in recording.command.env.items() if k not in HIDDEN_ENV}
    fields: dict[str, Any] = {
        "program": kind,
        "version": version,
        "expected": case.expected,
        "how": recording.how,
        "code": recording.code,
        "signal": recording.signal,
        "scenario": case.scenario,
        "commits": recording.commits,
        "requests": recording.requests,
        "wall_s": recording.wall_s,
        "started_at": recording.started_at,
        "note": case.note or None,
        "arguments": [scrub.text(word) for word in recording.command.argv[1:]],
        "environment": [scrub.text(f"{name}={value}") for name, value in sorted(env.items())],
        "stderr": scrub.text(recording.stderr)[:KEPT_TEXT],
    }
    lines = [f"{key} = {_toml(value)}\n" for key, value in fields.items() if value is not None]
    (place / f"{case.name}.toml").write_text("".join(lines), "utf-8")
    ended = f"{recording.how} {recording.code if recording.signal is None else -recording.signal}"
    sys.stderr.write(
        f"{kind:7} {case.name:22} {ended:12} {recording.wall_s:5.1f} s "
        f"{recording.requests:3} requests {recording.commits} commits  {case.expected}\n"
    )


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_toml(inner)},\n" for inner in value) + "]"
    # A JSON string is a TOML string, except for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.agents.record", description=__doc__)
    parser.add_argument(
        "--agents", default="claude,codex", help=f"comma separated, of {', '.join(CASES)}"
    )
    parser.add_argument("--only", default="", help="these cases alone, comma separated")
    parser.add_argument("--to", type=Path, default=FIXTURES, help="where to write")
    return parser


if __name__ == "__main__":
    sys.exit(main())
