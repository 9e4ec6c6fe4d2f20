"""`python -m proof.output`: floods and nasty text through the whole program, measured."""

import argparse
import sys
import tempfile
from pathlib import Path

from proof.output.flood import MEMORY_LIMIT_MIB, Flood, run_floods
from proof.output.nasty import NASTY, offences
from proof.output.screens import Screens


def main() -> int:
    options = _parser().parse_args()
    lines_bytes = int(options.gigabytes * (1 << 30))
    try:
        with tempfile.TemporaryDirectory(prefix="proof-") as place:
            sys.stderr.write(f"{options.gigabytes:g} GiB in lines, {options.line_mib} MiB in one\n")
            floods = run_floods(Path(place), lines_bytes, options.line_mib << 20)
            sys.stdout.writelines(f"{flood.line()}\n" for flood in floods)
            sys.stdout.flush()
        with tempfile.TemporaryDirectory(prefix="proof-") as place:
            sys.stderr.write("nasty text on every screen\n")
            troubles = _screens(Path(place))
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted; nothing was left running\n")
        return 130
    return _tell(floods, troubles)


def _screens(place: Path) -> list[str]:
    screens = Screens(place)
    try:
        screens.make()
        screens.drive()
    finally:
        left = screens.close()
    troubles = [f"{what}: {text}" for what, found in screens.seen.items() for text in found]
    if not offences(screens.raw):
        troubles.append("the judge sees nothing in raw output either")
    sys.stdout.write(f"{len(NASTY)} kinds of nasty text on {len(screens.seen)} screens\n")
    return [*troubles, *(f"still alive: {text}" for text in left)]


def _tell(floods: list[Flood], troubles: list[str]) -> int:
    troubles += [text for flood in floods for text in flood.troubles]
    for text in troubles[:40]:
        sys.stdout.write(f"  {text}\n")
    peak = max(mib for flood in floods for mib in flood.peaks_mib.values())
    printed = sum(flood.printed_bytes for flood in floods) / (1 << 30)
    sys.stdout.write(
        f"{printed:.2f} GiB printed, peak {peak:.0f} MiB (limit {MEMORY_LIMIT_MIB:.0f}), "
        f"{len(troubles)} troubles\n"
    )
    return 1 if troubles else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m proof.output", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=0.3, help="how much in lines")
    parser.add_argument("--line-mib", type=int, default=1024, help="how long the one line is")
    return parser


if __name__ == "__main__":
    sys.exit(main())
