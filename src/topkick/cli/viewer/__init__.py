"""The live screen of a run: `watch`, and after `start` and `resume`."""
