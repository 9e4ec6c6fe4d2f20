"""Markdown task files that people and agents edit too: read tolerantly, changed line by line."""

from topkick.core.task_files.document import TaskFile
from topkick.core.task_files.tables import Table, read_table, with_table

__all__ = ["Table", "TaskFile", "read_table", "with_table"]
