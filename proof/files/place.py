"""A throw-away project for one try: created, run by the real command line, and inspected."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from proof.crash.place import Place as Ground
from proof.files.aims import Watch
from topkick.app.project import find_file_project
from topkick.app.run_view import read_record
from topkick.engine import messages as h
from topkick.engine.journal import JournalReader

PATIENCE_S = 120.0
ORPHANS_S = 30.0


class Place:
    """A project; `file` holds the state, from the root; `kind` is its supervisor."""

    def __init__(self, at: Path, file: str, kind: str) -> None:
        self.root = at / "project"
        self.notes = at / "notes"
        self.home = at / "home"
        for path in (self.root, self.notes, self.home):
            path.mkdir(parents=True)
        self.watch = Watch(self.notes)
        self._ground = Ground(at)
        self._file = file
        self._kind = kind
        self._env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "GIT_AUTHOR_NAME": "Proof",
            "GIT_AUTHOR_EMAIL": "proof@localhost",
            "GIT_COMMITTER_NAME": "Proof",
            "GIT_COMMITTER_EMAIL": "proof@localhost",
        }

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, env=self._env, check=True)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        argv, env = self.watch([sys.executable, "-m", "topkick", *words])
        return subprocess.run(
            argv,
            cwd=self.root,
            env={**self._env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    # --- results -----------------------------------------------------------------------------

    def happened(self) -> Iterator[h.Happening]:
        """Yield the records of all runs here: a death at the very end is followed by another
        run.
        """
        place = find_file_project(self.root / self._file, self._kind)
        journals = sorted(place.state_dir.glob("archive/*/journal.db"))
        for path in (*journals, place.journal_path):
            if path.exists():
                with JournalReader(path) as reader:
                    yield from (read_record(record).happening for record in reader.records())

    def left_alive(self) -> list[str]:
        """Return processes of this place that outlive its end."""
        return [p.words[:150] for p in self._ground.wait_until_empty(ORPHANS_S)]

    def begun(self) -> list[str]:
        """Return the orders that agents really began, from their own records."""
        path = self.notes / "starts"
        return [line.split(" ")[0] for line in path.read_text().splitlines()]

    def settings(self, command: list[str], more: str = "") -> None:
        words = ", ".join(json.dumps(word) for word in command)
        (self.root / "topkick.toml").write_text(
            f'agent = "scripted"\n[agents.scripted]\ncommand = [{words}]\n'
            f"[limits]\nstop_grace_seconds = 0.5\nkill_grace_seconds = 0.5\n{more}"
        )
