"""`python -m topkick`."""

from topkick.cli.main import main

main()
