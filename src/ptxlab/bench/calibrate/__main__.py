"""`python -m ptxlab.bench.calibrate`: see `run.main`."""

import typer

from ptxlab.bench.calibrate.run import main

typer.run(main)
