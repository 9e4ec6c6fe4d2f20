"""`python -m topkick`."""

from topkick.faces.cli import main

main()
