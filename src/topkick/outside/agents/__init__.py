"""What is known of each agent program: how it is started, read, ended and understood."""
