"""Commands that set topkick up: init, doctor, agents, config, schema."""
