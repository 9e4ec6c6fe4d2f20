"""The coordinator: it leads a team through the stages of its pipeline."""
