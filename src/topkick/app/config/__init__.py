"""Read topkick.toml, check it, and turn it into settings."""
