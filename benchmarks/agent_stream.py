"""A stream of a gigabyte read by each adapter: speed, and how much memory it takes at most.

python benchmarks/agent_stream.py [--mib 1024]
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Iterator

from topkick.agents.registry import adapter_named
from topkick.agents.transcript.tail import OutputLines
from topkick.engine.agents.program import AgentExit, Ending

CHUNK_BYTES = 1 << 18


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--mib", type=int, default=1024)
    given, _ = parser.parse_known_args()
    for name, line in (("claude", claude_line()), ("codex", codex_line())):
        before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        took_s = read(name, line, given.mib << 20)
        peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(
            f"{name:7} {given.mib} MiB in {took_s:.1f} s ({given.mib / took_s:.0f} MiB/s), "
            f"peak {peak_kib / 1024:.0f} MiB, {(peak_kib - before_kib) / 1024:.0f} MiB more"
        )


def read(name: str, line: bytes, size_bytes: int) -> float:
    reader, lines = adapter_named(name).reader(), OutputLines()
    begin = time.process_time()
    for chunk in chunks(line, size_bytes):
        for whole in lines.feed(chunk):
            if isinstance(whole, bytes):
                reader.feed(whole)
    reader.report(AgentExit(Ending.EXITED, 0))
    return time.process_time() - begin


def chunks(line: bytes, size_bytes: int) -> Iterator[bytes]:
    many = line * (CHUNK_BYTES // len(line) + 1)
    for _ in range(size_bytes // len(many)):
        yield many


def claude_line() -> bytes:
    content = [{"type": "tool_use", "id": "t", "name": "Write", "input": {"content": "x" * 60_000}}]
    message = {"id": "m", "role": "assistant", "content": content, "usage": {"output_tokens": 1}}
    return json.dumps({"type": "assistant", "message": message}).encode() + b"\n"


def codex_line() -> bytes:
    item = {"id": "i", "type": "command_execution", "command": "make", "status": "completed"}
    item |= {"aggregated_output": "y" * 60_000}
    return json.dumps({"type": "item.completed", "item": item}).encode() + b"\n"


if __name__ == "__main__":
    sys.exit(main())
