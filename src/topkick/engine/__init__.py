"""The parts that all supervisors share: messages, kernel, fold, worklist, and the loop.

Only `loop`, `journal` and `io` touch the world; everything else is pure.
"""
