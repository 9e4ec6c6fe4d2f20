"""The structure of a Markdown text: sections, lists, tables, code."""
