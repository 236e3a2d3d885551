"""The rows: one module per family of instructions. Each is a page of the reference."""
