"""The processes that are killed: writers that post, and a cleaner that deletes."""

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from proof.bus.ledger import CLEANER, Ledger, standing
from proof.bus.planted import plant
from topkick.engine.io import crash_points
from topkick.team.bus.model import Message
from topkick.team.bus.store import Bus

EVERY_STATE = 5


def spawn(work: Callable[[], None], planted: str, crash_at: str = "") -> int:
    """Fork a child with everything loaded; it dies at the named point, if there is one."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        plant(planted)
        if crash_at:
            os.environ[crash_points.AT] = crash_at
            crash_points.here = crash_points._bind()
        work()
        code = 0
    except BaseException:  # noqa: BLE001  the campaign hears of it by the code
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def message(name: str, number: int) -> Message:
    words = f"{name}-{number}"
    if number % EVERY_STATE == 0:
        # a key of its own, so that no later update hides a missing one
        data = json.dumps({"n": number, f"n{number}": True})
        return Message(name, type="state_update", summary=words, data=data)
    return Message(name, summary=words, data=json.dumps({"text": "x" * (number % 97)}))


def write(session: Path, ledgers: Path, name: str, count: int) -> None:
    """Post the rest. Alternately repeat or leave a message that may have been posted before a
    kill.
    """
    bus, ledger = Bus(session), Ledger(ledgers, name)
    meant, last, is_open = standing(ledgers / name)
    if is_open and meant % 2:
        (posted,) = bus.post_once([message(name, meant - 1)], after=last)
        ledger.note("stands", posted.summary, posted.id)
    for number in range(meant, count):
        wanted = message(name, number)
        ledger.note("meant", wanted.summary)
        posted = bus.post(wanted)
        ledger.note("stands", posted.summary, posted.id)


def clean(session: Path, ledgers: Path, seed: int, count: int) -> None:
    """Delete some messages that are not state updates, so that meta.json can be derived from the
    file.
    """
    bus, ledger, chance = Bus(session), Ledger(ledgers, CLEANER), random.Random(seed)
    for _ in range(count):
        there = [m for m in bus.messages() if m.type == "message"]
        if there:
            # among the last: only these show whether a number is used again
            one = chance.choice(there[-3:])
            ledger.note("deleting", one.id)
            bus.delete(one.id)


def clear(session: Path, ledgers: Path) -> None:
    Ledger(ledgers, CLEANER).note("clearing")
    Bus(session).clear()
