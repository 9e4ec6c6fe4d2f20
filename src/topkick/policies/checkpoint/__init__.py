"""The checkpoint supervisor: woken by a message, it judges a stage of a pipeline, and sleeps."""
