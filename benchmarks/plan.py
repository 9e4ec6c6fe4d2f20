"""A plan of 10,000 sprints read and shown, beside the Markdown parser alone.

python benchmarks/plan.py [--sprints 10000]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt

from topkick.engine.agents.program import AgentProgram
from topkick.engine.codec.gc_pause import without_collecting
from topkick.engine.settings import Settings
from topkick.plan_format.document import read
from topkick.sprint.run.load_plan import imagined
from topkick.sprint.start import plan_json, plan_page

UNITS = 100
SPRINT = """\
### Sprint {n}: Part {n} of the work

This part keeps what the one before it has found and hands it on in the form that the design
lays down. It must stay readable by the release before, so old records are brought up to date when
they are read and never rewritten in place; the reasons are in the design, section {n}.

**Entry criteria**: Sprint {before} complete

**Tasks**:
1. Create `src/part_{n}.py` with the class that the design describes for this part
2. Give it a test for every public method, and one for each error it can raise

**Exit criteria**:
- [ ] `pytest tests/test_part_{n}.py` passes
- [ ] File exists: `src/part_{n}.py`
- [ ] `grep -c 'def test' tests/test_part_{n}.py` returns ≥ 3
- [ ] The names read well

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sprints", type=int, default=10_000)
    given, _ = parser.parse_known_args()
    text = plan_of(given.sprints)
    size = len(text.encode()) / (1 << 20)
    with without_collecting():
        alone_s, _ = timed(lambda: MarkdownIt("commonmark").enable("table").parse(text))
    with without_collecting():
        read_s, reading = timed(lambda: read(text, default_name="plan"))
    assert sum(len(unit.sprints) for unit in reading.plan.units) == given.sprints
    mission = imagined(reading.plan, Settings(AgentProgram("none", ("true",))))
    show_s, _ = timed(lambda: plan_page.shortened(plan_page.page(mission, reading)))
    json_s, _ = timed(lambda: plan_json.as_json(mission, reading))
    print(f"{given.sprints} sprints, {size:.1f} MiB")
    print(f"read   {read_s:6.2f} s  {size / read_s:5.2f} MiB/s")
    print(f"shown  {show_s:6.2f} s, as JSON {json_s:.2f} s")
    ratio = read_s / alone_s
    print(f"markdown-it-py alone, with inline: {alone_s:.2f} s; reading costs {ratio:.2f} of that")


def plan_of(sprints: int) -> str:
    rows = "".join(f"| Unit {u} | . | {sprints // UNITS} | {u % 5} | |\n" for u in range(UNITS))
    table = "| Work Unit | Directory | Sprints | Layer | Dependencies |\n|-|-|-|-|-|\n" + rows
    units = (
        f"## Unit {u}\n\n"
        + "".join(
            SPRINT.format(n=n, before=n - 1 if n % (sprints // UNITS) else n)
            for n in range(u * (sprints // UNITS), (u + 1) * (sprints // UNITS))
        )
        for u in range(UNITS)
    )
    return f"# Large\n\n{table}\n" + "".join(units)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The least CPU time of three runs."""
    best, result = float("inf"), None
    for _ in range(3):
        begin = time.process_time()
        result = work()
        best = min(best, time.process_time() - begin)
    return best, result


if __name__ == "__main__":
    main()
