"""Exit criteria: understand what people write, and compile it into checks."""
