"""Predictions of the timing model beside what a GPU then measures: `cases` draws kernels, `small` writes some, `run`
does the rest."""
