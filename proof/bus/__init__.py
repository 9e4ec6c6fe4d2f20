"""Many writers of one message bus, some of them killed, and a reader that knows only the format."""
