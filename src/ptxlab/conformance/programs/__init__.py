"""Random programs: a tree of statements, how it is drawn, and its text."""
