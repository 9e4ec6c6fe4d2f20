"""A supervisor with a planted bug: a soak is worth something if it catches it.

Run as a program with the name of the bug and the words of a command.
"""

import sys


def topkick(plant: str) -> list[str]:
    return [sys.executable, "-P", __file__, plant] if plant else [sys.executable, "-m", "topkick"]


def _idle() -> None:
    """Take over, and never dispatch an agent."""
    from topkick.runner.agent_executor import AgentBench

    AgentBench.ensure = lambda *_: ""  # type: ignore[method-assign]


PLANTS = {"idle": _idle}


def main() -> int:
    from topkick.cli import main as cli_main

    plant, *words = sys.argv[1:]
    if words[0] == "resume":
        PLANTS[plant]()
    return cli_main.run(words)


if __name__ == "__main__":
    sys.exit(main())
