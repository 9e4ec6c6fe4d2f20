"""Markdown task files that people and agents edit too: read tolerantly, changed line by line."""

from topkick.text.task_file.document import TaskFile
from topkick.text.task_file.tables import TaskTable, read_table, with_table

__all__ = ["TaskFile", "TaskTable", "read_table", "with_table"]
