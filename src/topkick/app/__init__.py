"""Assemble and run a supervisor, and give the command line access to it.

`project` has the paths of a run, `config` reads topkick.toml, `assemble` names the concrete
classes, `run` becomes the supervisor, `background` starts one without a terminal, `send_command`
posts a command to it, and `run_view` and `run_search` read a run from outside.
"""
