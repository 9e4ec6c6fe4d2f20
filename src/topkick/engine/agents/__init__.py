"""Runs of agents: programs, budgets, usage limits, and strict answers."""
