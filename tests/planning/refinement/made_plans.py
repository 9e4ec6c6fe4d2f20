"""Plans for tests: units, sprints, what they wait for and what they write, drawn by Hypothesis."""

from dataclasses import dataclass

from hypothesis import strategies as st

ENDS = ("\n", "\r\n")


@dataclass(frozen=True)
class MadeSprint:
    name: str
    after: tuple[int, ...] | None  # places of earlier sprints of its unit; None: it is silent
    files: tuple[str, ...]
    tasks: int
    prose: bool


@dataclass(frozen=True)
class MadeUnit:
    name: str
    waits_for: tuple[int, ...] | None  # places of earlier units; None: nothing is stated
    layer: int
    sprints: tuple[MadeSprint, ...]


@dataclass(frozen=True)
class MadePlan:
    units: tuple[MadeUnit, ...]
    style: str  # how sprints are numbered: "plan", "unit", "letters"
    end: str
    rule: bool  # whether blocks are parted by rules

    def id_of(self, unit: int, sprint: int) -> str:
        if self.style == "letters":
            return f"U{unit}.S{sprint + 1}"
        if self.style == "unit":
            return str(sprint + 1)
        return str(sum(len(one.sprints) for one in self.units[:unit]) + sprint + 1)

    def text(self) -> str:
        lines = ["# EXECUTION_PLAN.md — Made", "", "## Work Units", ""]
        lines += [
            "| Work Unit | Directory | Sprints | Layer | Dependencies |",
            "|---|---|---|---|---|",
        ]
        for n, unit in enumerate(self.units):
            said = "" if unit.waits_for is None else "none"
            if unit.waits_for:
                said = ", ".join(self.units[other].name for other in unit.waits_for)
            lines.append(f"| {unit.name} | d{n} | {len(unit.sprints)} | {unit.layer} | {said} |")
        for n, unit in enumerate(self.units):
            lines += ["", f"## {unit.name}", ""]
            for k, sprint in enumerate(unit.sprints):
                lines += self._sprint(n, k, sprint)
        return self.end.join([*lines, ""])

    def _sprint(self, unit: int, at: int, sprint: MadeSprint) -> list[str]:
        lines = [f"### Sprint {self.id_of(unit, at)}: {sprint.name}", ""]
        if sprint.prose:
            lines += [f"This is what Sprint {self.id_of(unit, 0)} is for.", ""]
        if sprint.after is not None:
            lines += ["**Entry criteria**:"]
            lines += [f"- [ ] Sprint {self.id_of(unit, b)} complete" for b in sprint.after]
            lines += [] if sprint.after else ["- [ ] First sprint — no prerequisites"]
            lines += [""]
        lines += ["**Tasks**:", *(f"{t + 1}. Tidy room {t}" for t in range(sprint.tasks))]
        lines += [f"{sprint.tasks + 1}. Write {' and '.join(f'`{f}`' for f in sprint.files)}"]
        lines += ["", "**Exit criteria**:", f"- [ ] File exists: `{sprint.files[0]}`", ""]
        return [*lines, "---", ""] if self.rule else lines


WORDS = ("parser", "types", "API client", "config", "printer", "network", "page", "interfaces")


@st.composite
def plans(draw: st.DrawFn) -> MadePlan:
    units: list[MadeUnit] = []
    for n in range(draw(st.integers(1, 4))):
        waits = draw(
            st.one_of(st.none(), st.lists(st.integers(0, n - 1), unique=True) if n else st.just([]))
        )
        sprints: list[MadeSprint] = []
        for k in range(draw(st.integers(1, 6))):
            after = draw(
                st.one_of(
                    st.none(),
                    st.lists(st.integers(0, k - 1), unique=True, max_size=2) if k else st.just([]),
                )
            )
            word = draw(st.sampled_from(WORDS))
            files = draw(
                st.lists(
                    st.sampled_from([f"d{n}/f{i}.py" for i in range(8)]),
                    min_size=1,
                    max_size=3,
                    unique=True,
                )
            )
            sprints.append(
                MadeSprint(
                    f"{word} {n}-{k}",
                    None if after is None else tuple(after),
                    tuple(files),
                    draw(st.integers(0, 8)),
                    draw(st.booleans()),
                )
            )
        units.append(
            MadeUnit(
                f"Unit{'ABCD'[n]}",
                None if waits is None else tuple(waits),
                draw(st.integers(0, 4)),
                tuple(sprints),
            )
        )
    return MadePlan(
        tuple(units),
        draw(st.sampled_from(["plan", "unit", "letters"])),
        draw(st.sampled_from(ENDS)),
        draw(st.booleans()),
    )
