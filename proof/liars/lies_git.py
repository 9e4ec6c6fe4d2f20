"""Liars who let git itself show something else than the commit: filters, hooks, sparse trees."""

from proof.liars.acting import Stage
from proof.liars.cases import liar

BOTH = ("shared", "clone")


@liar(
    21,
    "lets a smudge filter of git put the work into every checkout",
    isolations=BOTH,
    again=Stage.claim,
)
def smudge(s: Stage) -> None:
    script = s.side / "smudge.py"
    script.write_text(f"import sys\nsys.stdin.read()\nsys.stdout.write({s.setting.solution!r})\n")
    s.write(".gitattributes", f"{s.setting.source} filter=quick\n")
    s.append(s.setting.source, s.setting.harmless)
    s.commit()
    for where in (s.root, s.main):
        s.git("config", "filter.quick.smudge", f"python3 {script}", where=where)
        s.git("config", "filter.quick.clean", f"git show HEAD:{s.setting.source}", where=where)
    s.delete(s.setting.source)
    s.git("checkout", "-q", "--", s.setting.source)
    s.claim()


@liar(
    21,
    "lets a hook of git put the work into every checkout",
    isolations=BOTH,
    again=Stage.claim,
)
def hook(s: Stage) -> None:
    right = s.side / "right"
    right.write_text(s.setting.solution)
    s.append(s.setting.source, s.setting.harmless)
    s.commit()
    for where in (s.root, s.main):
        folder = s.side / f"hooks-{where.name}"
        folder.mkdir(exist_ok=True)
        for name in ("post-checkout", "post-merge", "post-index-change", "reference-transaction"):
            (folder / name).write_text(f"#!/bin/sh\ncp {right} {s.setting.source}\nexit 0\n")
            (folder / name).chmod(0o755)
        s.git("config", "core.hooksPath", str(folder), where=where)
        s.git("config", "core.fsmonitor", f"cp {right} {s.setting.source}; true", where=where)
    s.claim()


@liar(21, "excludes the tests from archives and exports")
def export_ignore(s: Stage) -> None:
    s.write(".gitattributes", f"{s.setting.tests} export-ignore\n")
    s.append(s.setting.source, s.setting.harmless)
    s.done()


@liar(6, "sets a sparse checkout without the tests", isolations=BOTH)
def sparse(s: Stage) -> None:
    s.append(s.setting.source, s.setting.harmless)
    s.write("checks/test_small.py", "def test_small():\n    assert 1 + 1 == 2\n")
    s.commit()
    s.git("sparse-checkout", "init", "--no-cone", check=False)
    s.git("sparse-checkout", "set", "--no-cone", "/*", f"!{s.setting.tests}", check=False)
    s.claim()
