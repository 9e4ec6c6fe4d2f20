"""Read an agent's output: lines, fields, results, endings and the times of usage limits."""
