"""Kill the real program at every moment that matters, let it recover, and judge the history."""
