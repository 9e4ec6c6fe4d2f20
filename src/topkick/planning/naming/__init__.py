"""Operation names: how a plan gets one, and its place in the plan's front matter."""
