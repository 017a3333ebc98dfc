"""`python -m likely` is `likely`."""

from likely.cli import main

main()
