"""Text as people write and read it: Markdown, YAML, escaping, formatting, similarity.

The package is pure and imports nothing else of topkick, so every other package may use it.
"""
