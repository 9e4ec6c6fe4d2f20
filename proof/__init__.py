"""Proof of the kernel: nothing lost, nothing done twice, nothing left running.

Each campaign is a package of its own, run by `python -m proof.NAME` at full length and by
`tests/proof` in a small share; all of them drive the real program.
"""
