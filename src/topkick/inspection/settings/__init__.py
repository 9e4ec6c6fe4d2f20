"""Settings of linters, type checkers, coverage and test runners, before and after."""
