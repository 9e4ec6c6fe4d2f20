"""Split a criterion into prose, code, quotations and remarks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from topkick.plan_format.criteria.commands import reads_as_command
from topkick.plan_format.text.code_spans import parts_of

LONGEST = 4_000

_MARK = re.compile(r"^(?:[☐☑✅✓✔□▢❌⬜🔲]\ufe0f?\s*)+")
_TAG = re.compile(r"^[A-Z]{1,4}-?\d{1,3}:\s+")
_QUOTED = re.compile(r"[\"“](?P<said>[^\"“”]{1,200})[\"”]")
_REMARK = re.compile(r"\s*\((?P<said>[^()§]{0,300})\)")
# a remark with one of these may say what the command must do, or negate "passes"
_TELLING = re.compile(
    r"\b(?:must|should|returns?|exits?|expect\w*|not|no|zero|none|nothing|empty|fails?|except|only"
    r"|without|unless|match(?:es)?|hits?|results?|at least|at most|exactly|manual\w*)\b|[<>=≥≤]"
)


@dataclass(frozen=True, slots=True)
class PhraseText:
    """Prose in lower case with §n§ in place of code or quotations; `remark` if it may matter.

    A remark was in brackets or after a dash.
    """

    prose: str
    spans: tuple[str, ...]
    commands: tuple[str, ...] = ()
    remark: str = ""

    def part(self, prose: str) -> "PhraseText":
        """Return a part of the prose with its own code, renumbered."""
        numbers = spans_in(prose)
        for new, old in enumerate(numbers):
            prose = prose.replace(f"§{old}§", f"§\0{new}§", 1)
        spans = tuple(self.spans[n] for n in numbers)
        return PhraseText(prose.replace("\0", "").strip(), spans, remark=self.remark)

    def named(self, text: str) -> str:
        """Return the code for §n§; other words are returned unchanged."""
        return self.spans[int(text.strip("§"))] if text.startswith("§") else text


def words_of(text: str) -> PhraseText:
    spans: list[str] = []
    text = text[:LONGEST].replace("§", "").strip()
    text = text if text[:1].isascii() else _MARK.sub("", text)
    prose = "".join(_without_code(text, spans))
    commands = tuple(span for span in spans if reads_as_command(span))

    def keep(found: re.Match[str]) -> str:
        spans.append(found["said"].strip())
        return f"§{len(spans) - 1}§"

    if '"' in prose or "“" in prose:
        prose = _QUOTED.sub(keep, prose)
    if "**" in prose or "__" in prose:
        prose = prose.replace("**", "").replace("__", "")
    prose = _TAG.sub("", prose) if prose[:1].isupper() else prose
    prose, remarks = _without_remarks(" ".join(prose.lower().split()))
    telling = " ".join(remark for remark in remarks if _TELLING.search(remark))
    return PhraseText(prose.strip().rstrip(" .;:"), tuple(spans), commands, telling)


def _without_code(text: str, spans: list[str]) -> Iterator[str]:
    for part in parts_of(text):
        if not part.ticks:
            yield part.prose
            continue
        spans.append(part.code.strip())
        yield f"{part.prose}§{len(spans) - 1}§"


def _without_remarks(prose: str) -> tuple[str, list[str]]:
    remarks: list[str] = []

    def drop(found: re.Match[str]) -> str:
        remarks.append(found["said"])
        return ""

    prose = (_REMARK.sub(drop, prose) if "(" in prose else prose).strip().rstrip(" .;")
    at = max(prose.rfind(dash) for dash in (" — ", " – ", " - "))
    if at > 0 and "§" not in prose[at:]:
        remarks.append(prose[at + 3 :])
        prose = prose[:at]
    return prose, remarks


def spans_in(prose: str) -> list[int]:
    return [int(number) for number in re.findall(r"§(\d+)§", prose)]
