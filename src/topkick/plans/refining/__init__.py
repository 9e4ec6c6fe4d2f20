"""A plan made better: scored, put in order, measured, sharpened, without losing a byte of it."""
