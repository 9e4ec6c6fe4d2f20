"""A sprint in three real layouts of packages, verified by the run, once more, and from cold."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from proof.liars.bench import look, only_sprint, start
from proof.liars.place import Place
from topkick.sprint.model import Proof
from topkick.sprint.transitions import SprintState

NPM = "npm install --prefer-offline --no-audit --no-fund --fetch-retries 0 --fetch-timeout 20000"

PYTHON = {
    "pyproject.toml": """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "kettle"
version = "0.1"

[tool.pytest.ini_options]
pythonpath = ["src"]
testpaths = ["tests"]
""",
    "src/kettle/__init__.py": '"""Water."""\n',
    "src/kettle/heat.py": "def joules(grams: float, kelvin: float) -> float:\n    return 0.0\n",
    "tests/test_heat.py": """\
import pytest
from kettle.heat import joules


@pytest.mark.parametrize(("grams", "kelvin"), [(1, 1), (250, 80)])
def test_joules(grams: float, kelvin: float) -> None:
    assert joules(grams, kelvin) == pytest.approx(4.186 * grams * kelvin)


def test_nothing_takes_nothing() -> None:
    assert joules(0, 80) == 0
""",
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}

RUST = {
    "Cargo.toml": '[package]\nname = "kettle"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "kettle"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub mod heat;\n",
    "src/heat.rs": "pub fn joules(_grams: f64, _kelvin: f64) -> f64 {\n    0.0\n}\n",
    "tests/heat.rs": """\
use kettle::heat::joules;

#[test]
fn one_gram() {
    assert!((joules(1.0, 1.0) - 4.186).abs() < 1e-9);
}

#[test]
fn nothing_takes_nothing() {
    assert_eq!(joules(0.0, 80.0), 0.0);
}
""",
    ".gitignore": "target/\n",
}

TYPESCRIPT = {
    "package.json": """\
{
  "name": "kettle",
  "version": "0.1.0",
  "private": true,
  "type": "module",
  "scripts": { "test": "vitest run" },
  "devDependencies": { "vitest": "^2.1.0" }
}
""",
    "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "esnext" } }\n',
    "src/heat.ts": "export function joules(grams: number, kelvin: number): number {\n"
    "  return grams - grams + kelvin - kelvin;\n}\n",
    "test/heat.test.ts": """\
import { describe, expect, it } from 'vitest';
import { joules } from '../src/heat';

describe('joules', () => {
  it('heats one gram', () => {
    expect(joules(1, 1)).toBeCloseTo(4.186);
  });
  it('takes nothing for nothing', () => {
    expect(joules(0, 80)).toBe(0);
  });
});
""",
    ".gitignore": "node_modules/\n",
}

PLAN = """\
# EXECUTION_PLAN.md — Kettle

## Work Units

| Work Unit | Directory | Sprints | Dependencies |
|---|---|---|---|
| kettle | . | 1 | none |

## kettle

### Sprint 1: Heat

**Tasks**:
1. In `{source}` write `joules`: 4.186 times grams times kelvin.
2. Commit it.

**Exit criteria**:
- [ ] `{command}` passes
"""


@pytest.fixture
def place() -> Iterator[Place]:
    made = Place()
    yield made
    made.clear()


def sprint_is_done(
    place: Place, files: Mapping[str, str], source: str, solution: str, command: str, config: str
) -> None:
    """Let an agent do the work, then verify it in a warm tree and in a cold one."""
    side = place.path / "side"
    (side / "solution").write_text(solution)
    script = f'cat >/dev/null; cd "$1" && cp {side}/solution {source} && git commit -qam Heat'
    (side / "agent.sh").write_text(f"{script}\n")
    words = json.dumps(["/bin/sh", f"{side}/agent.sh", "{project}"])
    text = f'agent = "scripted"\nisolation = "shared"\n[agents.scripted]\ncommand = {words}\n'
    plan = PLAN.format(source=source, command=command)
    for name, content in {
        **files,
        "EXECUTION_PLAN.md": plan,
        "topkick.toml": text + config,
    }.items():
        path = place.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    place.git("init", "-q", "-b", "main")
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "The kettle")
    trouble, said = start(place)
    assert not trouble, trouble
    sprint = only_sprint(look(place.root))
    assert sprint is not None
    assert (sprint.state, sprint.proof) == (SprintState.COMPLETED, Proof.CHECKED), said
    for words_of in (("verify", "U1/1"), ("verify", "U1/1", "--cold")):
        assert "It holds." in _says(place, *words_of)


def _says(place: Place, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "topkick", *words],
        cwd=place.root,
        env=place.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.spec("VF-01", "VF-04")
def test_a_python_package_with_pytest(place: Place) -> None:
    solution = (
        "def joules(grams: float, kelvin: float) -> float:\n    return 4.186 * grams * kelvin\n"
    )
    sprint_is_done(
        place, PYTHON, "src/kettle/heat.py", solution, "python3 -m pytest -q", "[verify]\n"
    )


@pytest.mark.spec("VF-01", "VF-04")
def test_a_rust_crate(place: Place, need: Callable[[str], str]) -> None:
    need("cargo")
    solution = "pub fn joules(grams: f64, kelvin: f64) -> f64 {\n    4.186 * grams * kelvin\n}\n"
    sprint_is_done(place, RUST, "src/heat.rs", solution, "cargo test --offline", "[verify]\n")


@pytest.mark.spec("VF-01", "VF-04")
def test_a_typescript_package_with_vitest(
    place: Place, need: Callable[[str], str], tmp_path: Path
) -> None:
    npm = need("npm")
    (tmp_path / "package.json").write_text(TYPESCRIPT["package.json"])
    words = [npm, *NPM.split()[1:], "--package-lock-only"]
    locked = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    if locked.returncode != 0:
        pytest.skip(f"vitest cannot be had here, so this proves nothing:\n{locked.stderr[-300:]}")
    for name in ("userconfig", "cache"):
        words = [npm, "config", "get", name]
        asked = subprocess.run(words, capture_output=True, text=True, check=True)
        place.env[f"NPM_CONFIG_{name.upper()}"] = asked.stdout.strip()
    config = (
        f'[verify]\nprepare = ["{NPM}"]\npass_env = ["NPM_CONFIG_USERCONFIG", "NPM_CONFIG_CACHE"]\n'
    )
    files = {**TYPESCRIPT, "package-lock.json": (tmp_path / "package-lock.json").read_text()}
    solution = (
        "export function joules(grams: number, kelvin: number): number {\n"
        "  return 4.186 * grams * kelvin;\n}\n"
    )
    sprint_is_done(place, files, "src/heat.ts", solution, "npm test", config)
