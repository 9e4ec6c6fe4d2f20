"""A judge between the layers of a plan."""
