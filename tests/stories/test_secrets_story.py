"""A key that the agent is given, and that it prints everywhere, is kept in its raw output alone."""

import stat
import sys
from pathlib import Path

from story_project import Project, plan, sprint, unit

STREAM = Path(__file__).parents[1] / "fixtures" / "streams" / "claude-2.1.325" / "happy.jsonl"
KEY = "sk-canary-0a1b2c3d4e5f6g7h8i9j-k/l+m="
PIECE_CHARS = 12
"""So much of a key is too much: it may have been cut in two where a text was shortened."""

# It leaves its key in every place where words of an agent come from, there also where they are
# shortened (to 400 characters, to 4,000), and fails once.
STAND_IN = """\
#!{python} -IS
import json, os, subprocess, sys
from pathlib import Path

key, first = os.environ["ANTHROPIC_API_KEY"], os.environ["TOPKICK_ATTEMPT"] == "1"
order = sys.stdin.read()
Path({scripts!r}, "prompt." + os.environ["TOPKICK_ORDER"]).write_text(order)
print("warning: the key is", key, file=sys.stderr, flush=True)
for line in Path({stream!r}).read_text("utf-8").splitlines():
    event = json.loads(line)
    if event["type"] == "assistant":
        for part in event["message"]["content"]:
            if part["type"] == "text":
                part["text"] = "." * 3970 + key + " is the key"
            else:
                part["input"] = {{"command": "curl -H " + key, "file_path": key}}
    if event["type"] == "result":
        event["result"] = "." * 375 + key + " is the key"
        event["permission_denials"] = [{{"tool_name": key, "tool_input": {{"key": key}}}}]
    print(json.dumps(event), flush=True)
if not first:
    Path("a").mkdir(exist_ok=True)
    Path("a/done-1.txt").write_text("done\\n")
    subprocess.run(["git", "add", "a"], check=True)
    subprocess.run(["git", "commit", "-q", "-m", "Sprint 1"], check=True)
"""


# Of a long output the first 600 and the last 1,800 bytes are kept: the key is cut by both.
CHECK = """\
dots() { head -c "$1" /dev/zero | tr '\\0' .; }
dots 575; printf %s "$ANTHROPIC_API_KEY"; dots 5000; printf %s "$ANTHROPIC_API_KEY"; dots 1780
test -f a/done-1.txt"""


def _make(project: Project) -> None:
    program = project.scripts / "claude"
    program.write_text(
        STAND_IN.format(python=sys.executable, scripts=str(project.scripts), stream=str(STREAM))
    )
    program.chmod(0o755)
    agent = {"adapter": "claude", "command": [str(program)], "pass_env": ["ANTHROPIC_API_KEY"]}
    verify = {"pass_env": ["ANTHROPIC_API_KEY"]}
    project.make(plan(unit("a", sprint(CHECK))), agent=agent, verify=verify)


def _pieces() -> list[bytes]:
    """Return every part of the key, also as JSON may write it."""
    spelled = (KEY, KEY.replace("/", "\\/"))
    ends = range(PIECE_CHARS, max(map(len, spelled)) + 1)
    return [s[end - PIECE_CHARS : end].encode() for s in spelled for end in ends]


def _holds(data: bytes) -> bool:
    return any(piece in data for piece in _pieces())


def test_a_key_is_in_the_raw_output_and_nowhere_else(project: Project) -> None:
    _make(project)
    env = {"ANTHROPIC_API_KEY": KEY}
    done = project.run("start", "--yes", "--foreground", env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(project.dispatches()) == 2
    for said in (done.stdout + done.stderr, project.board()):
        assert not _holds(said.encode())
    for command in (("status",), ("status", "--json"), ("journal", "show"), ("logs", "U1/1")):
        assert not _holds(project.run(*command, env=env).stdout.encode()), command
    raw = 0
    for path in _files(project):
        if path.name.startswith("output"):
            raw += _holds(path.read_bytes())
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        else:
            assert not _holds(path.read_bytes()), path
    assert raw == 2, "the agent was to print its key in both of its runs"
    prompts = sorted(project.scripts.glob("prompt.*"))
    assert len(prompts) == 2
    assert not [path for path in prompts if _holds(path.read_bytes())]


def _files(project: Project) -> list[Path]:
    """All of the state, git and the tree; what was meant for the test is beside them."""
    found = [path for path in project.root.rglob("*") if path.is_file()]
    names = {path.name for path in found}
    assert {"SUPERVISOR_STATE.md", "order.json", "prompt", "output"} <= names
    assert any(path.read_bytes().startswith(b"SQLite format 3") for path in found)
    return found
