"""What criteria themselves run: scripts, targets, tools, pipelines, the plan."""
