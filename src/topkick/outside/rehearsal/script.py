"""Find a request's script and its step from the transcript; nothing is stored."""

from dataclasses import replace

from topkick.outside.rehearsal.exchange import Line, Question, ToolAnswered, UserSaid
from topkick.outside.rehearsal.loading import Script, script_in
from topkick.outside.rehearsal.scenarios import Scenario, Step

# Programs send their own notes as user messages; these are not prompts.
_NOTES = (
    "<system-reminder>",
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "# AGENTS.md instructions",
)


def scripted(scenario: Scenario, question: Question) -> tuple[Scenario, str]:
    """Return the scenario with the prompt's script, if there is one, and a name for that script.

    The name counts faults separately for each prompt.
    """
    script, _ = _found(question.transcript)
    if script is None:
        return scenario, ""
    ours = replace(scenario, steps=script.steps, faults=(*scenario.faults, *script.faults))
    return ours, repr(script) if script.faults else ""


def step_of(scenario: Scenario, question: Question) -> tuple[Step, bool]:
    """Return the step, and whether the shell must do it because a tool refused.

    A prompt without a script continues the one before it, so resumed work continues too.
    """
    script, at = _found(question.transcript)
    anchor = at if script is not None else _last_prompt(question.transcript)
    later = question.transcript[anchor + 1 :]
    results = [line for line in later if isinstance(line, ToolAnswered)]
    number = sum(not result.unread for result in results)
    return scenario.step(number), bool(results) and results[-1].unread


def _found(transcript: tuple[Line, ...]) -> tuple[Script | None, int]:
    for at in range(len(transcript) - 1, -1, -1):
        line = transcript[at]
        if isinstance(line, UserSaid) and (script := script_in(line.text)) is not None:
            return script, at
    return None, -1


def _last_prompt(transcript: tuple[Line, ...]) -> int:
    for at in range(len(transcript) - 1, -1, -1):
        line = transcript[at]
        if isinstance(line, UserSaid) and not line.text.lstrip().startswith(_NOTES):
            return at
    return -1
