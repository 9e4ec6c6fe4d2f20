"""Planted bugs in the supervisors of boards and epics, and in what they share."""

from functools import partial

from proof.simulation.mutant import Mutant

LONE = "engine/agents/task.py"
TRUTH, STRICT = "engine/io/file_executor.py", "engine/agents/answers.py"
_board = partial(Mutant, policy="board")
_epic = partial(Mutant, policy="epic")

BOARD_BUGS = (
    _board(
        "an answer of a wrong form is taken",
        STRICT,
        '    return "; ".join(problems(answer, schema.body))\n',
        '    return ""\n',
    ),
    _board(
        "a crash is no bad form",
        STRICT,
        "    if run.exit is not None and (run.exit.how is not Ending.EXITED or run.exit.code):\n",
        "    if run.exit is not None and run.exit.how is Ending.DEADLINE:\n",
    ),
    _board(
        "one retry too many",
        STRICT,
        "    if number > RETRIES_ALLOWED or ",
        "    if number > RETRIES_ALLOWED + 1 or ",
    ),
    _board(
        "a good answer does not forgive the bad ones",
        "kanban/decide.py",
        '        h.RunClosed(run.id, status),\n        h.NoteTaken(memory.RETRIES, "0"),\n',
        "        h.RunClosed(run.id, status),\n",
    ),
    _board(
        "a retry says that it is one",
        "kanban/decide.py",
        "    order = replace(run.dispatch, at_us=0, max_turns=turns)\n",
        "    prompt = type(run.dispatch.prompt).of(issue)\n"
        "    order = replace(run.dispatch, prompt=prompt, max_turns=turns)\n",
    ),
    _board(
        "the Manager is not told",
        "kanban/decide.py",
        "    if done is not None:\n",
        "    if done is not None and not done.task:\n",
    ),
    _board(
        "a board that stands still is run for ever",
        "kanban/decide.py",
        "turn.still >= ROUNDS_WITHOUT_A_MOVE",
        "turn.still > ROUNDS_WITHOUT_A_MOVE",
    ),
    _board(
        "the task's header is not asked",
        "kanban/decide.py",
        "    if task.role.casefold() in known:\n",
        "    if task.role in mission.notebook:\n",
    ),
    _board(
        "a usage limit is not waited for",
        "kanban/decide.py",
        "    if any(limit.until_us > mission.at_us for limit in mission.limits.values()):\n",
        "    if any(limit.until_us < 0 for limit in mission.limits.values()):\n",
    ),
    _board(
        "a lost agent counts as a bad answer",
        LONE,
        "        case _ if run.exit is not None and run.exit.how is Ending.LOST:\n",
        "        case _ if run.exit is not None and run.exit.how is Ending.CANNOT_START:\n",
    ),
    _board(
        "the provider's trouble is the agent's",
        LONE,
        "        case AgentReport(conclusion=Conclusion.PROVIDER_TROUBLE, said=said):\n",
        "        case AgentReport(conclusion=Conclusion.REFUSED, said=said):\n",
    ),
    _board(
        "another order while one is out",
        LONE,
        " or bool(mission.editing) or bool(mission.runs)\n",
        " or bool(mission.editing)\n",
    ),
    _board(
        "who was stopped has answered badly",
        LONE,
        "    if not for_its_own and (run.cancel is not None or ended.how is Ending.STOPPED):\n",
        "    if not for_its_own and run.cancel is None and ended.how is Ending.STOPPED:\n",
    ),
    _board(
        "an id is dispatched twice",
        LONE,
        '    run_id = f"{mission.id}-{mission.runs_opened + 1}"\n',
        '    run_id = f"{mission.id}-{(mission.runs_opened or 1)}"\n',
    ),
)

EPIC_BUGS = (
    _epic(
        "what others wrote while the draft was made is lost",
        TRUTH,
        "still=lambda: hash_of(self.read(path)) == was",
        "still=None",
    ),
    _epic(
        "a file that others changed counts as written",
        "epic/tick/writer.py",
        "    if changed:\n        count",
        "    if changed == trouble:\n        count",
    ),
    _epic(
        "the brake is not looked at",
        "epic/decide.py",
        "    stop = braked(epic, mission.at_us, settings.stalled_s)\n",
        "    stop = braked(replace(epic, rows=(), items=()), mission.at_us, settings.stalled_s)\n",
    ),
    _epic(
        "the brake waits for a fourth failure",
        "epic/tick/choice.py",
        "SAME_FAILURES = 3",
        "SAME_FAILURES = 4",
    ),
    _epic(
        "the memory keeps a row too many",
        "epic/body.py",
        "MOST_ROWS = 16",
        "MOST_ROWS = 17",
    ),
    _epic(
        "two subagents in one tick",
        "epic/decide.py",
        "    return at_work and not waits and not asks\n",
        "    return at_work and not waits\n",
    ),
    _epic(
        "an answer is dropped while nobody may act on it",
        "epic/decide.py",
        "        return (h.MissionEnded(end.done, end.line),)\n",
        "        return writer.finish(end)\n",
    ),
    _epic(
        "another host's worker is judged",
        "epic/tick/scene.py",
        'ENDED = frozenset({"exited", "lost"})',
        'ENDED = frozenset({"exited", "lost", "absent"})',
    ),
    _epic(
        "whom we had asked is waited for in vain",
        "epic/decide.py",
        '            return (h.NoteTaken(notes.LEVEL, ""), notes.go(TickStep.ORIENTING))\n',
        "            return ()\n",
    ),
    _epic(
        "who failed has answered",
        "epic/decide.py",
        '    answer = "" if failed else said[-MOST_ANSWER_CHARS:]\n',
        "    answer = said[-MOST_ANSWER_CHARS:]\n",
    ),
    _epic(
        "a person's own rows are dropped",
        "epic/body.py",
        "    table = replace(table, rows=(*table.rows, *work.not_understood(before)))\n",
        "",
    ),
    _epic(
        "clearing leaves no reset",
        "epic/tick/scene.py",
        'phase="orienting").with_row(RowClass.RESET, "cleared by a person")',
        'phase="orienting")',
    ),
    _epic(
        "a plan is approved by nobody",
        "epic/tick/actions.py",
        "    epic = replace(filed.epic, status=Status.READY, phase=REVIEWING)\n",
        "    epic = replace(filed.epic, status=Status.QUEUED, phase=REVIEWING)\n",
    ),
    _epic(
        "a worker is sent before its row is written",
        "epic/tick/actions.py",
        "    launch = WorkerLaunch(scene.run_id, item.id, worker.name, prompt, turns)\n",
        '    launch = WorkerLaunch(scene.run_id + "b", item.id, worker.name, prompt, turns)\n',
    ),
    _epic(
        "what others tick is taken for stuck",
        "epic/tick/scene.py",
        "    if back is None:\n        return item\n",
        '    if back is None:\n        return replace(item, status="queued")\n',
    ),
)

TO_BE_HUNTED = (
    _epic(
        "a react may halt three times", "epic/tick/choice.py", "REACT_HALTS = 2", "REACT_HALTS = 3"
    ),
    _epic(
        "stalled workers are waited for",
        "epic/tick/choice.py",
        "    if len(stuck) < STALLED_ITEMS:\n",
        "    if len(stuck) <= STALLED_ITEMS:\n",
    ),
)
"""Missed by sixty seeds; what they break is held by stories of epics."""
