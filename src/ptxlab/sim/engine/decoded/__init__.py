"""How a program becomes records: a handler for each instruction, registers in the frame, operands as fields."""
