"""Many writers of one message bus, killed among each other, and a reader who knows the format."""
