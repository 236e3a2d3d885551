"""Instances of rows on operands of a seed: what computes registers, fragments and products."""
