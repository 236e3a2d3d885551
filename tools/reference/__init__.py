"""The pages of the reference that are made from the rows, the codes and the docstrings; `python -m tools.generate` writes them."""
