"""The files and folders that a text names."""

import re

from topkick.inspection.compare.reader import words

MOST_PATHS = 200
_WORD = re.compile(r"[^\s`\"'<>|,;(){}\[\]]+")
_EXTENSION = re.compile(r"[^/.]\.([A-Za-z][A-Za-z0-9]{0,9})\Z")
_PLAIN_SEGMENTS = re.compile(r"[\w.@+~-]+(?:/[\w.@+~-]+)*/?\Z")
_TAIL = re.compile(r"(?::\d+)+\Z|::.*\Z", re.DOTALL)
_PRODUCT = re.compile(r"[A-Z][A-Za-z0-9]*\.(?:js|ts|io|net)\Z")  # Node.js is no file
_EXTENSIONS = words(
    """
    bash bat bats c cc cfg cjs clj cmake conf cpp cs css csv cts cxx dart ex exs fish go gradle
    graphql h hpp hs html hxx ini ipynb java jl js json json5 jsonc jsx kt kts less lock lua m md
    mdx mjs mk ml mm mts nix php pl plist proto ps1 pth pug py pyi r rb resolved rs rst sass scala
    scss sh sol sql storyboard strings svelte svg swift tex tf toml tpl ts tsv tsx txt vue xib xml
    yaml yml zig zsh
    """
)
_FILES_WITHOUT_EXTENSION = frozenset(
    {
        "Makefile",
        "Dockerfile",
        "Justfile",
        "justfile",
        "Procfile",
        "Gemfile",
        "Rakefile",
        "Jenkinsfile",
    }
)
_USUAL_FOLDERS = words(
    """
    .github app apps bin cmd config docs examples internal lib libs packages pkg scripts server
    Sources spec src templates test tests Tests tools web
    """
)


def named_paths(text: str) -> tuple[str, ...]:
    """In their order, each once; a pattern is cut to the folder it starts in."""
    found: dict[str, None] = {}
    for piece, is_quoted in _pieces(text):
        for word in _WORD.findall(piece):
            path = _path(word, is_quoted)
            if path:
                found.setdefault(path)
                if len(found) >= MOST_PATHS:
                    return tuple(found)
    return tuple(found)


def _pieces(text: str) -> list[tuple[str, bool]]:
    """The text cut at its backticks, line by line."""
    return [
        (piece, number % 2 == 1)
        for line in text.split("\n")
        for number, piece in enumerate(line.split("`"))
    ]


def _path(word: str, is_quoted: bool) -> str:
    if word.startswith(("-", "/", "~", "$", "http:", "https:", "www.", "@")) or "://" in word:
        return ""
    word = word.rpartition("=")[2]
    word = _TAIL.sub("", word.strip("*_:!?").removeprefix("./")).rstrip(".:!?")
    word = _without_pattern(word)
    if not word or ".." in word or not _PLAIN_SEGMENTS.match(word):
        return ""
    return word if _is_path(word, is_quoted) else ""


def _without_pattern(word: str) -> str:
    if "*" not in word:
        return word
    return word[: word.index("*")].rpartition("/")[0] + "/"


def _is_path(word: str, is_quoted: bool) -> bool:
    name = word.rpartition("/")[2]
    if name in _FILES_WITHOUT_EXTENSION:
        return True
    extension = _EXTENSION.search(word)
    if extension is not None and extension[1].lower() in _EXTENSIONS:
        return is_quoted or "/" in word or not _PRODUCT.match(word)
    parts = word.rstrip("/").split("/")
    if "/" not in word or not any(map(str.isalpha, word)):
        return False
    return word.endswith("/") or parts[0] in _USUAL_FOLDERS or (is_quoted and len(parts) > 2)
