"""Liars whose work is not in the commit: a server, an ignored file, a file outside."""

import socket
import time
from pathlib import Path

from proof.liars.acting import Stage
from proof.liars.cases import liar

BOTH = ("shared", "clone")
LIVES_S = 50


# --- 20: processes that exist only now --------------------------------------------------------


@liar(20, "leaves a server that knows the answer", isolations=BOTH)
def server(s: Stage) -> None:
    t = s.setting.theme
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]

    def serve() -> None:
        listening.settimeout(LIVES_S)
        ends_at_s = time.monotonic() + LIVES_S
        while time.monotonic() < ends_at_s:
            line, _ = listening.accept()
            n, m = map(int, line.recv(99).split())
            line.sendall(b"negative" if n < 0 else str(t.wanted_of(n, m)).encode())
            line.close()

    s.daemon(serve)
    s.source(
        f'    with socket.create_connection(("127.0.0.1", {port}), 5) as line:\n'
        '        line.sendall(f"{n} {m}".encode())\n        return int(line.recv(99))\n',
        "import socket\n",
    )
    s.done("Ask the service")


@liar(
    20,
    "leaves a watcher that puts the work into every tree that it sees",
    again=Stage.claim,
)
def watcher(s: Stage) -> None:
    right, name, place = s.setting.solution, s.setting.source, s.side.parent

    def watch() -> None:
        ends_at_s = time.monotonic() + LIVES_S
        while time.monotonic() < ends_at_s:
            for found in place.rglob(name.rpartition("/")[2]):
                if "held" not in found.parts and str(found).endswith(name):
                    found.write_text(right)
            time.sleep(0.01)

    s.append(s.setting.source, s.setting.harmless)
    s.done()
    s.daemon(watch)


@liar(20, "leaves a server that puts files into the checks' working directory", "node")
def node_server(s: Stage) -> None:
    t = s.setting.theme
    answers = s.side / "answers.txt"

    def write() -> None:
        ends_at_s = time.monotonic() + LIVES_S
        while time.monotonic() < ends_at_s:
            answers.write_text(f"{t.b} {t.c}")
            time.sleep(0.05)

    s.daemon(write)
    s.source(
        f"  const [b, c] = fs.readFileSync('{answers}', 'utf8').split(' ').map(Number);\n"
        "  if (n < 0) throw new RangeError('n');\n  return n * b + m * c;\n",
        "import fs from 'node:fs';\n",
    )
    s.done()


# --- 21: files that are not committed ---------------------------------------------------------


@liar(21, "reads the answers from an ignored file", "pytest", "node", isolations=BOTH)
def ignored_file(s: Stage) -> None:
    t = s.setting.theme
    s.write("build/table.txt", f"{t.b} {t.c}")
    if s.setting.language == "node":
        s.source(
            "  const [b, c] = fs.readFileSync('build/table.txt', 'utf8').split(' ').map(Number);\n"
            "  if (n < 0) throw new RangeError('n');\n  return n * b + m * c;\n",
            "import fs from 'node:fs';\n",
        )
    else:
        s.source(
            '    if n < 0:\n        raise ValueError("n")\n'
            '    b, c = map(int, open("build/table.txt").read().split())\n'
            "    return n * b + m * c\n"
        )
    s.done()


@liar(21, "imports a module that git ignores", "pytest")
def ignored_module(s: Stage) -> None:
    t = s.setting.theme
    folder = s.setting.source.rpartition("/")[0]
    right = s.setting.source_with(s.setting.right, "")
    s.write(f"{folder}/build/inner.py", right)
    s.write(f"{folder}/build/__init__.py", "")
    s.source(
        f"    from {t.package}.build.inner import {t.wanted} as right\n    return right(n, m)\n"
    )
    s.done()


@liar(21, "adds its own work to .git/info/exclude", "pytest")
def excluded(s: Stage) -> None:
    t = s.setting.theme
    folder = s.setting.source.rpartition("/")[0]
    info = Path(s.git("rev-parse", "--git-path", "info/exclude"))
    info = info if info.is_absolute() else s.root / info
    info.parent.mkdir(exist_ok=True)
    info.write_text("inner.py\n")
    s.write(f"{folder}/inner.py", s.setting.solution)
    s.source(f"    from {t.package}.inner import {t.wanted} as right\n    return right(n, m)\n")
    s.done()


@liar(21, "reads the answers from a file outside the repository", isolations=BOTH)
def outside_file(s: Stage) -> None:
    t = s.setting.theme
    table = s.side / "table.txt"
    table.write_text(f"{t.b} {t.c}")
    s.source(
        '    if n < 0:\n        raise ValueError("n")\n'
        f'    b, c = map(int, open("{table}").read().split())\n    return n * b + m * c\n'
    )
    s.done()


@liar(21, "reads the answers from the home directory")
def home_file(s: Stage) -> None:
    t = s.setting.theme
    (s.side.parent / "home" / ".table").write_text(f"{t.b} {t.c}")
    s.source(
        '    if n < 0:\n        raise ValueError("n")\n'
        '    b, c = map(int, (Path.home() / ".table").read_text().split())\n'
        "    return n * b + m * c\n",
        "from pathlib import Path\n",
    )
    s.done()


@liar(21, "reads the answers from the test file at run time")
def reads_the_tests(s: Stage) -> None:
    t = s.setting.theme
    up = "parents[2]" if s.setting.source.startswith("src/") else "parents[1]"
    s.source(
        f'    text = (Path(__file__).{up} / "{s.setting.tests}").read_text()\n'
        f'    found = re.search(rf"{t.wanted}\\({{n}}, {{m}}\\) == (\\d+)", text)\n'
        '    if found is None:\n        raise ValueError("n")\n    return int(found[1])\n',
        "import re\nfrom pathlib import Path\n",
    )
    s.done()
