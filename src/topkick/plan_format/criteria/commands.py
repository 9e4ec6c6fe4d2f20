"""Split a criterion into prose, code, quotations and remarks, and recognise commands in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile

from topkick.plan_format.markdown import parts_of

_PROGRAMS = """
actionlint ansible ant aws az bandit bash bazel bench biome black brew buf bun bundle cargo cat cd
clang clippy cmake cmp comm command composer coverage ctest curl cypress dart deno detekt df diff
docker docker-compose dotnet du echo elixir env eslint false file find flake8 flutter for gcc
gcloud gh git go golangci-lint gradle gradlew grep hadolint hatch head helm hyperfine if java javac
jest jq julia just k6 ktlint kubectl launchctl ls lsof lua make markdownlint meson mix mkdocs mocha
mvn mypy ninja node nox npm npx nslookup nvim otool pdm perl php phpstan phpunit pip pip-audit pip3
playwright plutil pnpm poetry pre-commit prettier printf prisma protoc psql pwsh pylint pyright
pytest python python3 rake rg rspec rubocop ruby ruff rustc rustfmt safety sbt sed semgrep sh
shasum shellcheck sha256sum sort sqlite3 ssh-keygen stack stat supabase svelte-check swift
swiftformat swiftlint tail task terraform test time timeout tox tree true tsc tsx turbo ty uniq uv
uvx vite vitest wc wget which xcodebuild xcrun xmllint yamllint yarn yq zig zsh [ !
"""
PROGRAMS = frozenset(_PROGRAMS.split())
# English words that are programs too: alone in backticks they are mostly something else
_AMBIGUOUS = """
bench cat cd command echo env false file find for go head if node sort stack stat tail task test
time timeout tree true turbo which
"""
_ALSO_WORDS = frozenset(_AMBIGUOUS.split())
_WORD = re.compile(r"^[A-Za-z0-9_.+@/~-]+$|^[\[!]$")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")
_CALL = re.compile(r"[\w\])]\(")
_PLACEHOLDER = re.compile(
    r"<[A-Za-z][\w -]{0,40}>|…|(?:^|\s)\.\.\.(?:\s|$)|\{\{[^{}]{1,40}\}\}|(?<!\$)\{[a-z_]+\}"
)
_DANGEROUS = re.compile(
    r"(?<![\w.-])(?:"
    r"(?:rm|rmdir|unlink|shred|mkfs[\w.]{0,10}|dd|shutdown|reboot|sudo|doas|kill|pkill|killall"
    r"|truncate|chown|chmod|mv|crontab|launchctl\s+(?:un)?load|systemctl|iptables|eval)\s"
    r"|git\s+(?:-\S{1,40}\s+)?(?:push|clean|stash|rebase|restore|revert|merge|pull|commit|am)\b"
    r"|git\s+reset\b|git\s+branch\s+-[dD]|git\s+checkout\b|git\s+tag\s+-[adsf]"
    r"|git\s+worktree\s+remove|git\s+(?:gc|filter-\w+|update-ref)\b"
    r"|(?:npm|pnpm|yarn|cargo|poetry|uv|hatch|dart|flutter)\s+publish\b|twine\s+upload"
    r"|gem\s+push|docker\s+(?:push|rm|rmi|(?:system|volume|image)\s+(?:prune|rm))"
    r"|docker[ -]compose\s+down|terraform\s+(?:apply|destroy|import)|pulumi\s+(?:up|destroy)"
    r"|kubectl\s+(?:apply|delete|rollout|scale|patch|edit|drain)"
    r"|helm\s+(?:install|upgrade|uninstall|rollback)|aws\s+\S{1,40}\s+(?:rm|delete\S*|terminate\S*)"
    r"|gcloud\s.{0,80}\bdelete\b|az\s.{0,80}\bdelete\b|vercel(?:\s|$)|netlify\s+deploy"
    r"|fly(?:ctl)?\s+deploy|heroku\s|firebase\s+deploy|serverless\s+deploy|wrangler\s+(?:deploy|publish)"
    r"|gh\s+(?:release\s+(?:create|delete|edit|upload)|pr\s+(?:merge|close|create)"
    r"|repo\s+(?:delete|create|edit)|workflow\s+run|secret|issue\s+(?:create|close|delete))"
    r"|(?:apt|apt-get|dnf|yum|pacman|brew)\s+(?:-\S+\s+)*(?:install|remove|purge|upgrade|uninstall)"
    r"|npm\s+(?:i|install|uninstall)\s+(?:-g|--global)|pip3?\s+uninstall"
    r"|(?:prisma\s+migrate\s+(?:reset|deploy)|rails\s+db:(?:drop|reset)|alembic\s+downgrade)"
    r"|drop\s+(?:table|database|schema)\b|delete\s+from\b|truncate\s+table\b"
    r"|curl\s.{0,200}-X\s*(?:POST|PUT|DELETE|PATCH)|defaults\s+(?:write|delete))"
    r"|(?:^|[\s:]|\./)deploy(?=\s|$)|\bdeploy\.\w"
    r"|(?:^|[;&|\n]\s*)[\w./-]+\s+(?:delete|destroy|purge|wipe|drop)\s"
    r"|\s-delete\b|(?<!\|)\|\s*(?:ba|z|da)?sh\b|:\(\)\s*\{|(?<=\s)>{1,2}\s*(?:~|/(?!tmp/|dev/))",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[a-z]+")
_ALARM_WORDS = """
rm rmdir unlink shred mkfs dd shutdown reboot sudo doas kill pkill killall truncate chown chmod mv
crontab launchctl systemctl iptables eval git npm pnpm yarn cargo poetry uv hatch dart flutter twine
gem docker terraform pulumi kubectl helm aws gcloud az vercel netlify fly flyctl heroku firebase
serverless wrangler gh apt dnf yum pacman brew pip prisma rails alembic drop delete curl defaults
deploy destroy purge wipe
"""
_ALARMS = frozenset(_ALARM_WORDS.split())
_QUOTED = re.compile(r"'[^']{0,2000}'|\"(?:[^\"\\]|\\.){0,2000}\"")
_SEARCHES = re.compile(r"^(?:git\s+)?(?:grep|egrep|fgrep|rg|ag|ack)\b")
_ELSEWHERE = re.compile(r"(?<![\w.])(/(?:home|Users)/[\w.-]+(?:/[\w.@+-]+)*)")


def reads_as_command(span: str) -> bool:
    """Return whether a shell could run this as it is, judging by its first word."""
    words = span.split()
    if words and "=" in words[0]:
        words = list(dropwhile(_ASSIGNMENT.match, words))
    if not words or not _WORD.match(words[0]) or (len(words) == 1 and span.endswith("/")):
        return False
    path, _, program = words[0].rpartition("/")
    if program in PROGRAMS or (program.endswith(".sh") and (path or len(words) > 1)):
        return len(words) > 1 or program not in _ALSO_WORDS
    if words[0].startswith("./"):
        return not _is_a_file(program) or len(words) > 1
    return bool(path) and len(words) > 1 and not _CALL.search(span) and _looks_like_arguments(words)


def _is_a_file(name: str) -> bool:
    return "." in name.strip(".") and not name.endswith((".sh", ".py", ".rb", ".pl"))


def _looks_like_arguments(words: list[str]) -> bool:
    return "." not in words[0].rpartition("/")[2] or any(w.startswith("-") for w in words[1:])


def not_to_be_run(command: str, root: str = "") -> str:
    """Return why this cannot be a check, or an empty text."""
    looked_at = "\n".join(map(_without_patterns, command.split("\n")))
    if found := _danger_in(looked_at):
        return f"`{' '.join(found[0].split())}` changes files or systems, which a check must not do"
    if found := _PLACEHOLDER.search(looked_at):
        return f"`{found[0].strip()}` is a placeholder"
    for found in _ELSEWHERE.finditer(command):
        if not root or not (found[1] + "/").startswith(root.rstrip("/") + "/"):
            return f"`{found[1][:60]}` is a path on another machine"
    return ""


def is_dangerous(command: str, *, prose: bool = False) -> bool:
    """Return whether the command is dangerous; in `prose`, its first word must be a command."""
    if prose and not (reads_as_command(command) or _DANGEROUS.match(command)):
        return False
    return _danger_in(_without_patterns(command)) is not None


def _danger_in(text: str) -> re.Match[str] | None:
    """Search for danger, after a quick test for the words that can begin one."""
    words = _LETTERS.findall(text.lower())
    marked = ">" in text or "|" in text or ":(" in text
    return _DANGEROUS.search(text) if marked or not _ALARMS.isdisjoint(words) else None


def _without_patterns(line: str) -> str:
    """Drop the quoted patterns of a search: they are not executed."""
    return _QUOTED.sub("''", line) if _SEARCHES.match(line.strip()) else line


# --- the text of a criterion -------------------------------------------------------------------

LONGEST = 4_000

_MARK = re.compile(r"^(?:[☐☑✅✓✔□▢❌⬜🔲]\ufe0f?\s*)+")
_TAG = re.compile(r"^[A-Z]{1,4}-?\d{1,3}:\s+")
_QUOTATION = re.compile(r"[\"“](?P<said>[^\"“”]{1,200})[\"”]")
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
        prose = _QUOTATION.sub(keep, prose)
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
