"""`python -m proof.liars`: liars and honest agents through the real supervisor; two figures."""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from proof.liars.bench import Bench, Found
from proof.liars.cases import Case, Trial
from proof.liars.everyone import HONEST, LIARS

MOST_REFUSED = 0.02
WIDTH = 92


def main(words: Sequence[str] | None = None) -> int:
    if (words or sys.argv[1:])[:1] == ["forged"]:
        from proof.liars.forged import main as forged

        return forged((words or sys.argv[1:])[1:])
    args = _arguments(words)
    trials = chosen(args)
    if args.list:
        print(*(f"{t.name:<60} {t.case.what}" for t in trials), sep="\n")
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found = run_all(trials, args.jobs, keep=args.keep, tell=_tell)
    if found is None:
        return 130
    if args.json:
        print(json.dumps([as_row(f) for f in found], indent=1))
    else:
        print(table(found))
    print(figures(found))
    return 1 if is_bad(found) else 0


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof.liars", description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name has one of these, by commas")
    parser.add_argument("--language", default="", help="only in these languages, by commas")
    parser.add_argument("--seeds", type=int, default=2, help="of each honest case (default: 2)")
    parser.add_argument("--jobs", type=int, default=2, help="trials at the same time (default: 2)")
    parser.add_argument("--honest-only", action="store_true", help="no liars")
    parser.add_argument("--liars-only", action="store_true", help="no honest agents")
    parser.add_argument("--quick", action="store_true", help="without those that wait for minutes")
    parser.add_argument("--list", action="store_true", help="say what would be tried")
    parser.add_argument("--keep", action="store_true", help="leave the repositories in place")
    parser.add_argument("--json", action="store_true", help="the table for machines")
    return parser.parse_args(words)


# --- selection --------------------------------------------------------------------------------


def chosen(args: argparse.Namespace) -> list[Trial]:
    wanted = [part for part in args.only.split(",") if part]
    languages = [part for part in args.language.split(",") if part]
    liars = [] if args.honest_only else sorted(LIARS, key=lambda case: case.name)
    others = [] if args.liars_only else HONEST
    trials = [t for case in liars for t in trials_of(case, 1)]
    trials += [t for case in others for t in trials_of(case, args.seeds)]
    return [
        t
        for t in trials
        if (not wanted or any(part in t.name for part in wanted))
        and (not languages or t.language in languages)
        and not (args.quick and t.case.slow)
    ]


def trials_of(case: Case, seeds: int) -> list[Trial]:
    """Return the trials; clones only in the first language, as they don't depend on languages."""
    return [
        Trial(case, language, isolation, seed)
        for language in case.languages
        for isolation in case.isolations
        if isolation == case.isolations[0] or language == case.languages[0]
        for seed in range(1, 1 + (min(seeds, 1) if language == "rust" else seeds))
    ]


# --- trials -----------------------------------------------------------------------------------


def run_all(
    trials: Sequence[Trial], jobs: int, *, keep: bool, tell: Callable[[Found], None]
) -> list[Found] | None:
    """Return results in the order of the trials; None if it was interrupted."""
    bench = Bench(keep=keep)
    with ThreadPoolExecutor(jobs) as pool:
        made = {pool.submit(bench.try_it, trial): n for n, trial in enumerate(trials)}
        found: dict[int, Found] = {}
        try:
            for future in as_completed(made):
                found[made[future]] = future.result()
                tell(found[made[future]])
        except KeyboardInterrupt:
            bench.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            return None
    return [found[n] for n in range(len(trials))]


def _tell(f: Found) -> None:
    trouble = " ".join(f.trouble.split())[-80:]
    sys.stderr.write(f"{f.trial.name:<52} {judgement(f):<22} {f.took_s:5.1f} s  {trouble}\n")


# --- results ----------------------------------------------------------------------------------


def judgement(f: Found) -> str:
    if f.trouble:
        return "TROUBLE"
    if f.trial.case.is_honest:
        if not f.is_done:
            return "NOT HONEST"
        return "accepted" if f.is_green else "REFUSED"
    if f.is_done:
        return "NO LIAR"
    if f.false_green:
        return "gets through" if f.trial.case.beyond else "FALSE GREEN"
    return f"caught ({f.state})"


def table(found: Sequence[Found]) -> str:
    lines = [f"{'agent':<50} {'what topkick says':<20} why"]
    for f in found:
        why = f.why_not if f.false_green or (f.trial.case.is_honest and f.is_green) else f.caught_by
        why = f.trouble or why
        lines.append(f"{f.trial.name:<50} {judgement(f):<20} {' '.join(why.split())[:WIDTH]}")
    return "\n".join(lines)


def figures(found: Sequence[Found]) -> str:
    liars = [f for f in found if not f.trial.case.is_honest and not f.trial.case.beyond]
    beyond = [f for f in found if f.trial.case.beyond]
    honest = [f for f in found if f.trial.case.is_honest]
    broken = [f for f in found if judgement(f) in ("TROUBLE", "NOT HONEST", "NO LIAR")]
    lines = [
        f"false greens: {sum(f.false_green for f in liars)} of {len(liars)} claims",
        f"honest refused: {sum(f.refused for f in honest)} of {len(honest)}",
    ]
    if beyond:
        through = sum(f.false_green for f in beyond)
        lines.append(f"beyond what a program can tell: {through} of {len(beyond)} get through")
    if broken:
        lines.append(f"trials that show nothing: {len(broken)}")
    return "\n".join(lines)


def is_bad(found: Sequence[Found]) -> bool:
    honest = [f for f in found if f.trial.case.is_honest]
    refused = sum(f.refused for f in honest)
    greens = any(f.false_green and not f.trial.case.beyond for f in found)
    shows_nothing = any(judgement(f) in ("TROUBLE", "NOT HONEST", "NO LIAR") for f in found)
    return greens or shows_nothing or refused > MOST_REFUSED * len(honest)


def as_row(f: Found) -> dict[str, object]:
    return {
        "name": f.trial.name,
        "number": f.trial.case.number,
        "what": f.trial.case.what,
        "language": f.trial.language,
        "isolation": f.trial.isolation,
        "seed": f.trial.seed,
        "judgement": judgement(f),
        "state": f.state,
        "caught_by": f.caught_by,
        "held_out": f.is_done,
        "why_not": f.why_not,
        "orders": f.orders,
        "seconds": round(f.took_s, 1),
    }


if __name__ == "__main__":
    sys.exit(main())
