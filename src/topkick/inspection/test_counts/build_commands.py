"""Which commands build or test, and so run one at a time on a host; the rest is light."""

import re

from topkick.inspection.tampering.commands import (
    SHELLS,
    ProgramCall,
    calls,
    package_words,
    script_of,
)
from topkick.inspection.test_counts.runners import PYTHON, runs_tests

_TASK_RUNNERS = frozenset({"just", "task", "rake", "mage", "gulp", "grunt", "invoke", "inv"})
_WHOLE = frozenset(  # whatever they are asked for, they build
    {"mvn", "mvnw", "gradle", "gradlew", "sbt", "ant", "xcodebuild", "scons", "nix-build"}
    | {"webpack", "rollup", "esbuild", "tsup", "cibuildwheel", "pyinstaller", "maturin"}
    | {"electron-builder", "svelte-package", "ng-packagr", "buildah", "earthly", "rebar3"}
)
_SUBCOMMANDS = {
    "cargo": "build b check c clippy run r rustc doc bench install package publish test t nextest",
    "go": "build install run generate test",
    "swift": "build run test",
    "dotnet": "build publish pack restore run msbuild test",
    "docker": "build",
    "podman": "build",
    "bazel": "build run test coverage",
    "bazelisk": "build run test coverage",
    "buck2": "build run test",
    "pants": "package test check",
    "vite": "build",
    "next": "build",
    "nuxt": "build generate",
    "astro": "build",
    "remix": "build",
    "gatsby": "build",
    "parcel": "build",
    "ng": "build test e2e",
    "nx": "build test run run-many affected e2e",
    "turbo": "build test run",
    "lerna": "run bootstrap",
    "rush": "build rebuild install update",
    "react-scripts": "build test",
    "vue-cli-service": "build",
    "wasm-pack": "build test",
    "npm": "ci install i install-test it rebuild",
    "pnpm": "install i",
    "yarn": "install",
    "bun": "install i build",
    "deno": "compile bundle",
    "poetry": "install build sync",
    "pdm": "install build sync",
    "uv": "sync build",
    "hatch": "build",
    "flit": "build install",
    "pipenv": "install sync",
    "meson": "compile setup install",
    "dune": "build runtest",
    "stack": "build install",
    "cabal": "build install",
    "zig": "build build-exe build-lib",
    "mix": "compile release",
    "lein": "compile uberjar jar",
    "dart": "compile",
    "flutter": "build",
    "gem": "build",
    "nix": "build develop",
    "wrangler": "deploy",
}
_SETS = {name: frozenset(words.split()) for name, words in _SUBCOMMANDS.items()}
_BUILD_WORD = re.compile(
    r"(?:.*[:_./-])?(?:build|compile|bundle|dist|tests?|e2e|all|ci|release|typecheck|type-check)"
    r"(?:[:_./-].*)?"
)
_SCRIPT_NAME = re.compile(
    r"(?:.*[_-])?(?:build|compile|bundle|tests?|ci|verify)(?:[_.-].*)?|check(?:\.\w+)?|esbuild\..*"
)
_LIGHT_TARGET = re.compile(
    r"(?:.*[:_-])?(?:clean|distclean|help|fmt|format|lint|version|tags|tasks|dependencies|list)"
)
_TELLS_ONLY = frozenset({"--version", "--help", "-version", "-help"})
_MAKE = frozenset({"make", "gmake", "bmake", "ninja", "samu"})
_REHEARSALS = frozenset({"--dry-run", "--just-print", "--recon", "--question", "--print-data-base"})
_SHORT_REHEARSAL = re.compile(r"-[A-Za-z]*[nq][A-Za-z]*")
_WITH_VALUE = frozenset(
    {"-C", "--manifest-path", "--package-path", "--project", "--config", "--target-dir", "-f"}
    | {"--directory", "--cwd", "--dir", "--prefix", "--color", "--file", "-j", "-l", "-I", "-W"}
)
_XCODE_TELLS = frozenset({"-list", "-showBuildSettings", "-showsdks", "-showdestinations"})
_INLINE = frozenset({"-e", "--eval", "-p", "--print", "-pe", "-c", "--check"})


def builds(command: str) -> bool:
    """Does any part of it build, test, or install into the tree that others share?"""
    return any(_is_heavy(call) for call in calls(command))


