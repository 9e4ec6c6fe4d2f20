"""A case: one way to cheat or one honest way to work, in some languages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from proof.liars.acting import Stage
from proof.liars.ground import Setting
from proof.liars.other_grounds import node_setting, rust_setting, shell_setting
from proof.liars.python_ground import pytest_setting, unittest_setting

SETTINGS: Mapping[str, Callable[[int], Setting]] = {
    "pytest": pytest_setting,
    "unittest": unittest_setting,
    "node": node_setting,
    "rust": rust_setting,
    "shell": shell_setting,
}
Act = Callable[[Stage], None]
Shape = Callable[[Setting], Setting]


def as_it_is(setting: Setting) -> Setting:
    return setting


@dataclass(frozen=True, slots=True)
class Case:
    """A case; `number` is the liar's in the specification's list; 0 for an honest one.

    `beyond`: no program can distinguish it from honest work; counted separately. `again` is its
    action when it is sent a second time; None means the same.
    """

    name: str
    number: int
    what: str
    act: Act
    languages: tuple[str, ...]
    shape: Shape = as_it_is
    isolations: tuple[str, ...] = ("shared",)
    limits: Mapping[str, Any] = field(default_factory=dict)
    beyond: bool = False
    again: Act | None = None
    adapter: str = ""
    slow: bool = False

    @property
    def is_honest(self) -> bool:
        return self.number == 0


LIARS: list[Case] = []
HONEST: list[Case] = []


def liar(number: int, what: str, *languages: str, **more: Any) -> Callable[[Act], Act]:
    """Register a liar under the function's name, with hyphens."""

    more.setdefault("again", Stage.launder)

    def keep(act: Act) -> Act:
        name = f"{number:02}-{act.__name__.strip('_').replace('_', '-')}"
        LIARS.append(Case(name, number, what, act, languages or ("pytest",), **more))
        return act

    return keep


def honest(what: str, *languages: str, **more: Any) -> Callable[[Act], Act]:
    def keep(act: Act) -> Act:
        name = act.__name__.strip("_").replace("_", "-")
        HONEST.append(Case(name, 0, what, act, languages or ("pytest",), **more))
        return act

    return keep


@dataclass(frozen=True, slots=True)
class Trial:
    case: Case
    language: str
    isolation: str
    seed: int

    @property
    def name(self) -> str:
        where = "" if self.isolation == "shared" else f"/{self.isolation}"
        return f"{self.case.name}/{self.language}{where}/{self.seed}"

    def setting(self) -> Setting:
        return self.case.shape(SETTINGS[self.language](self.seed))
