"""`python -m proof.packages`: five packages in five repositories, to the end and reconciled."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from proof.packages.layout import SMALL, WHOLE, make
from proof.packages.looking import wrong_with


def main() -> int:
    read = argparse.ArgumentParser(prog="python -m proof.packages", description=__doc__)
    read.add_argument("--small", action="store_true", help="7 sprints instead of 58")
    read.add_argument("--keep", metavar="DIR", type=Path, help="make it there and leave it there")
    asked = read.parse_args()
    with tempfile.TemporaryDirectory(prefix="topkick-packages-") as temporary:
        place = asked.keep or Path(temporary)
        made = make(place, SMALL if asked.small else WHOLE)
        began_s = time.monotonic()
        done = made.run("start", "--yes", "--foreground", timeout_s=3600)
        took_s = time.monotonic() - began_s
        sys.stdout.write("\n".join(done.stdout.splitlines()[-12:]) + "\n" + done.stderr)
        found = wrong_with(made, done)
    for line in found:
        print(f"WRONG: {line}")
    sprints = sum(made.sprints.values())
    print(f"{sprints} planned sprints in {len(made.sprints)} repositories: {took_s:.0f} s, "
          f"{len(found)} things wrong")  # fmt: skip
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
