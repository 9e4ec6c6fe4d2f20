"""The decisions of a sprint run. Commands that only look never import this package."""
