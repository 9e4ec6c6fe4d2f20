"""Everything that topkick does with git: read, clone, merge, land, push."""
