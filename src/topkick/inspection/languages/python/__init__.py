"""Read Python tests by their syntax."""
