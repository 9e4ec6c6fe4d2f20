"""Agents that make false claims, honest ones that look like them, and topkick's verdicts."""
