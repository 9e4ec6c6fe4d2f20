"""One source file as an inventory, by its syntax."""
