"""The commands of a run: start, stop, resume, killall, and decisions of a person."""
