"""`topkick demo`: a whole run with scripted agents in a throw-away project."""
