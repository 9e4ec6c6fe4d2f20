"""Operation names: which one a plan gets, and how it stands in the plan's front matter."""
