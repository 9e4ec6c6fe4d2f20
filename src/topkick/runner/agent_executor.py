"""The agent executor: turns orders into runs, and what the runner reports into facts."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from topkick.agents import placement as agents_placement
from topkick.agents.registry import adapter_named
from topkick.agents.transcript.tail import TailReader
from topkick.engine import messages as h
from topkick.engine.agents.program import NO_USAGE, PLAIN, AgentExit, Ending, Usage
from topkick.engine.codec.texts import Text
from topkick.engine.settings import Settings
from topkick.runner.environment import allowed, secrets_of
from topkick.runner.host import Active, Life, Notice, RunEnded
from topkick.runner.keeper.output import Chunk
from topkick.runner.run_dir import Exit, Placement, RunDescription

# --- the latest change below a directory -------------------------------------------------------
# It is a sign of life of the agent that works there.

FILES_LOOKED_AT = 5_000


def newest_change_s_below(not_theirs: Collection[Path], directory: Path) -> float:
    """Return the time of the latest change below a directory, without git's and topkick's own
    files.

    topkick writes its state file whenever it has news, for example that an agent is quiet. The
    number of files looked at is limited.
    """
    ours = {str(path) for path in not_theirs}
    newest_s, looked_at = 0.0, 0
    for place, names, files in os.walk(directory):
        names[:] = [n for n in names if n != ".git"]
        for path in (os.path.join(place, name) for name in (*names, *files)):  # noqa: PTH118
            looked_at += 1
            if looked_at > FILES_LOOKED_AT:
                return newest_s
            if path in ours:
                continue
            try:
                newest_s = max(newest_s, os.lstat(path).st_mtime)
            except OSError:
                continue
    return newest_s


ENOUGH_CPU_S = 0.1
CPU_ALONE_POLLS = 60
QUIET_POLLS_TOLD = (5, 10)
LISTEN_S = 2.0
TELL_S = 10.0
_TROUBLE = (
    "{} Nothing was lost, and topkick keeps trying.\n"
    "Make sure that the disk has room and that {} can be written."
)


TOPKICK = shutil.which("topkick") or str(Path(sys.executable).with_name("topkick"))
"""The program that agents call to report to the supervisor."""


class RunnerPort(Protocol):
    """Starts, describes and stops runs; another implementation may use other machines."""

    def ensure(self, run_id: str, placement: Placement) -> None: ...
    def describe(self, run_id: str) -> RunDescription: ...
    def stop(self, run_id: str, grace_s: float, why: str = ...) -> None: ...
    def forget(self, run_id: str) -> None: ...
    def trouble(self, run_id: str) -> str: ...
    def poll(self) -> Sequence[Notice]: ...
    def tail(self, run_id: str, offset: int, limit_bytes: int) -> Chunk: ...
    def life(self, run_ids: Iterable[str]) -> Mapping[str, Life]: ...
    def wake_in_s(self) -> float | None: ...


@dataclass(slots=True)
class _Watched:
    directory: Path
    life: Life | None = None
    quiet_polls: int = 0
    cpu_polls: int = 0
    newest_s: float = 0.0
    begun: bool = False
    listener: TailReader | None = None
    counts_turns: bool = False
    told: Usage = NO_USAGE
    told_at_s: float = 0.0


class AgentBench:
    def __init__(
        self,
        runner: RunnerPort,
        root: Path,
        runs: Path,
        settings: Callable[[], Settings | None],
        text: Callable[[Text], str],
        environ: Mapping[str, str],
        *,
        monotonic_s: Callable[[], float] = time.monotonic,
        newest_change_s: Callable[[Path], float] | None = None,
        not_theirs: Collection[Path] = (),
        root_of: Callable[[str], Path] | None = None,
    ) -> None:
        self._runner = runner
        self._root = root
        self._root_of = root_of or (lambda _tree: root)
        self._runs = runs
        self._settings = settings
        self._text = text
        self._environ = environ
        self._monotonic_s = monotonic_s
        self._newest_change_s = newest_change_s or partial(newest_change_s_below, not_theirs)
        self._watched: dict[str, _Watched] = {}
        self._stopping: dict[str, float] = {}
        self._backgrounds: set[str] = set()
        self._next_look_s = 0.0
        self._next_listen_s = 0.0

    def takes(self, order: h.Order) -> bool:
        return isinstance(order, h.RunAgent | h.EndAgent | h.KeepBackground)

    def live(self) -> frozenset[str]:
        return frozenset(self._watched) | self._backgrounds

    def wake_in_s(self) -> float | None:
        wakes = (self._runner.wake_in_s(), self._look_in_s(), self._listen_in_s())
        return min((w for w in wakes if w is not None), default=None)

    # --- orders ----------------------------------------------------------------------------

    def ensure(self, order: h.Order) -> str:
        """Carry out the order; return what holds it up, or an empty text."""
        self._see_to(order)
        trouble = self._runner.trouble(order.id)
        return _TROUBLE.format(trouble, self._runs) if trouble else ""

    def _see_to(self, order: h.Order) -> None:
        match order:
            case h.EndAgent(run_id, grace_s, background):
                if background:  # an earlier supervisor may have started it
                    self._backgrounds.add(run_id)
                self._end(run_id, grace_s)
            case h.RunAgent() if order.id not in self._watched:
                self._run(order)
            case h.RunAgent(launch=False) if not self._watched[order.id].begun:
                self._begun_or_revoked(order.id)
            case h.KeepBackground() if order.id not in self._backgrounds:
                self._keep(order)
            case _:
                return

    def cancel(self, order_id: str) -> None:
        settings = self._settings()
        self._end(order_id, settings.stop_grace_s if settings is not None else 10.0)

    def _run(self, order: h.RunAgent) -> None:
        self._watched[order.id] = self._watch(order)
        if not order.launch and not self._begun_or_revoked(order.id):
            return
        if not self._next_look_s:
            self._next_look_s = self._monotonic_s() + self._poll_s()
        self._runner.ensure(order.id, self._placement(order))

    def _watch(self, order: h.RunAgent) -> _Watched:
        settings = self._settings()
        assert settings is not None
        watched = _Watched(self._root_of(order.tree) / order.directory)
        program = order.dispatch.program or settings.agent
        if program.adapter != PLAIN:
            secrets = secrets_of(self._environ, settings.all_pass_env)
            watched.listener = TailReader(program, order.dispatch.resumes, secrets)
            watched.counts_turns = adapter_named(program.adapter).counts_turns
        return watched

    def _begun_or_revoked(self, run_id: str) -> bool:
        """Return whether the run has begun; if not, revoke it, even if it was requested a moment
        ago.
        """
        begun = self._runner.describe(run_id).state != "absent"
        self._watched[run_id].begun = begun
        if not begun:
            self._end(run_id, 0.0)
        return begun

    def _keep(self, order: h.KeepBackground) -> None:
        self._backgrounds.add(order.id)
        settings = self._settings()
        names = settings.agent.pass_env if settings is not None else ()
        secrets = {name: self._environ[name] for name in names if name in self._environ}
        env = {**allowed(self._environ), "TOPKICK": TOPKICK}
        placement = Placement(argv=order.argv, cwd=order.cwd, env=env, secrets=secrets)
        self._runner.ensure(order.id, placement)

    def _end(self, run_id: str, grace_s: float) -> None:
        if self._stopping.get(run_id, float("inf")) <= grace_s:
            return
        self._stopping[run_id] = grace_s
        if run_id not in self._backgrounds:
            self._watched.setdefault(run_id, _Watched(self._root))
        self._runner.stop(run_id, grace_s)

    def _placement(self, order: h.RunAgent) -> Placement:
        settings = self._settings()
        assert settings is not None
        prompt = self._text(order.dispatch.prompt)
        return agents_placement.place(
            order,
            prompt,
            settings,
            self._root_of(order.tree),
            self._runs,
            self._environ,
            _told(order),
        )

    # --- facts -----------------------------------------------------------------------------

    def poll(self) -> Sequence[h.Fact]:
        facts: list[h.Fact] = []
        for notice in self._runner.poll():
            match notice:
                case Active(run_id):
                    facts.append(self._seen(run_id))
                case RunEnded(run_id, ended):
                    if ended.how == "stopped":  # the check reads the output of all others
                        facts.extend(self._listen_to(run_id, at_last=True))
                    facts.append(self._over(run_id, agent_exit(ended)))
        if self._monotonic_s() >= self._next_listen_s:
            facts.extend(self._listen())
        if self._watched and self._monotonic_s() >= self._next_look_s:
            facts.extend(self._look_for_life())
        return facts

    def _seen(self, run_id: str) -> h.Fact:
        known = run_id in self._backgrounds
        return h.BackgroundSeen(run_id) if known else h.AgentActive(run_id)

    def _over(self, run_id: str, ended: AgentExit) -> h.Fact:
        self._runner.forget(run_id)
        self._watched.pop(run_id, None)
        self._stopping.pop(run_id, None)
        if run_id not in self._backgrounds:
            return h.AgentExited(run_id, ended)
        self._backgrounds.discard(run_id)
        return h.BackgroundEnded(run_id, ended)

    # --- output and usage (DP-07, DP-10) -----------------------------------------------------

    def _listen(self) -> Iterator[h.Fact]:
        self._next_listen_s = self._monotonic_s() + LISTEN_S
        for run_id in tuple(self._watched):
            yield from self._listen_to(run_id)

    def _listen_to(self, run_id: str, *, at_last: bool = False) -> Iterator[h.Fact]:
        """Report usage now and then, and at once where a limit may be near; the policy does the
        sums.
        """
        watched = self._watched.get(run_id)
        settings = self._settings()
        if watched is None or watched.listener is None or settings is None:
            return
        listener = watched.listener
        for _ in listener.hear(partial(self._runner.tail, run_id)):
            continue
        now_s = self._monotonic_s()
        too_many = watched.counts_turns and listener.usage.turns > settings.max_turns
        due = at_last or too_many or now_s - watched.told_at_s >= TELL_S
        if due and listener.usage != watched.told:
            watched.told, watched.told_at_s = listener.usage, now_s
            yield h.AgentSpent(run_id, listener.usage, watched.counts_turns, listener.conversation)

    def _listen_in_s(self) -> float | None:
        if not any(w.listener for w in self._watched.values()):
            return None
        return max(0.0, self._next_listen_s - self._monotonic_s())

    # --- signs of life (ER-01) -------------------------------------------------------------

    def _poll_s(self) -> float:
        settings = self._settings()
        return settings.stall_poll_s if settings is not None else 60.0

    def _look_in_s(self) -> float | None:
        return max(0.0, self._next_look_s - self._monotonic_s()) if self._watched else None

    def _look_for_life(self) -> list[h.Fact]:
        self._next_look_s = self._monotonic_s() + self._poll_s()
        facts: list[h.Fact] = []
        try:
            found = self._runner.life(tuple(self._watched))
        except OSError:  # no process table: that does not mean silence
            return facts
        for run_id, life in found.items():
            watched = self._watched[run_id]
            before = watched.quiet_polls
            watched.quiet_polls = 0 if self._lives(watched, life) else before + 1
            watched.life = life
            came_back = before >= QUIET_POLLS_TOLD[0] and watched.quiet_polls == 0
            if watched.quiet_polls in QUIET_POLLS_TOLD or came_back:
                facts.append(h.AgentQuiet(run_id, watched.quiet_polls))
        return facts

    def _lives(self, watched: _Watched, life: Life) -> bool:
        """Return whether there are signs of life: output, changed files, or CPU time for at most an
        hour.
        """
        last = watched.life
        if last is None or life.output_bytes > last.output_bytes:
            watched.cpu_polls = 0
            return True
        if life.cpu_s - last.cpu_s >= ENOUGH_CPU_S and watched.cpu_polls < CPU_ALONE_POLLS:
            watched.cpu_polls += 1
            return True
        newest_s = self._newest_change_s(watched.directory)
        changed = newest_s > watched.newest_s and watched.newest_s > 0
        watched.newest_s = newest_s
        return changed


def _told(order: h.RunAgent) -> dict[str, str]:
    """Return environment variables that describe the order to its agent."""
    return {
        "TOPKICK_ORDER": order.id,
        "TOPKICK_UNIT": order.unit,
        "TOPKICK_SPRINT": order.sprint,
        "TOPKICK_ATTEMPT": str(order.dispatch.attempt),
        "TOPKICK_MODEL": order.dispatch.model,
        "TOPKICK": TOPKICK,
    }


def agent_exit(ended: Exit) -> AgentExit:
    return AgentExit(
        how=Ending(ended.how),
        code=ended.code,
        signal=ended.signal,
        detail=ended.errno_text or "",
        survivors=ended.survivors,
        cpu_ms=round(ended.cpu_s * 1000),
        busy_ms=_busy_ms(ended),
    )


def _busy_ms(ended: Exit) -> int | None:
    if ended.started_at is None or ended.ended_at is None:
        return None
    return max(0, round((ended.ended_at - ended.started_at) * 1000))
