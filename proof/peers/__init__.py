"""The crash harness for two other programs that keep processes or durable workflows.

It shows what "found again" means: neither promises it, and what they do promise they keep.
supervisord starts its programs as its own children and, when restarted, starts them again; DBOS
repeats a step that was not recorded as done.
"""
