"""Which files hold settings, how they are written, and whose settings they are."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from topkick.inspection.change import File
from topkick.inspection.settings.notations import (
    MOST_BYTES,
    Setting,
    read_ini,
    read_json,
    read_toml,
)
from topkick.inspection.settings.notations_yaml_js import read_code, read_yaml

Reader = Callable[[str], tuple[Setting, ...] | None]
Path = tuple[str, ...]
Sorter = Callable[[Path], tuple[str, Path] | None]
_INI_SECTIONS = {
    "tool:pytest": "pytest",
    "pytest": "pytest",
    "flake8": "flake8",
    "pycodestyle": "flake8",
    "pydocstyle": "flake8",
    "mypy": "mypy",
}
_TEST_TOOLS = re.compile(
    r"(?:@[\w-]+/)?(?:jest|vitest|mocha|chai|sinon|ava|tap|tape|c8|nyc|eslint|typescript|ts-jest"
    r"|playwright|cypress|karma|jasmine|tsx|ts-node|supertest|test|core|expect|globals"
    r"|coverage-v8|coverage-istanbul|runner|cli|babel-jest|jsdom|happy-dom)"
)
_DEPENDENCIES = ("dependencies", "devDependencies", "overrides", "resolutions", "peerDependencies")


@dataclass(frozen=True, slots=True)
class HeldSettings:
    """The settings of one tool that a file holds."""

    tool: str
    settings: tuple[Setting, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    name: re.Pattern[str]
    read: Reader
    sort: Sorter


def _all_of(tool: str, *dropped: str) -> Sorter:
    return lambda path: (tool, tuple(part for part in path if part not in dropped))


def _pyproject(path: Path) -> tuple[str, Path] | None:
    if len(path) < 3 or path[0] != "tool":
        return None
    tool = {"basedpyright": "pyright"}.get(path[1], path[1])
    if tool not in ("ruff", "mypy", "pyright", "pylint", "black", "flake8", "coverage", "pytest"):
        return None
    return tool, _unified(tool, path[2:])


def _unified(tool: str, path: Path) -> Path:
    """One path for what older and newer spellings call differently."""
    if tool == "ruff":
        return tuple(part for part in path if part != "lint")
    if tool == "pylint":
        return path[-1:]
    return tuple(part for part in path if part != "ini_options")


def _ini(path: Path) -> tuple[str, Path] | None:
    section, rest = path[0], path[1:]
    if not rest:
        return None
    if section in _INI_SECTIONS:
        return _INI_SECTIONS[section], rest
    if section.startswith("mypy-"):
        return "mypy", ("overrides", section[5:], *rest)
    if section.startswith("coverage:"):
        return "coverage", (section[9:], *rest)
    return ("pylint", rest) if section.startswith("pylint") else None


def _coveragerc(path: Path) -> tuple[str, Path] | None:
    return "coverage", path


def _package(path: Path) -> tuple[str, Path] | None:
    tools = {"jest": "jest", "vitest": "vitest", "nyc": "nyc", "c8": "nyc", "mocha": "mocha"}
    if path[0] in tools and len(path) > 1:
        return tools[path[0]], path[1:]
    if path[0] == "eslintConfig":
        return "eslint", path[1:]
    if path[0] in _DEPENDENCIES and len(path) == 2 and _TEST_TOOLS.fullmatch(path[1][:200]):
        return "packages", path
    return None


def _cargo(path: Path) -> tuple[str, Path] | None:
    if path[0] == "workspace" and path[1:2] == ("lints",):
        return "cargo", path
    if path[0] in ("lints", "lib", "bin", "test", "bench") or path[:2] == ("profile", "test"):
        return "cargo", path[:-1] if path[-1] == "level" else path
    return None


def _tested(path: Path) -> tuple[str, Path] | None:
    """Of a Vite configuration only what is under `test`."""
    if "test" not in path[:-1]:
        return None
    return "vitest", path[path.index("test") + 1 :]


def _playwright(path: Path) -> tuple[str, Path] | None:
    return "playwright", path


_JS = r"(?:\.(?:c|m)?[jt]s)"
_SOURCES = tuple(
    _Source(re.compile(name), read, sort)
    for name, read, sort in (
        (r"pyproject\.toml", read_toml, _pyproject),
        (r"setup\.cfg|tox\.ini|\.?pytest\.ini|\.?mypy\.ini|\.flake8", read_ini, _ini),
        (r"\.coveragerc", read_ini, _coveragerc),
        (r"\.?pylintrc", read_ini, lambda path: ("pylint", path[-1:])),
        (r"\.?ruff\.toml", read_toml, _all_of("ruff", "lint")),
        (r"pyrightconfig\.json", read_json, _all_of("pyright")),
        (
            r"tsconfig[\w.-]*\.json|jsconfig\.json",
            read_json,
            _all_of("typescript", "compilerOptions"),
        ),
        (r"package\.json", read_json, _package),
        (r"jest\.config\.json", read_json, _all_of("jest")),
        (rf"jest\.config{_JS}", read_code, _all_of("jest")),
        (rf"(?:vitest|vite)\.(?:config|workspace)[\w.]*{_JS}", read_code, _tested),
        (rf"playwright\.config{_JS}|cypress\.config{_JS}", read_code, _playwright),
        (r"\.(?:nyc|c8)rc(?:\.json)?", read_json, _all_of("nyc")),
        (r"\.nycrc\.ya?ml", read_yaml, _all_of("nyc")),
        (r"\.eslintrc(?:\.json)?", read_json, _all_of("eslint")),
        (rf"\.eslintrc{_JS}|eslint\.config{_JS}", read_code, _all_of("eslint")),
        (r"\.eslintrc\.ya?ml", read_yaml, _all_of("eslint")),
        (r"biome\.jsonc?", read_json, _all_of("biome")),
        (r"\.mocharc(?:\.jsonc?)?", read_json, _all_of("mocha")),
        (rf"\.mocharc{_JS}", read_code, _all_of("mocha")),
        (r"\.mocharc\.ya?ml", read_yaml, _all_of("mocha")),
        (r"\.golangci\.ya?ml", read_yaml, _all_of("golangci")),
        (r"\.golangci\.toml", read_toml, _all_of("golangci")),
        (r"\.swiftlint\.ya?ml", read_yaml, _all_of("swiftlint")),
        (r"\.?codecov\.ya?ml", read_yaml, _all_of("codecov")),
        (r"\.?clippy\.toml", read_toml, _all_of("clippy")),
        (r"Cargo\.toml", read_toml, _cargo),
        (
            r"sonar-project\.properties",
            read_ini,
            lambda path: ("sonar", tuple(path[-1].split(".")[1:])),
        ),
    )
)
_PRECEDENCE = {
    "pytest": ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"),
    "coverage": (".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml"),
    "mypy": ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"),
    "ruff": (".ruff.toml", "ruff.toml", "pyproject.toml"),
}
_OF_NAME = {
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    ".coveragerc": "coverage",
    "ruff.toml": "ruff",
    ".ruff.toml": "ruff",
    "mypy.ini": "mypy",
}


def is_settings(name: str) -> bool:
    return any(source.name.fullmatch(name) for source in _SOURCES)


def held(file: File) -> tuple[HeldSettings, ...] | None:
    """What it holds, tool by tool; None where it cannot be read."""
    if not file.is_plain or len(file.data) > MOST_BYTES:
        return None
    source = next(source for source in _SOURCES if source.name.fullmatch(file.name))
    settings = source.read(file.text)
    if settings is None:
        return None
    tools: dict[str, list[Setting]] = {}
    for setting in settings:
        sorted_in = source.sort(setting.path) if setting.path else None
        if sorted_in is not None and sorted_in[1]:
            tools.setdefault(sorted_in[0], []).append(Setting(sorted_in[1], setting.value))
    tools.setdefault(_OF_NAME.get(file.name, ""), [])
    return tuple(HeldSettings(tool, tuple(found)) for tool, found in tools.items() if tool)


def precedence(tool: str, name: str) -> int:
    """The lower wins over the others; 0 where files add up."""
    order = _PRECEDENCE.get(tool, ())
    return 1 + order.index(name) if name in order else 0
