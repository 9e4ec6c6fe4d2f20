"""Commands about work and trees: land, salvage, clean."""
