"""The words of the language and of the package, read from docstrings: for `px.explain` and the pages of the reference."""
