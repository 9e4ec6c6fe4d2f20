"""Plans: read and refine them, without touching the world."""
