"""Kernels that px.verify has to accept, and candidates that it may never accept."""
