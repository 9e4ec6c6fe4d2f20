"""Who turned a gate red, through the real program: units, kinds of fault, and their places."""
