"""Run the real kernel, policies, loop, journal and runner on virtual time, with seeded faults.

`python -m proof.simulation --seeds 300` runs many; `--seed N` replays one, line by line.
"""
