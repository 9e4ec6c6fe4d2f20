"""One module for each verb; loaded only when that verb is used."""
