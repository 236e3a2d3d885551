"""The rows for people: `ptxlab explain`, and the pages of the reference."""

from ptxlab.reference.explain import explain

__all__ = ["explain"]
