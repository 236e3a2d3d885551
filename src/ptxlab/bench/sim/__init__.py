"""The simulator's speed, beside other ways to run the same kernels."""
