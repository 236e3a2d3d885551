"""Launches that overlap: streams, events, and programmatic dependent launch."""
