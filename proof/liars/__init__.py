"""Agents that claim what is not so, honest ones that look like them, and what topkick says."""
