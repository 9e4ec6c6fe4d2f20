"""Find the latest change below a directory: a sign of life of the agent that works there."""

import os
from collections.abc import Collection
from pathlib import Path

FILES_LOOKED_AT = 5_000


def newest_change_s_below(not_theirs: Collection[Path], directory: Path) -> float:
    """Return the time of the latest change below a directory, without git's and topkick's own
    files.

    topkick writes its state file whenever it has news, for example that an agent is quiet. The
    number of files looked at is limited.
    """
    ours = {str(path) for path in not_theirs}
    newest_s, looked_at = 0.0, 0
    for place, names, files in os.walk(directory):
        names[:] = [n for n in names if n != ".git"]
        for path in (os.path.join(place, name) for name in (*names, *files)):  # noqa: PTH118
            looked_at += 1
            if looked_at > FILES_LOOKED_AT:
                return newest_s
            if path in ours:
                continue
            try:
                newest_s = max(newest_s, os.lstat(path).st_mtime)
            except OSError:
                continue
    return newest_s
