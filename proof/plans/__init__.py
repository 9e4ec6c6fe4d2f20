"""Proof that any text is read as a plan or refused, in time linear in its size (PL-19)."""
