"""Runs AI coding agents through a plan, and proves the work is done."""

__version__ = "0.1.0.dev0"
