"""Read JavaScript and TypeScript tests by their syntax."""
