"""What addresses of shared memory are, how descriptors reach it, and what a kernel sees of the way it is launched."""
