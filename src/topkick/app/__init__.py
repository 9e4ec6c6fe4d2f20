"""From settings to a running supervisor, and what the faces may ask of it.

`project` where things are · `config` what was set · `planning` the plan · `running` being the
supervisor · `background` being one without a terminal · `talking` to one · `looking` at one.
"""
