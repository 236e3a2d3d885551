"""Demonstration and measurement: the runners behind `ptxlab demo` and `ptxlab bench`."""
