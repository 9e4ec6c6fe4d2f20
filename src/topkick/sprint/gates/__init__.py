"""Gates: everybody's work built and tested together, and who broke it."""
