"""Planted bugs in the loop, the journal's writer, the runner and the agent bench."""

from proof.simulation.mutant import Mutant

LOOP = "engine/loop.py"
WRITER, ROWS = "engine/journal/writer.py", "engine/journal/rows.py"
WATCH, RUNNER, BENCH = (
    "runner/watch.py",
    "runner/local_runner.py",
    "runner/agent_executor.py",
)

LOOP_BUGS = (
    Mutant(
        "signs of life are not written down",
        LOOP,
        "        self._write(taken, at_us)\n",
        "        if not isinstance(fact, h.AgentActive):\n            self._write(taken, at_us)\n",
    ),
    Mutant(
        "a clock set back is waited for",
        LOOP,
        "max(self._latest_us + passed_us, self._world.now_us())",
        "max(self._latest_us, self._world.now_us())",
    ),
    Mutant(
        "what became due meanwhile wakes nobody",
        LOOP,
        "due_us = wake_at_us(self.mission, self._turn_us)",
        "due_us = wake_at_us(self.mission, self._now_us())",
    ),
    Mutant(
        "what is no longer wanted goes on",
        LOOP,
        "                bench.cancel(order_id)\n",
        "                pass\n",
    ),
    Mutant(
        "what was decided is forgotten at a restart",
        LOOP,
        "            mission = apply(mission, happening, record.at_us)",
        "            if record.kind == 'Decided':\n                continue\n"
        "            mission = apply(mission, happening, record.at_us)",
    ),
    Mutant(
        "a step that could not be written counts",
        LOOP,
        "                self._world.rest(JOURNAL_RETRY_S)\n",
        "                return\n",
    ),
    Mutant(
        "a command is never answered",
        LOOP,
        "            answers[taken.fact.letter] = _answer(taken.events)\n",
        "            pass\n",
    ),
    Mutant(
        "nobody notices that time has passed",
        LOOP,
        "            self._take(h.TimePassed())\n",
        "            pass\n",
    ),
    Mutant(
        "it leaves while agents work",
        LOOP,
        "return is_at_rest(self.mission) if self.mission.driven else not wanted",
        "return not self._said",
    ),
    Mutant(
        "an old supervisor may write",
        WRITER,
        "if (stored := self._stored_epoch()) != self._epoch:",
        "if (stored := self._stored_epoch()) < (self._epoch or 0):",
    ),
    Mutant(
        "an epoch is used twice",
        WRITER,
        "epoch = max(self._stored_epoch(), self._tip.epoch) + 1",
        "epoch = max(self._stored_epoch(), self._tip.epoch, 1)",
    ),
    Mutant(
        "a failed commit is taken for done",
        WRITER,
        "            if not self._happened(tip):\n                raise\n",
        "            roll_back(self._db)\n",
    ),
    Mutant(
        "a commit that lies is done again",
        WRITER,
        "        if read_tip(self._db, self._path) != self._doubt:\n",
        "        if True:\n",
    ),
    Mutant(
        "a failed commit is a takeover",
        WRITER,
        "            if not self._happened(tip):\n                raise\n",
        "            if not self._happened(tip):\n"
        '                raise AnotherSupervisor("taken over") from None\n',
    ),
    Mutant(
        "it gives up at the first trouble of the journal",
        LOOP,
        "                if self._leaving:\n                    raise\n",
        "                raise\n",
    ),
    Mutant(
        "a lost tail is not noticed",
        ROWS,
        "    if chain is not None and chain.hex() == anchor.chain_hex:\n",
        "    if True:\n",
    ),
)

RUNNER_BUGS = (
    Mutant("a launch is never given up", WATCH, "if self._launches < LAUNCHES and ", "if "),
    Mutant(
        "nobody asks for a second keeper",
        WATCH,
        '            case "absent":\n                self._begin_or_revoke()\n',
        '            case "absent":\n                pass\n',
    ),
    Mutant(
        "what never began is not revoked",
        WATCH,
        '            if self._revoke("stopped", "never started"):\n',
        "            if True:\n",
    ),
    Mutant(
        "lost without looking whether anything lives",
        WATCH,
        "        if members is not None and not members:\n",
        "        if True:\n",
    ),
    Mutant(
        "an agent without its keeper is given up",
        WATCH,
        "if follows and found.agent is not None and self._lives(found):",
        "if False:",
    ),
    Mutant(
        "nobody is ever forced",
        WATCH,
        "        if now < self._ending.kill_at:\n",
        "        if True:\n",
    ),
    Mutant(
        "a keeper is signalled after its death",
        WATCH,
        '        if found.state in ("claimed", "running"):\n            overdue',
        "        if True:\n            overdue",
    ),
    Mutant(
        "a keeper that is gone is not noticed",
        WATCH,
        '        if not said or b"x" in said:\n',
        '        if b"x" in said:\n',
    ),
    Mutant(
        "an orphan is killed unasked",
        WATCH,
        "                self._host.ask(self._members(found) or [])\n",
        "",
    ),
    Mutant(
        "a stop gives no grace",
        WATCH,
        "        patience_s = grace_s + STOP_SLACK_S\n",
        "        patience_s = -20.0\n",
    ),
    Mutant(
        "an exit is read and not reported",
        WATCH,
        "                return [RunEnded(self.run_id, found.exit)]\n",
        "                return []\n",
    ),
    Mutant(
        "killall spares what it cannot describe as running",
        RUNNER,
        '            self.stop(run_id, grace_s, "killall")\n',
        '            self.stop(run_id, grace_s, "killall") if found.agent is None else None\n',
    ),
    Mutant(
        "launched although it should only be followed",
        BENCH,
        "        if not order.launch and not self._begun_or_revoked(order.id):\n",
        "        if False:\n",
    ),
    Mutant(
        "silence is not told",
        BENCH,
        "            if watched.quiet_polls in QUIET_POLLS_TOLD or came_back:\n",
        "            if came_back:\n",
    ),
    Mutant(
        "an agent is not ended when asked",
        BENCH,
        "        self._runner.stop(run_id, grace_s)\n",
        "        _ = grace_s\n",
    ),
)
