"""The parts that the readers of all languages share: syntax, tokens, conditions, truth."""
