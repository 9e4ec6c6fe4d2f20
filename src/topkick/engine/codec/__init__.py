"""Turn messages into JSON and back, and chain the records by their hashes."""
