"""One tick of an epic: brake, preflight, scene, choice, critique, judgement, route."""
