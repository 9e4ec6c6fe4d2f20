"""Make a plan better before it runs: break down, analyse, refine, name, import."""
