"""What NVIDIA's compute-sanitizer finds in the bug zoo: `python -m tools.zoo`."""
