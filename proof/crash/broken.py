"""Programs that are broken on purpose: a harness that does not catch them proves nothing."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from proof import altered_package

SOURCE = altered_package.SOURCE


class Edit(NamedTuple):
    module: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Breakage:
    """A mistake; `points` are tried until one shows `finding`; without any the scenario itself
    shows it.

    `more` also breaks what would compensate for the mistake.
    """

    name: str
    module: str
    before: str
    after: str
    finding: str
    scenario: str
    points: tuple[str, ...] = ()
    more: tuple[Edit, ...] = ()

    def make(self, place: Path) -> Path:
        """Make a copy of the package with the mistake in it, and return its PYTHONPATH."""
        return altered_package.copied(
            place, (Edit(self.module, self.before, self.after), *self.more)
        )


_WRITE = "        self._write(taken, at_us)\n        self.mission = taken.mission\n"
_CLAIMED = '    if _bytes(path / "claim", sealed_records.CLAIM.most_bytes) is not None:\n'
_TELL = "        self._tell(News(at_us, fact, taken.events, taken.mission))\n"

BREAKAGES = (
    Breakage(
        "spawn-before-intent",
        "engine/loop.py",
        _WRITE,
        "        self.mission = taken.mission\n"
        "        self._align()\n"
        "        self._write(taken, at_us)\n",
        "began before its order was durable",
        "dispatch",
        tuple(f"dispatch:journal.before-commit:{n}" for n in (3, 4, 5)),
    ),
    Breakage(
        "claim-forgotten",
        "runner/run_dir.py",
        _CLAIMED + "        return\n",
        _CLAIMED + '        (path / "claim").unlink(missing_ok=True)\n        return\n',
        "processes",
        "resume",
    ),
    Breakage(
        "orphan-given-up",
        "runner/watch.py",
        "            self._follow(found, found.agent.pid)\n            return []\n",
        '            return self._conclude(Exit("lost"))\n',
        "before it ended",
        "second",
        # two checks, each after its preparation, and two agents: the last of the six is an agent
        ("second:tree.after-gate:6", "second:keep.write:5"),
    ),
    Breakage(
        "told-before-written",
        "engine/loop.py",
        _WRITE + _TELL,
        _TELL + _WRITE,
        "the terminal said",
        "complete",
        tuple(f"complete:journal.before-commit:{n}" for n in range(5, 12)),
    ),
    Breakage(
        "stop-falls-over",
        "sprint/commands/stop.py",
        "    _see_them_out(project, mission)\n    return 0\n",
        '    _see_them_out(project, mission)\n    raise RuntimeError("fell over")\n',
        "traceback",
        "stop-drained",
    ),
    Breakage(
        "files-in-place",
        "engine/io/files.py",
        "        os.rename(temporary, path)\n",
        "        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode))\n"
        '        crash_points.here("files.before-rename")\n'
        "        os.rename(temporary, path)\n",
        "half a file",
        "complete",
        ("complete:files.before-rename:2",),
    ),
    Breakage(
        "orphans-spared",
        "runner/process/tree.py",
        "        self._gone = self._gone or self._look_around()\n",
        "        self._reap()\n        self._gone = self._gone or self._status is not None\n",
        "orphan",
        "killall",
        more=(
            Edit(
                "runner/run_dir.py",
                "(_agent_lives(known, agent) or _mark_lives(known.mark))",
                "False",
            ),
            Edit(
                "runner/process/sweep.py",
                "    return [process for process in alive if processes.is_in_own_namespace(",
                "    return [process for process in () if processes.is_in_own_namespace(",
            ),
        ),
    ),
    Breakage(
        "tree-reset",
        "app/send_command.py",
        '    """Kills first and records when it can."""\n',
        '    """Kills first and records when it can."""\n'
        "    import subprocess\n\n"
        '    subprocess.run(["git", "stash", "-q"], cwd=project.root, check=False)\n',
        "changed tree",
        "killall",
    ),
    Breakage(
        "others-work-overwritten",
        "git/landing/merge.py",
        "    return Merged(str(made), was=tip)\n",
        "    return Merged(commit, was=tip)\n",
        "is not on the mission's branch",
        "salvage",
    ),
    Breakage(
        "salvage-forgotten",
        "git/salvage.py",
        "    if not status:\n        return None\n    head",
        "    if status or not status:\n        return None\n    head",
        "was not saved",
        "salvage",
    ),
    Breakage(
        "workshops-left-lying",
        "git/clone/temporary.py",
        "    for kind in (COLD, COMPOSED):\n",
        "    for kind in (COLD,):\n",
        "compose-",
        "gate-repair",
        ("gate-repair:gate.after-compose:1",),
    ),
)
