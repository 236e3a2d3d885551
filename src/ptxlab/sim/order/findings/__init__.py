"""Findings of the sanitizer: in words and as data, with the names of what was accessed."""
