"""What the simulator is held to: kernels, their inputs, and the bytes that an H100 gave for them."""