def _is_heavy(call: ProgramCall) -> bool:
    own = call.words[1:]
    own = own[: own.index("--")] if "--" in own else own
    if _TELLS_ONLY.intersection(own) or _rehearses(call.program, own):
        return False
    return runs_tests(call) or _builds(call, own)


def _rehearses(name: str, words: tuple[str, ...]) -> bool:
    if name in ("mvn", "mvnw", "gradle", "gradlew"):
        return "--dry-run" in words or "-m" in words
    if name in ("ninja", "samu"):
        return "-n" in words or "-t" in words
    if name not in _MAKE:
        return False
    return any(word in _REHEARSALS or _SHORT_REHEARSAL.fullmatch(word) for word in words)


def _builds(call: ProgramCall, words: tuple[str, ...]) -> bool:
    name, plain = call.program, _plain(words)
    known = _by_its_words(name, words, plain)
    if known is not None:
        return known
    if name in SHELLS:
        return "-n" not in words and _is_build_script(plain[:1])
    if "/" in call.words[0][1:] and call.words[0][0] != "/" and _is_build_script((name,)):
        return True
    if name in _MAKE or name in _WHOLE:
        return not _asks_only(name, words, plain)
    if name in _TASK_RUNNERS:
        return any(_BUILD_WORD.fullmatch(word) for word in plain)
    if _BUILD_WORD.fullmatch(script_of(call)):
        return True
    first = _plain(package_words(call))[:1]
    return any(word in _SETS.get(name, ()) for word in first)


def _by_its_words(name: str, words: tuple[str, ...], plain: tuple[str, ...]) -> bool | None:
    """For programs of which more than the first word must be read; None: not one of them."""
    if PYTHON.fullmatch(name):
        return _python_builds(words)
    match name:
        case "tsc" | "vue-tsc":
            return _compiles_project(words, plain)
        case "cmake":
            return not {"-E", "-P"}.intersection(words)
        case "pip" | "pip3":
            return plain[:1] == ("install",)
        case "go" if plain[:1] == ("vet",):  # of single files: the light check of the table
            return not plain[1:] or not all(word.endswith(".go") for word in plain[1:])
        case "docker" | "podman" if plain[:1] != ("build",):
            return _container_builds(words, plain)
        case "uv" | "yarn" if (name, *plain[:2]) in (("uv", "pip", "install"), ("yarn",)):
            return True
        case "node" | "deno" | "tsx" | "ts-node":
            if _INLINE.intersection(words):
                return False
            return _is_build_script(plain[:1]) or plain[:1] in (("compile",), ("bundle",))
        case _:
            return None


def _plain(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that are no options, without the values of the common ones."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _WITH_VALUE:
            skip = True
        elif not word.startswith(("-", "+")):
            found.append(word)
    return tuple(found)


def _asks_only(name: str, words: tuple[str, ...], plain: tuple[str, ...]) -> bool:
    if name == "xcodebuild":
        return bool(_XCODE_TELLS.intersection(words))
    targets = [word for word in plain if "=" not in word and not word.isdigit()]
    return bool(targets) and all(_LIGHT_TARGET.fullmatch(word) for word in targets)


def _python_builds(words: tuple[str, ...]) -> bool:
    for place, word in enumerate(words):
        if word == "-m":
            module = words[place + 1 : place + 2]
            rest = _plain(words[place + 2 :])
            return module == ("build",) or (module == ("pip",) and rest[:1] == ("install",))
        if word == "-c":
            return False
        if not word.startswith("-"):
            if word.rpartition("/")[2] == "setup.py":
                return any(w.startswith(("build", "bdist", "install", "develop")) for w in words)
            return _is_build_script((word,))
    return False


def _is_build_script(words: tuple[str, ...]) -> bool:
    return any(_SCRIPT_NAME.fullmatch(word.rpartition("/")[2]) for word in words)


def _compiles_project(words: tuple[str, ...], plain: tuple[str, ...]) -> bool:
    if {"-v", "-h", "--init", "--showConfig", "--listFilesOnly", "--all"}.intersection(words):
        return False
    if {"-p", "--project", "-b", "--build"}.intersection(words):
        return True
    return not any(re.search(r"\.[cm]?[jt]sx?\Z", word) for word in plain)


def _container_builds(words: tuple[str, ...], plain: tuple[str, ...]) -> bool:
    if plain[:1] and plain[0] in ("buildx", "image", "compose", "builder"):
        return "--build" in words or any(word in ("build", "bake") for word in plain[1:3])
    return False
