"""Grids that overlap: what a launch sees of the ones before it in its stream, and when it begins."""
