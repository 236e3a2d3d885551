"""Measurement: what is behind `ptxlab bench`."""
