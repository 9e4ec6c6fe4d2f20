"""Sessions as they come about: what is asked of the judge, in which order, and who answers what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from judge_world import Player, Reply, World, agent, answered, limited, shell, spec, to_judge

from rig import SETTINGS
from topkick.engine import messages as h
from topkick.engine.agents.budgets import Budget, Budgets
from topkick.engine.agents.program import Ending, Usage
from topkick.engine.settings import OnLimit

FILE = "artifacts/CHECKPOINT-001-report.md"
TWO_WARNINGS = spec(shell("false"), agent(), "artifact-exists | builtin | | process | normal")


@dataclass(frozen=True)
class Play:
    """A world and the actions in it."""

    make: Callable[[], World]
    act: Callable[[World], object] = lambda world: (world.ask(), world.serve())

    def run(self, world: World | None = None) -> World:
        world = world or self.make()
        self.act(world)
        return world


def says(reply: Reply) -> Player:
    return lambda _world, _question: reply


def in_turn(*replies: Reply) -> Player:
    """Reply one after the other, and repeat the last for ever."""
    return lambda world, _question: replies[min(len(world.questions), len(replies)) - 1]


SEEN = answered("pass", "spec/brief.md: read tokens")


def _said(data: object, **more: str) -> Callable[[World], object]:
    return lambda world: (world.say(to_judge(data, **more)), world.serve())


def _twice(world: World) -> None:
    world.ask()
    world.ask()
    world.serve()


def _again(world: World) -> None:
    world.ask()
    world.serve()
    for _ in range(2):
        world.ask()
        world.go_on()
    world.ask("CHECKPOINT-001-R2")
    world.go_on()


def _errors(world: World) -> None:
    world.serve()
    for _ in range(4):
        world.say(to_judge({"content": "How are you?"}))
        world.go_on()
    world.ask()
    world.go_on()


def _shutdown(world: World) -> None:
    world.ask()
    world.serve()
    world.say(to_judge({"type": "shutdown_request", "request_id": "r-77"}, type_="message"))
    world.go_on()


def _anew(world: World) -> None:
    """Serve again after the end: the judge begins anew and reads the bus from its beginning."""
    _shutdown(world)
    world.lose_journal()
    world.serve()


def _lost_journal(world: World) -> None:
    world.ask()
    world.serve()
    world.ask("CHECKPOINT-001-R2")
    world.lose_journal()
    world.serve(recovery=True)


def _serve_twice(world: World) -> None:
    world.ask()
    world.serve()
    world.serve()


def _another_spec(world: World) -> None:
    """Restart the judge with other checks while a question of the first checks is open."""
    world.ask()
    world.serve()
    world.spec = spec(shell("true"))
    world.serve(recovery=True)


def _stands_there(world: World) -> None:
    """Another file is where the report should be; it is removed before a second request."""
    world.ask()
    world.serve()
    del world.files[FILE]
    world.ask()
    world.go_on()


def _only_one(world: World) -> None:
    """There for one request, with an old wish that it may end before it."""
    world.say(to_judge({"request_id": "old"}, type_="shutdown_request"))
    world.ask("CHECKPOINT-009")
    world.ask()
    world.asked_once = "CHECKPOINT-001"
    world.serve()


def stopped(*how: h.Command) -> Callable[[], World]:
    given = [h.CommandGiven(command) for command in how]
    told = [lambda _run, fact=fact: fact for fact in given]
    return lambda: World(spec(agent()), play=says(SEEN), meanwhile=[*told])


def spends(share: float) -> Callable[[], World]:
    """So much of its budget, in its first question of two."""

    def spent(run_id: str) -> h.Fact:
        return h.AgentSpent(run_id, Usage(turns=1, cost_microusd=round(share * 1_000_000)))

    settings = replace(SETTINGS, budgets=Budgets(run=Budget(usd=1.0)))
    asked = spec(agent(), agent("Is it short?", "short"))
    return lambda: World(asked, play=says(SEEN), settings=settings, meanwhile=[spent])


def warns() -> World:
    return World(
        TWO_WARNINGS, play=says(answered("warn", "spec/brief.md: vague")), codes={"false": 1}
    )


def asks(reply: Player) -> Callable[[], World]:
    return lambda: World(spec(agent()), play=reply)


def limited_for(world: World, _question: str) -> Reply:
    return limited(world.rig.at_us + 60_000_000) if len(world.questions) == 1 else SEEN


PLAYS: Mapping[str, Play] = MappingProxyType(
    {
        "ready": Play(World, lambda world: world.serve()),
        "request-and-report": Play(World),
        "json-request": Play(World, _said({"task_id": "CHECKPOINT-001", "scope": ["DRAFT-001"]})),
        "unreadable": Play(World, _said({"content": "Is anybody there?"}, summary="Hello")),
        "unknown-checkpoint": Play(World, lambda w: (w.ask("CHECKPOINT-009"), w.serve())),
        "no-checkpoint": Play(World, lambda w: (w.ask("DRAFT-001"), w.serve())),
        "duplicate-request": Play(World, _twice),
        "judged-before": Play(World, _again),
        "warn-with-risks": Play(warns),
        "block": Play(lambda: World(spec(shell("false", severity="critical")), codes={"false": 1})),
        "commands": Play(
            lambda: World(
                spec(shell("true", "a"), shell("false", "b"), shell("nobody", "c")),
                codes={"false": 1, "nobody": 127},
            )
        ),
        "agent-with-evidence": Play(asks(says(SEEN))),
        "agent-without-evidence": Play(asks(says(answered("pass")))),
        "agent-malformed": Play(asks(says(Reply("It is fine, I think.")))),
        "agent-cannot-start": Play(
            asks(says(Reply(code=None, how=Ending.CANNOT_START, detail="no such file")))
        ),
        "agent-lost": Play(asks(in_turn(Reply(code=None, how=Ending.LOST), SEEN))),
        "usage-limit": Play(asks(limited_for)),
        "usage-limit-to-be-asked": Play(
            lambda: World(
                spec(agent()),
                play=limited_for,
                settings=replace(SETTINGS, on_limit=OnLimit.ASK),
            )
        ),
        "third-error": Play(World, _errors),
        "shutdown": Play(World, _shutdown),
        "served-anew": Play(World, _anew),
        "stopped-by-force": Play(stopped(h.Stop(force=True)), _serve_twice),
        "stopped-and-drained": Play(stopped(h.Stop()), _serve_twice),
        "another-role-spec": Play(stopped(h.Stop(force=True)), _another_spec),
        "no-report-in-its-place": Play(lambda: World(files={FILE: "Mine.\n"}), _stands_there),
        "only-one": Play(World, _only_one),
        "budget-spent": Play(spends(1.0)),
        "far-too-much-spent": Play(spends(1.2)),
        "journal-deleted": Play(warns, _lost_journal),
        "no-room-for-the-report": Play(lambda: World(full={FILE: 4})),
        "no-room-on-the-bus": Play(lambda: World(full={"bus": 5})),
    }
)
