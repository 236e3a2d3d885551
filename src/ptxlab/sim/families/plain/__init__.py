"""Instructions of registers alone: a module for each kind. All of them are meanings in machine code."""
