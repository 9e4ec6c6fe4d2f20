"""People's edits of files, each with a unique word that must stay where it was put."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proof.simulation.files.story import FileStory


class Person:
    def __init__(self, story: FileStory) -> None:
        self._story = story
        self._count = 0

    def edit(self, name: str, change: Callable[[str], str] = lambda text: text) -> None:
        """Make a change, with a remark under the title; nothing if there is no title."""
        if name in self._story.oracle.broken:
            return
        text = change(self._story.text(name))
        title = next((line for line in text.split("\n") if line.startswith("# ")), "")
        if not title:
            return
        self._count += 1
        word = f"Remark {self._count}."
        self._story.put(name, text.replace(title, f"{title}\n\n{word}", 1))
        self._story.oracle.words.append((name, word))

    def edit_when(self, seam: str, name: str, change: Callable[[str], str] = lambda t: t) -> None:
        self._story.seams.meanwhile(seam, lambda: self.edit(name, change))

    def half(self, name: str, for_s: float) -> None:
        """Save the first half of a file for a while, as an editor may, then all of it."""
        text = self._story.text(name)
        if text and name not in self._story.oracle.broken:
            self._story.put(name, text[: len(text) // 2])
            self._story.oracle.broken.add(name)
            self._story.timeline.after(for_s, lambda: self._restore(name, text))

    def away(self, name: str, for_s: float) -> None:
        text = self._story.text(name)
        if text and name not in self._story.oracle.broken:
            self._story.take_away(name)
            self._story.oracle.broken.add(name)
            self._story.timeline.after(for_s, lambda: self._restore(name, text))

    def _restore(self, name: str, text: str) -> None:
        if name in self._story.oracle.broken:
            self._story.put(name, text)
            self._story.oracle.broken.discard(name)
            self.edit(name)
