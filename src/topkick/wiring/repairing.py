"""The one repair of a journal that a person can ask for."""

from topkick.core.chain import Head
from topkick.core.errors import JournalDamaged
from topkick.outside.ground.files import replace_atomically
from topkick.outside.journal import Journal, check
from topkick.outside.lock import ProjectLock
from topkick.supervisor import replay
from topkick.wiring.project import Project
from topkick.wiring.running import now_us, render_board


def accept_lost_tail(project: Project) -> Head:
    """Carry the head that is there outside again; only for a journal that is whole in itself."""
    with ProjectLock(project.state_dir).acquire(now_us()):
        problems = check(project.journal_path, None)
        if problems:
            raise JournalDamaged(
                "The journal is damaged in itself, not only shorter:\n"
                + "\n".join(problems)
                + f"\nRestore it from a backup, or move {project.current} away and start anew."
            )
        with Journal.open(project.journal_path, anchor=None) as journal:
            mission = replay(journal.records())
            head = journal.head
        text = render_board(project, mission, head).encode("utf-8", "replace")
        replace_atomically(project.board_path, text, mode=0o644)
    return head
