"""Gates: the work of all units built and tested together, and the units that broke it."""
