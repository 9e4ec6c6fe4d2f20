"""Check the work: the commands of a plan, git, and what the agent's change did to the tests."""
