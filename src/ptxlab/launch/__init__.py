"""The public face: modules, kernels, launches, arrays and maps for them. `ptxlab/__init__.py` says which names are public."""
