"""A plan of 10,000 sprints prioritised, beside the reading that every command does first.

python benchmarks/refining.py [--sprints 10000]
"""

import argparse

from plan import plan_of, timed

from topkick.engine.codec.gc_pause import without_collecting
from topkick.plan_format.document import read
from topkick.planning.refinement.priorities import prioritized


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sprints", type=int, default=10_000)
    given, _ = parser.parse_known_args()
    text = plan_of(given.sprints)
    with without_collecting():
        read_s, reading = timed(lambda: read(text, default_name="plan"))
        order_s, done = timed(lambda: prioritized(text, reading))
    assert len(done.ranked) == given.sprints
    print(f"{given.sprints} sprints: read {read_s:.2f} s, prioritised {order_s:.2f} s")
    print(
        f"together {read_s + order_s:.2f} s; prioritising costs {order_s / read_s:.2f} of reading"
    )


if __name__ == "__main__":
    main()
