"""Processes and their descendants: identify, count, signal and sweep them."""
