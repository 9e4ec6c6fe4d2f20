"""The input of a tick's action: the epic as it is now, its files, and the settings."""

from collections.abc import Mapping
from dataclasses import dataclass

from topkick.core.epics import EpicSettings
from topkick.core.files import Edit, Seen
from topkick.core.task_files import TaskFile
from topkick.core.texts import Text
from topkick.policies.epic.body import Epic
from topkick.policies.epic.filing import task_path
from topkick.policies.epic.notes import End, Launch
from topkick.policies.epic.prose import Scan

HANDOVER = "Pull Request"


@dataclass(frozen=True, slots=True)
class Scene:
    epic: Epic
    epic_path: str
    files: Mapping[str, Seen]
    settings: EpicSettings
    scan: Scan
    run_id: str
    skip: int = 0
    worker_text: str = ""

    def task(self, task_id: str) -> TaskFile | None:
        seen = self.files.get(self.path(task_id))
        return None if seen is None or seen.content is None else TaskFile.read(seen.text)

    def path(self, task_id: str) -> str:
        return task_path(self.epic_path, task_id)

    def status_edit(self, task_id: str, status: str, handover: str = "") -> tuple[Edit, ...]:
        """Return an edit that sets the status in the child's own file, unless it is missing or up
        to date.
        """
        seen, task = self.files.get(self.path(task_id)), self.task(task_id)
        if seen is None or task is None:
            return ()
        changed = task.with_value("status", status)
        if handover:
            changed = changed.with_section(HANDOVER, f"\n{handover}\n")
        if changed.text == task.text:
            return ()
        return (Edit(seen.path, seen.sha256, Text.of(changed.text)),)


@dataclass(frozen=True, slots=True)
class Acted:
    """The epic to write, children's files to write before it, and the worker to launch
    afterwards.
    """

    epic: Epic
    end: End
    edits: tuple[Edit, ...] = ()
    launch: Launch | None = None
