"""Damage a project: its files are damaged or swapped, or its disk refuses.

python -m proof.storage corruption     every byte flipped, every length, pages swapped
python -m proof.storage faults         errors injected at every call that writes (needs strace)
python -m proof.storage replaced       a directory, FIFO, link or device where a file should be
"""
