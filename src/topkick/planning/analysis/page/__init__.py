"""An analysis of a plan, written down: the report, the summary, and the values for programs."""
