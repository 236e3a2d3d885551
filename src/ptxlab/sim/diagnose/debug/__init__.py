"""A launch that stops, and a look at its state."""
