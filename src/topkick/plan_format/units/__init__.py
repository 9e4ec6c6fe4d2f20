"""Work units and sprints: how they are named, detected and numbered."""
