"""Numbers with a bound of the error that any right way to compute them stays within."""

from ptxlab.verification.numbers import functions as functions  # fills the tables of `bounded`
