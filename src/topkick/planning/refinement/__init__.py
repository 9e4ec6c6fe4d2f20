"""Improve a plan: score, order, measure and sharpen it, without losing a byte."""
