"""What the doors share: keeper, atomic files, hardened git."""
