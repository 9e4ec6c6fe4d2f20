"""Races: several real supervisors on one project at the same moment, of which only one may act."""
