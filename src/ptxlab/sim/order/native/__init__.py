"""The sanitizer's memory, and the part of it that is machine code."""
