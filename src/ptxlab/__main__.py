"""`python -m ptxlab`."""

from ptxlab.cli import main

main()
