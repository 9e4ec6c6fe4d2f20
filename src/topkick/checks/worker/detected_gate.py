"""Find the commands that build and test everything, from the manifests of a commit (GT-02)."""

import os
from collections.abc import Sequence

import pygit2

from topkick.git.clone.places import Layout
from topkick.git.read.repository import UNBORN
from topkick.inspection.gate_detection import detected_gate

MOST_PATHS = 100_000


def detected_in(layout: Layout, directories: Sequence[str]) -> tuple[str, ...]:
    """Return the commands; `directories` are those of units, relative to the project's root."""
    files: dict[str, pygit2.Blob] = {}
    for source in layout.sources:
        repo = pygit2.Repository(os.fspath(source.refs_of))
        for objects in source.objects[1:]:
            repo.odb.add_disk_alternate(os.fspath(objects))
        if source.commit != UNBORN:
            _list(repo[source.commit].peel(pygit2.Tree), source.path, files)
    home = f"{layout.home}/"
    known = {p.removeprefix(home): b for p, b in files.items() if p.startswith(home)}

    def read(path: str) -> bytes | None:
        return known[path].data if path in known else None

    return detected_gate(known.keys(), read, directories)


def _list(tree: pygit2.Tree, above: str, files: dict[str, pygit2.Blob]) -> None:
    for entry in tree:
        if len(files) >= MOST_PATHS:
            return
        path = f"{above}/{entry.name}"
        if isinstance(entry, pygit2.Tree):
            _list(entry, path, files)
        elif isinstance(entry, pygit2.Blob):
            files[path] = entry
