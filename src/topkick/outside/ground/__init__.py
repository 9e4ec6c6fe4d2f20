"""Code that the executors share: keeper, atomic files, hardened git."""
