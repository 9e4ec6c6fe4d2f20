"""The crash harness pointed at two other programs that keep processes or durable workflows.

It shows what is meant by "found again": neither promises it, and what they do promise they keep.
supervisord starts its programs as its own children and, started anew, starts them anew; DBOS
runs a step that was not recorded as done once more.
"""
