"""The scenarios in which the work of several units is built together."""

from proof.crash.steps import (
    START,
    Agree,
    AgreeToAll,
    Done,
    Look,
    Open,
    Part,
    Scenario,
    Supervise,
    part,
)

_BUILD = """\
echo "$PPID $$ $*" >> "$HOME/../witness/builds"
setsid -f sleep 50
for wanted in "$@"; do test -f "$wanted" || { echo "no $wanted"; exit 1; }; done
test ! -f b/broken.txt -o -f b/mended.txt
"""
"""A build that leaves a detached child behind, and fails with b's work until it is repaired."""

FILES = {"build.sh": _BUILD}
COMMAND = 'command = "sh build.sh"'
BOTH = 'command = "sh build.sh a/done-1.txt b/done-1.txt"'
BROKEN = Part(("test -f b/done-1.txt",), ("commit broken.txt", "commit done-1.txt"))


def _held(unit: str) -> Part:
    done = f"{unit}/done-1.txt"
    return Part((f"test -f {done}", f"sh build.sh {done}"), ("commit done-1.txt",))


GATED = (
    Scenario(
        "build-gate",
        {"a": (part("a", 1),), "b": (part("b", 1),)},
        (Look(), Supervise(START), Done(), Look(same=True)),
        isolated=True,
        gate=BOTH,
        files=FILES,
    ),
    Scenario(
        "gate-repair",
        {"a": (part("a", 1),), "b": (BROKEN,)},
        (Look(), Supervise(START), Done(), Look(same=True)),
        isolated=True,
        generated={"b.repair-1": ("commit mended.txt",)},
        gate=COMMAND,
        files=FILES,
    ),
    Scenario(
        "gate-shared",
        {"a": (_held("a"),), "b": (_held("b"),)},
        (Supervise(START), Done()),
        files=FILES,
    ),
    Scenario(
        "clearance",
        {"a": (part("a", 1),), "b": (part("b", 1),)},
        (Look(), Supervise(START), Done(), Look(same=True)),
        needs={"b": "a"},
        isolated=True,
        verify={"a": "sh build.sh a/done-1.txt"},
        files=FILES,
    ),
    Scenario(
        "gate-ask",
        {"a": (part("a", 1),), "b": (part("b", 1, "wait gate"),), "c": (part("c", 1),)},
        (
            Look(),
            Supervise(START),
            Agree(aimed=True),
            Open("gate"),
            AgreeToAll(),
            Look(same=True),
        ),
        needs={"c": "a"},
        isolated=True,
        gate=f'mode = "ask"\n{COMMAND}',
        files=FILES,
    ),
)
