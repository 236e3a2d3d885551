"""`python -m ptxlab` is `ptxlab`."""

from ptxlab.cli import main

main()
