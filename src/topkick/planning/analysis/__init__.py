"""Analyse a plan before it runs: its completeness, its checks, its order."""
