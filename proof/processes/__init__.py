"""Kill agents of every nasty shape: nothing of them may survive, and no other process may be
hit.
"""
