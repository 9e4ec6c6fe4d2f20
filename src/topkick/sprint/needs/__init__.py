"""The needs of one unit towards another: noted, passed on, reconciled."""
