"""The order of work: phases, references, drawings, gates, checkpoints."""
