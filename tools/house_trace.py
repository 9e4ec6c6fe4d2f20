"""Record which files of a tree a process runs. `house_runs.py` copies this file into the
site-packages of a throw-away environment, whose .pth file imports it in every process.

A line is the time in hundredths of a second, `load` or `run`, and the file. One line is written
the first time a file is used in such a hundredth, so a process that is killed loses nothing.
"""

import os
import sys
import threading
import time
from pathlib import Path
from types import CodeType, FrameType

HERE = Path(__file__).resolve().parent
SOURCE = (HERE / "house_trace.source").read_text() if HERE.name == "site-packages" else ""
TICKS_PER_S = 100

_seen: set[tuple[int, str, str]] = set()
_loading: list[
    CodeType
] = []  # modules that are being imported: what they call meanwhile is loading


def record(frame: FrameType, event: str, _argument: object) -> None:
    code = frame.f_code
    if not code.co_filename.startswith(SOURCE):
        return
    file = code.co_filename[len(SOURCE) :]
    if code.co_name == "<module>":
        follow_import(code, event, file)
    elif event == "call" and not _loading:
        write("run", file)


def follow_import(code: CodeType, event: str, file: str) -> None:
    if event == "call":
        write("load", file)
        if not file.endswith("/__main__.py"):  # it is on the stack until the program ends
            _loading.append(code)
    elif event == "return" and code in _loading:
        _loading.remove(code)


def write(how: str, file: str) -> None:
    key = (int(time.time() * TICKS_PER_S), how, file)
    if key not in _seen:
        _seen.add(key)
        with (HERE / "house_trace.d" / str(os.getpid())).open("a") as lines:
            lines.write(f"{key[0]} {how} {file}\n")


if SOURCE:
    threading.setprofile(record)
    sys.setprofile(record)
