"""Agents that print too much and the wrong things: memory and disk stay limited, screens clean."""
