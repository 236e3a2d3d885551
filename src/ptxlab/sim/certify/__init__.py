"""Certificates: whether one sanitized run speaks for every schedule."""
