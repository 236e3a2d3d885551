"""The orders of what may come in any order: a launch is run in each of them, to prove that none matters."""
