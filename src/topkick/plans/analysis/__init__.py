"""A plan looked over before it is run: is it complete, can it be checked, is its order good."""
