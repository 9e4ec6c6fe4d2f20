"""The number of the rules by which facts become decisions.

Raise it whenever a recorded fact could lead to other events than before: a rule of a policy, a
table of the model score, a sentence in an event or in an order's prompt. Each
supervisor writes the number down when it wakes, and `topkick journal replay --check` decides
anew only what was decided under the number of today. A new field with a default, a new screen or
a new command needs no new number: old journals still lead to the same events.

Up to number 2, why a sprint or a unit was held, rested or FATAL was recorded as a sentence; from
number 3 on it is a value (sprint/blockers/holds.py). Older journals that have such records are
refused with `FromAnotherVersion`; the others can still be read.
"""

RULES = 4

BEFORE_NUMBERS = 0
"""The number read from a journal that is older than this number; its rules were those of 1."""


def in_force(written: int) -> int:
    """Return the rules that a supervisor followed, from the number it recorded when it started."""
    return 1 if written == BEFORE_NUMBERS else written
