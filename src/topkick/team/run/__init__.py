"""Use cases of a team: sessions on disk, the judge in its sandbox."""
