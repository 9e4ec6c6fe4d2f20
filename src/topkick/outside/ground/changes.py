"""When something below a directory was changed last: a sign of life of who works there."""

import os
from collections.abc import Collection
from pathlib import Path

FILES_LOOKED_AT = 5_000


def newest_change_s_below(not_theirs: Collection[Path], directory: Path) -> float:
    """The latest change below a directory, git's files and our own aside; a bounded look.

    Our board is written whenever we have something to say, such as that an agent is quiet.
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
