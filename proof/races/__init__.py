"""Races: several real supervisors on one project at the same moment, and never two that act."""
